"""A backbone's name and a seed in, a fresh classifier out."""

import torch

from bertsent.errors import BadCheckpoint, BadInput
from bertsent.models.backbone import load_backbone
from bertsent.models.sentiment import BertForSentiment
from bertsent.text.tokens import Encoder, check_length
from bertsent.training.config import TrainingConfig


def build_model(name: str, config: TrainingConfig, *, expected: str = "") -> tuple[BertForSentiment, Encoder]:
    """A pretrained encoder under a new random head; equal seeds give equal heads.

    Raises:
        BadInput: the backbone cannot read texts as long as ``max_length``.
        BadCheckpoint: its weights are not those with the hash ``expected`` any more.
        NotAvailable: it is not on this machine.
    """
    backbone = load_backbone(name)
    if expected and backbone.sha256 != expected:
        raise BadCheckpoint(f"The weights of {name} have changed since the run began.", "Start a new run.")
    if backbone.shape.positions < config.max_length:
        raise BadInput(f"{name} reads at most {backbone.shape.positions} tokens.", "Choose a smaller max length.")
    check_length(config.max_length, backbone.shape.positions)
    torch.manual_seed(config.seed)
    return BertForSentiment(backbone.model, config.pooling, config.dropout), backbone.encoder
