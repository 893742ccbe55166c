"""The words for [MASK] are those of transformers' own pipeline; encoders without the head are told
apart.
"""

import math
from pathlib import Path

import pytest
import torch

from bertsent.errors import BadInput
from bertsent.models.backbone import load_backbone
from bertsent.probing import fill_mask as module
from bertsent.probing.fill_mask import (
    fill_hidden,
    fill_mask,
    fill_masks,
    folder_with_language_model_head,
    words_of,
)
from bertsent.text.masked_sentence import MOST_MASKED

TWO = "The [MASK] was great, and I [MASK] it."


@pytest.fixture(scope="module")
def with_head(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny BERT as it comes out of pretraining, with random weights."""
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
    model = BertForMaskedLM(config)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(8)  # so that guesses differ
    model.save_pretrained(folder)
    for name in ("tokenizer.json", "tokenizer_config.json", "vocab.txt"):
        (folder / name).write_bytes((builtin_folder() / name).read_bytes())
    return folder


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Heads with random weights over the built-in encoder, as they ship."""
    from bertsent.models.language_model_head import LanguageModel, save_language_model

    torch.manual_seed(1)
    folder = tmp_path_factory.mktemp("models") / "words"
    save_language_model(folder, LanguageModel(load_backbone("builtin").model))
    return folder


def library_logits(folder: Path, ids: list[int]) -> torch.Tensor:
    """What transformers answers to these ids, (T, V)."""
    from transformers import BertForMaskedLM

    model = BertForMaskedLM.from_pretrained(folder).eval()
    with torch.no_grad():
        return model(input_ids=torch.tensor([ids])).logits[0]


def test_words_are_those_of_transformers(with_head: Path) -> None:
    from transformers import pipeline

    pipe = pipeline("fill-mask", model=str(with_head), device="cpu")
    theirs = pipe("The film was [MASK], and I left.", top_k=5)
    ours = fill_mask(with_head, "The film was [MASK], and I left.", 5)
    assert [word for word, _ in ours] == [found["token_str"] for found in theirs]
    assert [chance for _, chance in ours] == pytest.approx(
        [found["score"] for found in theirs], rel=1e-4
    )
    for gap, found in zip(fill_masks(with_head, TWO, 5), pipe(TWO, top_k=5), strict=True):
        assert [word for word, _ in gap.words] == [each["token_str"] for each in found]
        assert [chance for _, chance in gap.words] == pytest.approx(
            [each["score"] for each in found], rel=1e-4
        )


def test_the_loss_is_the_cross_entropy_of_the_true_word(with_head: Path) -> None:
    fast = load_backbone("builtin").tokenizer.fast
    gaps = fill_masks(with_head, TWO, truths=("film", "loved"))
    ids = fast(TWO)["input_ids"]
    logits = library_logits(with_head, ids)
    for gap, word in zip(gaps, ("film", "loved"), strict=True):
        true = fast.convert_tokens_to_ids(word)
        loss = torch.nn.functional.cross_entropy(logits[gap.place][None], torch.tensor([true]))
        assert gap.truth == word and gap.loss == pytest.approx(loss.item(), rel=1e-4)
        assert gap.loss == pytest.approx(-math.log(gap.p_truth))
        order = logits[gap.place].argsort(descending=True).tolist()
        assert gap.rank == order.index(true) + 1
    assert [gap.loss for gap in fill_masks(with_head, TWO, truths=("", ""))] == [None, None]


def test_left_only_is_a_text_that_ends_at_the_gap(with_head: Path) -> None:
    """And differs from what both sides say."""
    ids = load_backbone("builtin").tokenizer.fast(TWO)["input_ids"]
    left, both = (fill_masks(with_head, TWO, 8, left_only=side) for side in (True, False))
    for gap in left:
        p = library_logits(with_head, ids[: gap.place + 1])[-1].softmax(-1).topk(8)
        assert [chance for _, chance in gap.words] == pytest.approx(p.values.tolist(), rel=1e-3)
    assert left[0].words != both[0].words
    [last] = fill_masks(with_head, "It was [MASK]", 3, left_only=True)
    assert last.place == 3


def test_hidden_words_are_filled_in_piece_by_piece(with_head: Path) -> None:
    text = "An unwatchable film, alas."
    words = words_of(with_head, text)
    assert words == ["an", "unwatchable", "film", ",", "alas", "."]
    gaps = fill_hidden(with_head, text, [1, 2])
    pieces = load_backbone("builtin").tokenizer.fast.tokenize("unwatchable film")
    assert [gap.truth for gap in gaps] == pieces and len(pieces) > 2
    [film] = fill_hidden(with_head, text, [2])
    typed = fill_masks(with_head, "An unwatchable [MASK], alas.", truths=["film"])
    assert typed == [film]


def test_an_unknown_sign_has_no_loss(with_head: Path) -> None:
    text = "I \u2603 this"
    assert words_of(with_head, text) == ["i", "[UNK]", "this"]
    [gap] = fill_hidden(with_head, text, [1])
    assert gap.unknown and gap.loss is None and gap.rank is None and len(gap.words) == 10
    [typed] = fill_masks(with_head, "I [MASK] this", truths=["\u2603"])
    assert typed.unknown


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no [MASK]"),
        ("no hidden word", "no [MASK]"),
        ("[MASK] and [MASK]", "has 2 [MASK]"),
        ("[MASK] " * 20, "has 20 [MASK]"),
        ("word " * 80 + "[MASK]", "cut off"),
    ],
)
def test_a_sentence_without_one_hidden_word_is_refused(
    with_head: Path, text: str, said: str
) -> None:
    with pytest.raises(BadInput) as refused:
        fill_mask(with_head, text)
    assert said in str(refused.value)


