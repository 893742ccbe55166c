"""Whether a sentence follows: the probability is that of transformers' own class with the weights
of the file.
"""

from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from bertsent.errors import BadInput
from bertsent.models.backbone import load_backbone
from bertsent.models.folders import WEIGHTS
from bertsent.models.language_model_head import DELTA
from bertsent.probing.next_sentence import next_sentence, two_sentences

PAIR = ("I went to the store.", "They were closed.")


def test_the_probability_is_that_of_transformers(words_folder: Path) -> None:
    from transformers import BertForNextSentencePrediction

    backbone = load_backbone("builtin")
    state = {f"bert.{name}": value.clone() for name, value in backbone.model.state_dict().items()}
    for name, value in load_file(words_folder / WEIGHTS).items():
        if name.startswith(DELTA):
            state[f"bert.{name.removeprefix(DELTA)}"] += value.float()
        else:
            state[name] = value.float()
    theirs = BertForNextSentencePrediction(backbone.model.config).eval()
    assert not theirs.load_state_dict(state, strict=False).missing_keys
    batch = backbone.tokenizer.fast(*PAIR, return_tensors="pt")
    with torch.no_grad():
        p = theirs(**batch).logits.softmax(-1)[0, 0].item()
    found = next_sentence(words_folder, *PAIR)
    assert found.p_follows == pytest.approx(p, rel=1e-4)
    assert found.pieces.count("[SEP]") == 2 and found.pieces[0] == "[CLS]"
    assert next_sentence(words_folder, *PAIR[::-1]).p_follows != found.p_follows


@pytest.mark.parametrize(
    "typed", [PAIR, (" [SEP] ".join(PAIR), ""), ("[sep]".join(PAIR), "is not read")]
)
def test_two_boxes_or_one(typed: tuple[str, str]) -> None:
    assert two_sentences(*typed) == PAIR


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (("", " "), "no sentence"),
        (("One.", ""), "only one sentence"),
        (("[SEP] Two.", "x"), "only one sentence"),
        (("a [SEP] b [SEP] c", ""), "2 [SEP]"),
    ],
)
def test_what_is_no_pair_is_told(typed: tuple[str, str], said: str) -> None:
    with pytest.raises(BadInput) as refused:
        two_sentences(*typed)
    assert said in str(refused.value)
