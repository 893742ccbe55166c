import math

import numpy as np
import pytest

from bertsent.errors import BadInput
from bertsent.space.keywords import (
    c_tf_idf,
    distinctive,
    keywords,
    log_odds,
    selection_sentence,
)

COUNTS = np.array([[8, 1, 3], [2, 9, 3]])


def test_log_odds_are_those_of_the_paper_worked_out_by_hand():
    """Monroe et al. 2008, equations 15, 16 and 22, the prior being all words together; the first
    word of the first group.
    """
    alpha, mass = 10, 26
    inside, outside = 8 + alpha, 2 + alpha
    delta = math.log(inside / (12 + mass - inside)) - math.log(outside / (14 + mass - outside))
    assert log_odds(COUNTS)[0, 0] == pytest.approx(delta / math.sqrt(1 / inside + 1 / outside))


def test_two_groups_mirror_each_other_and_an_even_word_is_near_zero():
    z = log_odds(COUNTS)
    assert np.allclose(z[0], -z[1]) and abs(z[0, 2]) < 0.3 < z[0, 0] and z[0, 1] < -0.3
    assert np.allclose(log_odds(np.array([[3, 4], [3, 4]])), 0)


def test_class_based_tf_idf_by_hand():
    assert c_tf_idf(COUNTS)[1, 1] == pytest.approx(9 / 14 * math.log(1 + 13 / 10))


def test_a_word_that_both_groups_use_leads_neither_by_log_odds():
    texts = [
        "good love love story",
        "good love warm",
        "good boring mess",
        "good boring boring waste waste",
        "warm waste",
    ]
    found = keywords(texts, np.array([0, 0, 1, 1, 1]))
    first = found[found["cluster"] == 0].iloc[0]
    assert (first["word"], first["count"]) == ("love", 3)
    assert found[found["cluster"] == 1].iloc[0]["word"] == "boring"
    assert "good" in set(found["word"]) and (found[found["word"] == "good"]["z"].abs() < 1).all()


def test_stop_words_markup_and_words_of_the_trade_are_left_out():
    texts = [
        "Great<br /><br />movie, don't miss it",
        "The film isn't great but you don&#39;t care to miss it",
    ]
    assert set(keywords(texts, np.array([0, 1]))["word"]) == {"great", "miss"}


def test_nothing_to_count_gives_an_empty_table_and_too_few_ids_are_refused():
    assert (
        keywords(["!!", "?"], np.array([0, 1])).empty
        and keywords(["one two", "three"], np.array([0, 1])).empty
    )
    with pytest.raises(BadInput):
        keywords(["one"], np.array([0, 1]))


def test_a_selection_at_random_has_no_words_of_its_own():
    """Any word with z above 0 was named: a lasso around chance told ten words from the rest."""
    random = np.random.default_rng(0)
    words = [f"word{chr(97 + i % 26)}{chr(97 + i // 26)}" for i in range(60)]
    texts = [" ".join(random.choice(words, 12)) for _ in range(200)]
    table = keywords(texts, (np.arange(200) % 4 == 0).astype(int))
    assert (table["z"] > 0).sum() > 40 and not len(distinctive(table))
    assert selection_sentence(table).startswith("No word is significantly")
    telling = [f"{text} gorgeous" if i % 4 == 0 else text for i, text in enumerate(texts)]
    found = keywords(telling, (np.arange(200) % 4 == 0).astype(int))
    assert distinctive(found)["word"].tolist() == ["gorgeous"]
    assert "more frequent in them: gorgeous." in selection_sentence(found)
