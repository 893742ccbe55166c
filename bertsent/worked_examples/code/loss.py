"""Which label is true? → loss."""

# %% Cross-entropy: −log of the probability of the true label
label = 1  # 0 is NEGATIVE, 1 is POSITIVE
loss = -probabilities[label].log()
losses = -probabilities.log()  # of either label, if it were true

# %% The same by the library; over a batch it is the mean
true = torch.tensor([label])
same_loss = torch.nn.functional.cross_entropy(logits[None], true)
mean_loss = torch.nn.functional.cross_entropy(torch.stack([logits, logits]), torch.tensor([0, 1]))
