"""Several heads over one encoder: what is read is what was written, each head answers as plain
transformers does from the same file, and what is damaged says so.
"""

import json
import shutil

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from scipy.special import expit
from scipy.special import softmax as softmax_of
from transformers import BertModel, BertTokenizer

from bertsent.errors import BadCheckpoint, BadInput, NotAvailable
from bertsent.models.backbone import builtin_folder, load_backbone
from bertsent.models.checkpoint import load_checkpoint
from bertsent.models.export import export_head
from bertsent.models.folders import WEIGHTS
from bertsent.models.heads_card import CARD, HeadsCard
from bertsent.models.task_heads import load_heads, save_heads
from bertsent.probing.loaded_model import load_folder, load_head
from bertsent.tasks.catalogue import ASPECTS, FIVE_STEPS

SENTENCE = "The phone camera is excellent but battery life is terrible."
PAIRS = [("camera", SENTENCE), ("battery life", SENTENCE), ("sound", "No sound at all.")]


@pytest.fixture(scope="module")
def plain(heads_folder):
    """The library's own model and tokenizer with the layers and heads of the file."""
    bert = BertModel.from_pretrained(builtin_folder(), add_pooling_layer=False).eval()
    state = load_file(heads_folder / WEIGHTS)
    layers = {name[5:]: v.float() for name, v in state.items() if name.startswith("bert.")}
    assert not bert.load_state_dict(layers, strict=False).unexpected_keys
    tokenizer = BertTokenizer.from_pretrained(builtin_folder())

    @torch.inference_mode()
    def logits(head, *texts):
        read = tokenizer(*texts, truncation=True, max_length=64, return_tensors="pt")
        hidden = bert(**read).last_hidden_state.mean(1)
        weight, bias = (state[f"heads.{head}.{part}"] for part in ("weight", "bias"))
        return (hidden @ weight.T + bias)[0].numpy()

    return logits


@pytest.mark.parametrize("head", ["aspects", "paraphrase"])
def test_a_pair_is_read_as_transformers_reads_it(heads_folder, plain, head):
    answers = load_head(heads_folder, head).answers(PAIRS)
    expected = [softmax_of(plain(head, *pair)) for pair in PAIRS]
    np.testing.assert_allclose(answers, expected, atol=2e-5)


def test_single_texts_and_numbers_are_answered_as_transformers_does(heads_folder, plain):
    texts = [second for _, second in PAIRS]
    steps = load_head(heads_folder, "five-steps").answers([(text, "") for text in texts])
    np.testing.assert_allclose(
        steps, [softmax_of(plain("five-steps", text)) for text in texts], atol=2e-5
    )
    feelings = load_head(heads_folder, "feelings").answers([(text, "") for text in texts])
    np.testing.assert_allclose(
        feelings, [expit(plain("feelings", text)) for text in texts], atol=2e-5
    )
    alike = load_head(heads_folder, "similarity").answers(PAIRS)
    np.testing.assert_allclose(
        alike, [5 * expit(plain("similarity", *pair)[0]) for pair in PAIRS], atol=1e-4
    )


def test_all_heads_share_one_encoder_in_memory(heads_folder):
    heads = [load_head(heads_folder, name) for name in load_heads(heads_folder).models]
    assert len(heads) == 5 and len({id(head.model.bert) for head in heads}) == 1
    assert len({head.key for head in heads}) == 5


def test_what_is_damaged_says_so(heads_folder, tmp_path):
    folder = shutil.copytree(heads_folder, tmp_path / "tasks")
    card = json.loads((folder / CARD).read_text())
    for broken in ({"pooling": "median"}, {"format": 2}, {"heads": {"x": {"kind": "?"}}}):
        (folder / CARD).write_text(json.dumps({**card, **broken}))
        with pytest.raises(BadCheckpoint):
            load_heads(folder)
    extra = {"more": ASPECTS.to_dict() | {"name": "more"}}
    (folder / CARD).write_text(json.dumps({**card, "heads": {**card["heads"], **extra}}))
    with pytest.raises(BadCheckpoint, match="“more”"):
        load_heads(folder)
    (folder / CARD).write_text(json.dumps({**card, "sha256": "0" * 64}))
    with pytest.raises(BadCheckpoint, match="changed"):
        load_heads(folder)
    (folder / CARD).unlink()
    with pytest.raises(BadCheckpoint):
        load_heads(folder)


def test_it_is_no_checkpoint_of_one_task(heads_folder):
    with pytest.raises(BadCheckpoint, match="builtin/five-steps"):
        load_checkpoint(heads_folder)
    with pytest.raises(NotAvailable, match="five-steps"):
        load_head(heads_folder, "topics")


def test_only_what_fits_is_written(tmp_path):
    card, bert = HeadsCard({"five-steps": FIVE_STEPS}, "mean", 64), load_backbone("builtin").model
    with pytest.raises(BadInput, match="does not fit"):
        save_heads(tmp_path / "a", bert, {"five-steps": (torch.ones(2, 384), torch.ones(2))}, card)
    with torch.no_grad():
        bert.embeddings.word_embeddings.weight[7, 7] += 1
    with pytest.raises(BadInput, match="frozen"):
        save_heads(tmp_path / "a", bert, {"five-steps": (torch.ones(5, 384), torch.ones(5))}, card)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "head",
    [
        "similarity",
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("feelings", "aspects")),
    ],
)
def test_an_exported_head_is_read_by_the_pipeline(heads_folder, plain, tmp_path, head):
    from transformers import pipeline

    folder = export_head(heads_folder, head, tmp_path / head)
    asked = pipeline("text-classification", model=str(folder), trust_remote_code=True, top_k=None)
    own, pair = load_head(heads_folder, head), PAIRS[0]
    single = own.task.reads == "text"
    given = asked([pair[1]] if single else [{"text": pair[0], "text_pair": pair[1]}])[0]
    scores = {row["label"]: row["score"] for row in given}
    expected = own.answers([(pair[1], "") if single else pair])[0]
    np.testing.assert_allclose(
        [scores[name] for name in own.task.output_names], np.atleast_1d(expected), atol=1e-4
    )
    again = load_folder(folder).answers([(pair[1], "") if single else pair])[0]
    np.testing.assert_allclose(again, expected, atol=1e-4)
