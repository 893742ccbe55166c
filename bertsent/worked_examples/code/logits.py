"""[CLS] → logits → probabilities."""

# %% One vector of many, and what the classifier reads of it
last = hidden[-1]
pooled = {"cls": last[0], "mean": last.mean(0), "max": last.amax(0)}[model.pooling]
after_pooler = pooled if model.pooler is None else model.pooler(pooled)

# %% Logits: every number times its weight, added up, plus the bias
weight, bias = model.classifier.weight, model.classifier.bias
products = weight * after_pooler
logits = products.sum(-1) + bias
shares = products[1] - products[0]

# %% Softmax, and the same at another temperature
temperature = 1.0
powers = logits.exp()
probabilities = powers / powers.sum()
tempered = (logits / temperature).softmax(-1)
