"""The model and the review."""

# %% The model in use, and the review as the model reads it
import torch

import bertsent

model_name, max_length = "builtin", 512
review = "Great, another boring movie"

loaded = bertsent.load(model_name)
model, tokenizer = loaded.model, loaded.tokenizer.fast
