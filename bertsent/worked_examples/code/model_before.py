"""The model as it was before its fine-tuning, and the review."""

# %% The pretrained encoder under the random head that its training began with
import torch

import bertsent

backbone_name, pooling, seed, max_length = "builtin", "cls", 42, 512
review = "Great, another boring movie"

backbone = bertsent.load_backbone(backbone_name)
torch.manual_seed(seed)
model = bertsent.BertForTask(backbone.model, pooling).eval()
tokenizer = backbone.tokenizer.fast
