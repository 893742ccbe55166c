from pathlib import Path

import pytest
import torch

from bertsent.models.backbone import load_backbone
from bertsent.models.sentiment import BertForSentiment
from bertsent.training.config import TrainingConfig
from bertsent.training.strategy import set_dropout


@pytest.mark.parametrize(("share", "varies"), [(0.0, False), (0.5, True)])
def test_attention_dropout_is_what_was_asked_for(share: float, varies: bool, tiny_backbone: Path) -> None:
    """In training mode with every other dropout off, the answer varies from pass to pass just when attention is dropped."""
    model = BertForSentiment(load_backbone(str(tiny_backbone)).model, dropout=0.0)
    set_dropout(model, TrainingConfig(attention_dropout=share, hidden_dropout=0.0))
    model.train()
    ids = torch.tensor([[101, 200, 201, 202, 102]])
    first, second = (model(ids, torch.ones_like(ids)) for _ in range(2))
    assert torch.equal(first, second) is not varies
