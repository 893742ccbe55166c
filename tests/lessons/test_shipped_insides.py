"""What the lessons that ship say of the inside of the model that ships, and of whole sets of
reviews, is computed here.
"""

import numpy as np
import pytest

import bertsent
from bertsent.data.examples import Reviews
from bertsent.data.sources import load_reviews
from bertsent.probing.attribution.attributions import (
    ATTENTION,
    LEAVE_ONE_OUT,
    attribute_review,
    kendall_taus,
    largest_word,
)
from bertsent.probing.baselines.shipped import others_say
from bertsent.probing.forward_pass.adamw_step import RATES, FirstStep
from bertsent.probing.forward_pass.input_variants import padded_answers
from bertsent.probing.forward_pass.model_inputs import model_inputs
from bertsent.probing.forward_pass.own_step import own_logits_after_step
from bertsent.probing.heads.attention_maps import AttentionMaps
from bertsent.probing.heads.head_ablation import probabilities_without
from bertsent.probing.layer_probes import logit_lens
from bertsent.probing.loaded_model import LoadedModel, probabilities_of
from bertsent.space.clustering import kmeans
from bertsent.space.keywords import keywords
from bertsent.ui.map.review_sample import ORDINARY_FILE, draw
from tests.lessons.shipped import right

PUZZLE = "Great, another boring movie"
NEGATED = "This is not a bad film"
LONGER = "Blew my mind how bad it was. What a waste of two hours."
Answers = tuple[float, float]  # of a set: mean confidence and share of right answers


@pytest.fixture(scope="module")
def model() -> LoadedModel:
    return bertsent.load("builtin")


@pytest.fixture(scope="module")
def looks(model: LoadedModel) -> AttentionMaps:
    return model.attend(PUZZLE)


def test_a_negation_fools_the_simpler_classifiers_and_not_bert(model: LoadedModel) -> None:
    answers = others_say(NEGATED)
    assert all(answer.p_positive < 0.5 for answer in answers)
    assert "not bad +" in answers[1].note and answers[1].note.startswith("bad −")
    assert model.predict([NEGATED])[0].p_positive > 0.5


def test_pieces_mask_and_padding_are_as_the_lesson_says(model: LoadedModel) -> None:
    pieces = model.tokens("unhappiness").pieces[1:-1]
    assert right("inside-a-bert", "From letters to pieces") == f"Four: {', '.join(pieces)}"
    paris = model.tokens("I love Paris")
    mask = [1] * len(paris) + [0] * (7 - len(paris))
    assert right("inside-a-bert", "Padding and mask") == ", ".join(map(str, mask))
    assert list(paris.ids) == [101, 1045, 2293, 3000, 102]
    alone, masked, unmasked = padded_answers(model, PUZZLE, LONGER).variants
    assert masked.p_positive == pytest.approx(alone.p_positive, abs=1e-6)
    assert abs(unmasked.p_positive - alone.p_positive) > 1e-3


def test_the_same_piece_at_two_places_has_two_input_vectors(model: LoadedModel) -> None:
    ids = model.tokens("A good, good film").ids
    first, second = (place for place, each in enumerate(ids) if ids.count(each) == 2)
    tables = model.model.bert.embeddings
    places = tables.position_embeddings.weight.detach().numpy()
    assert ids[first] == ids[second] and not np.allclose(places[first], places[second])


def test_the_answer_is_on_its_side_after_a_late_layer(model: LoadedModel) -> None:
    early = logit_lens(model, PUZZLE).early
    assert (np.abs(early[1:5] - 0.5) < 0.1).all()
    layer = next(place for place in range(len(early)) if (early[place:] < 0.4).all())
    assert layer in (5, 6)
    assert right("inside-a-bert", "Layer after layer") == "After layer 5 or 6"
    error = f"−{early[-1]:.2f}"  # NEGATIVE is true and got the rest of 1
    assert right("inside-a-bert", "The way back") == error