def test_masks_and_truths_that_cannot_be_are_refused(with_head: Path) -> None:
    assert len(fill_masks(with_head, "[MASK] " * MOST_MASKED)) == MOST_MASKED
    assert len(fill_masks(with_head, "so [mask]")) == 1
    with pytest.raises(BadInput, match="at most 12"):
        fill_masks(with_head, "[MASK] " * (MOST_MASKED + 1))
    with pytest.raises(BadInput, match="2 true words were given for 1"):
        fill_masks(with_head, "a [MASK]", truths=("b", "c"))
    with pytest.raises(BadInput, match="is 3 word pieces: un ##watch"):
        fill_masks(with_head, "a [MASK]", truths=("unwatchable",))
    with pytest.raises(BadInput, match="No word is hidden"):
        fill_hidden(with_head, "a film", [])
    with pytest.raises(BadInput, match="No word is hidden"):
        fill_hidden(with_head, "a film", [7])


def test_the_built_in_encoder_fills_in_with_the_heads_that_were_trained_here(
    shipped: Path, lab: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from bertsent.models.language_model_head import load_language_model

    monkeypatch.setattr(module, "SHIPPED_WORDS", shipped)
    assert (
        folder_with_language_model_head("backbone")
        == folder_with_language_model_head("builtin")
        == shipped
    )
    fast = load_backbone("builtin").tokenizer.fast
    model = load_language_model(shipped)
    with torch.no_grad():
        logits = model.word_logits(model.hidden(**fast(TWO, return_tensors="pt")))[0]
    for gap in fill_masks(shipped, TWO, 4):
        p = logits[gap.place].softmax(-1).topk(4)
        assert [chance for _, chance in gap.words] == pytest.approx(p.values.tolist(), rel=1e-4)
    monkeypatch.setattr(module, "SHIPPED_WORDS", tmp_path / "nothing")
    assert (
        folder_with_language_model_head("backbone") is None
        and folder_with_language_model_head("builtin") is None
        and folder_with_language_model_head("nobody-here") is None
    )


def test_who_can_fill_in_and_who_cannot(
    with_head: Path, lab: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_pretrained", lambda name: with_head)
    assert folder_with_language_model_head("a-run") == with_head


@pytest.mark.parametrize("backbone", ["tiny", "builtin"])
def test_a_run_is_asked_by_the_backbone_it_began_with(
    lab: Path, with_head: Path, shipped: Path, backbone: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from types import SimpleNamespace

    model = str(with_head) if backbone == "tiny" else backbone
    run = SimpleNamespace(config=SimpleNamespace(model=model))
    monkeypatch.setattr(
        module,
        "find_model",
        lambda name, folders: SimpleNamespace(run="otter", folder=Path("gone"), head=""),
    )
    monkeypatch.setattr(module, "find_run", lambda name: run)
    monkeypatch.setattr(module, "SHIPPED_WORDS", shipped)
    assert folder_with_language_model_head("otter/step-3") == (
        with_head if backbone == "tiny" else shipped
    )  # the checkpoint itself holds no such head
