"""Aspects: found by rules, asked one after the other, and where they look, worked out again with
transformers' own attention.
"""

import numpy as np
import pandas as pd
import pytest
import torch
from transformers import BertModel, BertTokenizer

from bertsent.errors import BadInput
from bertsent.models.backbone import builtin_folder
from bertsent.probing.loaded_model import load_head
from bertsent.probing.tasks.aspect_finder import SENTENCES, find_aspects, may_be_asked
from bertsent.probing.tasks.aspects import (
    answer_aspects,
    aspect_table,
    aspects_sentence,
    marked_aspects,
    read_aspect,
)
from bertsent.tasks.catalogue import ASPECTS, FIVE_STEPS, PARAPHRASE
from bertsent.tasks.questions import asks_of_aspects

SENTENCE = "The phone camera is excellent but battery life is terrible."


@pytest.fixture(scope="module")
def model(heads_folder):
    return load_head(heads_folder, "aspects")


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        (SENTENCE, ["phone camera", "battery life"]),
        ("It is what it is.", []),
        ("THE SOUP WAS COLD", ["SOUP"]),
        ("Slow, cold, the zorb flinger seems broken.", ["zorb flinger"]),
        ("Quite suddenly, fully charged zorbs worked.", ["charged zorbs"]),
        ("<b>$$x$$ 1234 😀", []),
        ("", []),
    ],
)
def test_the_rules_find_names(sentence, found) -> None:
    spans = find_aspects(sentence)
    assert [span.text for span in spans] == found
    assert all(sentence[span.start : span.end] == span.text for span in spans)


def test_how_often_the_rules_are_right() -> None:
    """The figures of the help text: on the sentences kept for testing."""
    rows = pd.read_csv(SENTENCES).query("split == 'test'")
    hits = found_in_all = 0
    for text, part in rows.groupby("text"):
        found = {span.text.lower() for span in find_aspects(text)}
        hits += len(found & set(part["aspect"].str.lower()))
        found_in_all += len(found)
    assert (len(rows), round(hits / len(rows), 2), round(hits / found_in_all, 2)) == (
        150,
        0.62,
        0.69,
    )


def test_each_aspect_is_asked_of_the_whole_sentence(model) -> None:
    answers = answer_aspects(model, SENTENCE, ["phone camera", "battery life"])
    for answer in answers:
        alone = model.answers([(answer.aspect, SENTENCE)])[0]
        np.testing.assert_allclose(answer.probabilities, alone, atol=1e-5)
        assert answer.label == ASPECTS.labels[int(np.argmax(alone))]
    assert list(aspect_table(answers)) == ["aspect", *ASPECTS.labels]
    assert all(answer.aspect in aspects_sentence(answers) for answer in answers)


@pytest.mark.parametrize("aspect", ["zoom", "", "  "])
def test_an_aspect_that_is_not_in_the_sentence_is_refused(model, aspect) -> None:
    with pytest.raises(BadInput, match="not in the sentence"):
        answer_aspects(model, SENTENCE, [aspect])


def test_where_it_looks_is_the_library_s_attention(model) -> None:
    """The folder's layers are those of the backbone, to half precision."""
    bert = BertModel.from_pretrained(
        builtin_folder(), add_pooling_layer=False, attn_implementation="eager"
    ).eval()
    tokenizer = BertTokenizer.from_pretrained(builtin_folder())
    inputs = tokenizer("battery life", SENTENCE, return_tensors="pt")
    with torch.inference_mode():
        layers = bert(**inputs, output_attentions=True).attentions
    weights = torch.cat(layers).mean((0, 1))
    pieces = tokenizer.convert_ids_to_tokens(inputs["input_ids"][0])
    first = pieces.index("[SEP]")
    given = weights[1:first].mean(0)[first + 1 : -1]
    found = read_aspect(model, SENTENCE, "battery life")
    assert list(found.inputs.pieces) == pieces
    assert list(found.inputs.segments) == inputs["token_type_ids"][0].tolist()
    np.testing.assert_allclose(found.shares[first + 1 : -1], given / given.sum(), atol=2e-3)
    assert sum(found.shares[: first + 1]) == 0 and sum(found.shares) == pytest.approx(1)
    assert [word for word, _ in found.words][:3] == ["The", "phone", "camera"]
    assert sum(share for _, share in found.words) == pytest.approx(1)
    assert "“battery”" not in found.sentence("battery life")


def test_each_aspect_is_marked_once_where_it_stands(model) -> None:
    answers = answer_aspects(model, SENTENCE, ["camera", "phone camera", "battery life"])
    parts = marked_aspects(SENTENCE, answers)
    assert "".join(text for text, _ in parts) == SENTENCE
    assert [text for text, answer in parts if answer] == ["phone camera", "battery life"]
    twice = answer_aspects(model, "Camera or camera", ["camera"])
    assert [bool(answer) for _, answer in marked_aspects("Camera or camera", twice)] == [
        True,
        False,
    ]


def test_a_long_sentence_is_cut_and_still_read(model) -> None:
    long = SENTENCE + " And so on and on." * 40
    found = read_aspect(model, long, "camera")
    assert len(found.inputs) == model.max_length and sum(found.shares) == pytest.approx(1)


def test_what_may_be_clicked() -> None:
    assert may_be_asked("camera") and not any(map(may_be_asked, ("The", "it", "isn’t")))
    assert asks_of_aspects(ASPECTS) and not any(map(asks_of_aspects, (FIVE_STEPS, PARAPHRASE)))
