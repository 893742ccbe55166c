"""Two words in place of a label: the probability is the softmax of their two logits, review by
review, and no label is looked at.
"""

from pathlib import Path

import numpy as np
import pytest
import torch

from bertsent.errors import BadInput
from bertsent.models.backbone import load_backbone
from bertsent.models.language_model_head import load_language_model
from bertsent.probing.fill_mask import fill_masks
from bertsent.probing.zero_shot import MOST_TOKENS, Prompt, ZeroShot, zero_shot

TEXTS = ["A fine warm film.", "Dull.", "word " * 400]


def test_p_is_the_softmax_of_two_logits(words_folder: Path) -> None:
    """The one of transformers' tokenizer and the whole vocabulary; also in a batch with others."""
    found = zero_shot(words_folder, TEXTS)
    tokenizer, model = load_backbone("builtin").tokenizer, load_language_model(words_folder)
    ids = tokenizer.fast.convert_tokens_to_ids(["great", "terrible"])
    for text, p in zip([*TEXTS[:2], ""], [*found.p_positive[:2], found.bare], strict=True):
        batch = tokenizer.fast(f"{text} This film was [MASK].", return_tensors="pt")
        place = batch["input_ids"][0].tolist().index(tokenizer.fast.mask_token_id)
        with torch.no_grad():
            logits = model.word_logits(model.hidden(**batch))[0, place, ids]
        assert p == pytest.approx(logits.softmax(-1)[0].item(), rel=1e-4)
    assert len(found.p_positive) == 3 and np.isfinite(found.p_positive).all()


def test_it_agrees_with_the_words_of_the_gap(words_folder: Path) -> None:
    prompt = Prompt("It was [mask]!", "fun", "dull")
    [p] = zero_shot(words_folder, ["We saw it."], prompt).p_positive
    chances = [
        fill_masks(words_folder, "We saw it. It was [MASK]!", truths=[word])[0].p_truth
        for word in ("fun", "dull")
    ]
    assert p == pytest.approx(chances[0] / sum(chances), rel=1e-4)


def test_a_threshold_decides() -> None:
    shot = ZeroShot(np.array([0.9, 0.6, 0.2, 0.7]), bare=0.65)
    assert shot.right([1, 0, 0, 0], 0.5).tolist() == [True, False, True, False]
    assert shot.right([1, 0, 0, 0], shot.bare).tolist() == [True, True, True, False]


@pytest.mark.parametrize(
    ("prompt", "said"),
    [
        (Prompt("No gap here."), "has no [MASK]"),
        (Prompt("[MASK] or [MASK]"), "1 true words were given for 2"),
        (Prompt(good=" "), "word is missing"),
        (Prompt(good="unwatchable"), "word pieces"),
        (Prompt(bad="\u2603"), "not in the vocabulary"),
        (Prompt(good="fine", bad="Fine"), "same"),
        (Prompt("so " * MOST_TOKENS + "[MASK]"), "too long"),
    ],
)
def test_a_question_that_cannot_be_asked_is_told(
    words_folder: Path, prompt: Prompt, said: str
) -> None:
    with pytest.raises(BadInput) as refused:
        zero_shot(words_folder, ["A film."], prompt)
    assert said in str(refused.value)
