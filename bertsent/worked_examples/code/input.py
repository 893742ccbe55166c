"""Ids → input vectors."""

# %% A row of each table for every token, added up
embeddings = model.bert.embeddings
token = embeddings.word_embeddings.weight[ids]
position = embeddings.position_embeddings.weight[: len(ids)]
segment = embeddings.token_type_embeddings.weight[segments]
summed = token + position + segment

# %% LayerNorm: mean 0 and variance 1, times gain, plus shift
norm = embeddings.LayerNorm
mean = summed.mean(-1, keepdim=True)
variance = summed.var(-1, keepdim=True, unbiased=False)
standardised = (summed - mean) / (variance + norm.eps).sqrt()
normalised = standardised * norm.weight + norm.bias