def test_a_rate_in_between_convinces_the_model_most(model: LoadedModel) -> None:
    inputs = model_inputs(model, PUZZLE)
    after = {}
    for rate in RATES:
        logits = own_logits_after_step(model, inputs, 1, FirstStep(rate), "everything")
        assert logits is not None
        after[rate] = float(probabilities_of(logits)[1])
    asked = {0.0000001, 0.001, 0.01}
    most = max(asked, key=after.__getitem__)
    assert right("watch-it-learn", "One step, eight learning rates").startswith(f"{most:g},")


def test_attention_and_leaving_out_agree_on_one_word_alone(model: LoadedModel) -> None:
    found = attribute_review(model, PUZZLE)
    table = found.table(found.attention.of())
    tau = kendall_taus(table)[ATTENTION, LEAVE_ONE_OUT]
    assert tau is not None and tau < 0.01
    assert largest_word(table, ATTENTION) == largest_word(table, LEAVE_ONE_OUT) == "boring"
    assert "other way round" in right("what-can-go-wrong", "Do the explanations agree?")


def test_the_head_that_looks_at_boring_hardly_matters(
    model: LoadedModel, looks: AttentionMaps
) -> None:
    movie, boring = (looks.tokens.index(word) for word in ("movie", "boring"))
    assert looks.weights[5, 9, movie, boring] > 0.75
    before = model.predict([PUZZLE])[0].p_positive
    without = float(probabilities_without(model, PUZZLE, [[(5, 9)]])[0])
    assert abs(without - before) == pytest.approx(0.02, abs=0.01) and without < 0.5
    assert "stays negative" in right("what-can-go-wrong", "Silence the head that looks")


def test_one_word_changes_sides_with_its_sentence(model: LoadedModel) -> None:
    texts = ["A film with a French actor", "The lead is played by a French actor"]
    first, second = (each.p_positive for each in model.predict(texts))
    assert second < 0.5 < first


def answered(model: LoadedModel, reviews: Reviews) -> Answers:
    found = np.array([each.p_positive for each in model.predict(reviews.texts)])
    sure = np.maximum(found, 1 - found)
    return float(sure.mean()), float(((found > 0.5) == np.array(reviews.labels)).mean())


@pytest.mark.slow
def test_confidence_and_accuracy_of_each_set_are_as_the_lesson_says(model: LoadedModel) -> None:
    builtin = load_reviews("builtin")
    ordinary, hard, whole = (
        answered(model, draw(reviews, 400))
        for reviews in (
            load_reviews(ORDINARY_FILE, contrastive=False),
            builtin.where([each.split == "test" for each in builtin]),
            builtin,
        )
    )
    assert ordinary[1] > ordinary[0] + 0.01
    assert "more often right" in right("what-can-go-wrong", "Is ninety per cent nine in ten?")
    assert hard[0] - hard[1] == pytest.approx(0.09, abs=0.02)
    assert "more sure than right" in right("what-can-go-wrong", "And on hard reviews?")
    assert ordinary[1] - hard[1] > 1.5 * (ordinary[0] - hard[0])
    assert hard[1] == pytest.approx(0.76, abs=0.02) and 0.85 < whole[1] < 0.9
    learned = np.mean([each.split == "train" for each in builtin])
    assert learned == pytest.approx(0.75, abs=0.03)


@pytest.mark.slow
def test_two_frequent_words_are_in_both_lists_and_typical_of_one(model: LoadedModel) -> None:
    reviews = draw(load_reviews(ORDINARY_FILE, contrastive=False), 400)
    table = keywords(reviews.texts, kmeans(model.embed(reviews.texts), 2).ids)
    lists = {
        by: [set(group.nlargest(12, by)["word"]) for _, group in table.groupby("cluster")]
        for by in ("count", "z")
    }
    assert {"story", "people"} <= set.intersection(*lists["count"])
    assert not set.intersection(*lists["z"])
