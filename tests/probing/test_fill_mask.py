"""The words for [MASK] are those of transformers' own pipeline; encoders without the head are told
apart.
"""

from pathlib import Path

import pytest

from bertsent.errors import BadInput
from bertsent.probing.fill_mask import fill_mask, folder_with_language_model_head


@pytest.fixture(scope="module")
def with_head(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny BERT as it comes out of pretraining, with random weights."""
    import torch
    from transformers import BertConfig, BertForMaskedLM

    from bertsent.models.backbone import builtin_folder

    folder = tmp_path_factory.mktemp("models") / "tiny-mlm"
    torch.manual_seed(0)
    config = BertConfig(
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=64,
    )
    BertForMaskedLM(config).save_pretrained(folder)
    for name in ("tokenizer.json", "tokenizer_config.json", "vocab.txt"):
        (folder / name).write_bytes((builtin_folder() / name).read_bytes())
    return folder


def test_words_are_those_of_transformers(with_head: Path) -> None:
    from transformers import pipeline

    text = "The film was [MASK], and I left."
    theirs = pipeline("fill-mask", model=str(with_head), device="cpu")(text, top_k=5)
    ours = fill_mask(with_head, text, 5)
    assert [word for word, _ in ours] == [found["token_str"] for found in theirs]
    assert [chance for _, chance in ours] == pytest.approx(
        [found["score"] for found in theirs], rel=1e-4
    )


@pytest.mark.parametrize(
    "text", ["", "no hidden word", "[MASK] and [MASK]", "word " * 80 + "[MASK]"]
)
def test_a_sentence_without_one_hidden_word_is_refused(with_head: Path, text: str) -> None:
    with pytest.raises(BadInput):
        fill_mask(with_head, text)


def test_who_can_fill_in_and_who_cannot(
    with_head: Path, lab: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bertsent.probing import fill_mask

    assert (
        folder_with_language_model_head("backbone") is None
        and folder_with_language_model_head("builtin") is None
        and folder_with_language_model_head("nobody-here") is None
    )
    monkeypatch.setattr(fill_mask, "_pretrained", lambda name: with_head)
    assert folder_with_language_model_head("a-run") == with_head


def test_a_run_is_asked_by_the_backbone_it_began_with(
    lab: Path, with_head: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from types import SimpleNamespace

    from bertsent.probing import fill_mask

    run = SimpleNamespace(config=SimpleNamespace(model=str(with_head)))
    monkeypatch.setattr(
        fill_mask,
        "find_model",
        lambda name, folders: SimpleNamespace(run="otter", folder=Path("gone")),
    )
    monkeypatch.setattr(fill_mask, "find_run", lambda name: run)
    assert (
        folder_with_language_model_head("otter/step-3") == with_head
    )  # the checkpoint itself holds no such head
