"""A room whose board was played against a tiny model."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from bertsent.classroom import board as rules
from bertsent.classroom import retraining
from bertsent.classroom.board import judge, offer, set_board
from bertsent.classroom.room import Room
from bertsent.classroom.rooms import open_room
from bertsent.data.examples import Reviews
from bertsent.data.sources import load_reviews

AUTHORS = ("ann", "bo", "cy", "di")
MODEL = "tiny"
_OPENINGS = ("honestly", "my uncle", "for a film", "nobody", "the dog", "in the end")
_ENDINGS = ("slept through all of it", "wants the money back", "would watch it twice", "laughed")


@pytest.fixture(scope="session")
def tiny_classifier(tiny_backbone: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny backbone under a head of random weights, as a model folder."""
    import torch

    from bertsent.models.backbone import load_backbone
    from bertsent.models.checkpoint import CheckpointCard, save_checkpoint
    from bertsent.models.task_model import BertForTask

    folder = tmp_path_factory.mktemp("models") / MODEL
    backbone = load_backbone(str(tiny_backbone))
    torch.manual_seed(1)
    model = BertForTask(backbone.model)
    save_checkpoint(folder, model, backbone.tokenizer, CheckpointCard(max_length=64))
    return folder


def few_validation_reviews() -> Reviews:
    """Forty of them."""
    builtin = load_reviews("builtin")
    return builtin.where([e.split == "validation" for e in builtin]).take(range(40))


@pytest.fixture
def played(lab: Path, tiny_classifier: Path, monkeypatch: pytest.MonkeyPatch) -> Room:
    """Twelve reviews of four authors on the board, confirmed, six of each label; a retraining is
    short.
    """
    monkeypatch.setattr(rules, "PAUSE", 0.0)
    monkeypatch.setattr(retraining, "REHEARSED", 20)
    monkeypatch.setattr(retraining, "validation_reviews", few_validation_reviews)
    (lab / "models").mkdir()
    (lab / "models" / MODEL).symlink_to(tiny_classifier)
    room = open_room("Year 11")
    play(room, 12)
    return room


def play(room: Room, reviews: int) -> None:
    """Let four members offer reviews and confirm each other's, the labels by turns."""
    for author in AUTHORS:
        room.join(author, author.capitalize())
    set_board(room, MODEL)
    texts = [f"{opening} {ending}" for ending in _ENDINGS for opening in _OPENINGS][:reviews]
    for n, text in enumerate(texts):
        label = n % 2
        wrong = SimpleNamespace(p_positive=0.1 if label else 0.9, label="")
        author, other = AUTHORS[n % 4], AUTHORS[(n + 1) % 4]
        found = offer(room, author, text, label, lambda *_, wrong=wrong: wrong)
        judge(room, other, found.entry.id, label)
