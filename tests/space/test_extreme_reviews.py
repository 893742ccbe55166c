import numpy as np
import pytest

from bertsent.data.examples import Example, Reviews
from bertsent.errors import BadInput
from bertsent.space.extreme_reviews import confident_and_wrong, extremes, most_changed, undecided


def reviews(count):
    return Reviews(
        "r",
        tuple(
            Example(f"r{i:03}", f"Review {i}<br />" + "long " * 40, i % 2 if i else None)
            for i in range(count)
        ),
    )


def test_both_ends_are_the_sorted_scores():
    scores = np.random.default_rng(0).permutation(40) / 40
    top, bottom = extremes(reviews(40), scores)
    order = np.argsort(scores)
    assert top["id"].tolist() == [f"r{i:03}" for i in order[::-1][:5]] and bottom[
        "id"
    ].tolist() == [f"r{i:03}" for i in order[:5]]
    assert top["score"].is_monotonic_decreasing and bottom["score"].is_monotonic_increasing
    assert np.array_equal(top["score"], np.sort(scores)[::-1][:5])


def test_equal_scores_are_ordered_by_id():
    top, bottom = extremes(reviews(9).take([4, 2, 8, 0, 6, 1, 3, 5, 7]), np.full(9, 0.5), n=3)
    assert top["id"].tolist() == bottom["id"].tolist() == ["r000", "r001", "r002"]


def test_texts_are_short_and_whole_and_clean():
    top, _ = extremes(reviews(3), np.array([0.9, 0.5, 0.1]), n=5)
    assert (
        len(top) == 3 and top["text"].str.len().max() <= 75 and top["text"].str.endswith("…").all()
    )
    assert top["full_text"].str.len().min() > 150 and not top["full_text"].str.contains("<br").any()
    assert top["label"].tolist() == ["", "POSITIVE", "NEGATIVE"]


def test_scores_that_do_not_fit_are_refused():
    for bad in (np.zeros(2), np.zeros((3, 2)), np.array([0.1, np.nan, 0.2])):
        with pytest.raises(BadInput):
            extremes(reviews(3), bad)
    with pytest.raises(BadInput):
        extremes(reviews(3), np.zeros(3), n=0)
    assert [len(side) for side in extremes(reviews(0), np.zeros(0))] == [0, 0]


def test_wrong_answers_come_surest_first_and_unlabelled_reviews_are_never_wrong():
    scores = np.array([0.99, 0.2, 0.7, 0.45, 0.6, 0.05])  # labels None, 1, 0, 1, 0, 1
    wrong = confident_and_wrong(reviews(6), scores, n=9)
    assert wrong["id"].tolist() == ["r005", "r001", "r002", "r004", "r003"]
    assert confident_and_wrong(reviews(6), scores, n=2)["id"].tolist() == ["r005", "r001"]


def test_undecided_are_nearest_to_a_half_and_ties_go_by_id():
    assert undecided(reviews(6), np.array([0.9, 0.6, 0.4, 0.5, 0.1, 0.7]), n=3)["id"].tolist() == [
        "r003",
        "r001",
        "r002",
    ]


def test_most_changed_compares_both():
    before, after = np.array([0.5, 0.5, 0.9, 0.1]), np.array([0.5, 0.8, 0.1, 0.2])
    found = most_changed(reviews(4), before, after, n=2)
    assert found["id"].tolist() == ["r002", "r001"] and found["change"].tolist() == pytest.approx(
        [-0.8, 0.3]
    )
    assert found["score"].tolist() == [0.1, 0.8] and found["before"].tolist() == [0.9, 0.5]
