import numpy as np
import pytest
from scipy.special import logit

from bertsent.probing.attribution.parts import TOKENS, attribute_parts

PUZZLE = "Great, another boring movie"


def test_a_word_adds_the_mean_of_what_it_adds_alone_and_to_the_rest(builtin) -> None:
    """Each number again, from the model's answers to the texts that a person would write."""
    found = attribute_parts(builtin, PUZZLE)
    assert [found.text_of(part) for part in range(5)] == [
        "Great",
        ",",
        "another",
        "boring",
        "movie",
    ]
    ids = builtin.tokenizer.ids

    def z(text: str) -> float:
        return float(logit(builtin.predict([text])[0].p_positive))

    empty = builtin.logits_of_ids([[ids([""], 8)[0][0], ids([""], 8)[0][-1]]])[0]
    alone = z("boring") - float(empty[1] - empty[0])
    to_the_rest = z(PUZZLE) - z("Great, another movie")
    assert found.added[3] == pytest.approx((alone + to_the_rest) / 2, abs=1e-3)


def test_the_puzzle_is_told(builtin) -> None:
    said = attribute_parts(builtin, PUZZLE).sentence()
    assert (
        "Without “boring” it would say POSITIVE" in said and "“Great” alone says POSITIVE" in said
    )


def test_where_no_word_turns_the_answer_the_one_that_adds_most_is_named(builtin) -> None:
    found = attribute_parts(builtin, "A wonderful, moving masterpiece")
    most = found.text_of(int(found.added.argmax()))
    assert found.sentence().startswith(f"No single word turns the answer. “{most}” adds most")
    assert (found.p_without > 0.5).all()


def test_a_long_review_is_taken_in_stretches_within_the_budget(builtin, monkeypatch) -> None:
    text, asked = "the plot was thin but the cast was warm " * 30, []
    ask = type(builtin).logits_of_ids

    def counted(self, rows, **options):  # noqa: ANN001, ANN003, ANN202
        asked.append(sum(map(len, rows)))
        return ask(self, rows, **options)

    monkeypatch.setattr(type(builtin), "logits_of_ids", counted)
    found = attribute_parts(builtin, text)
    assert not found.by_words and len(found.spans) > 1
    assert sum(asked) < 2 * TOKENS
    words = [found.text_of(part) for part in range(len(found.spans))]
    assert "".join(words).replace(" ", "") == text.replace(" ", "")
    assert "stretch" in found.sentence() or "Without" in found.sentence()


@pytest.mark.parametrize("text", ["film", "🎬🎬", "<b>x</b> & y"])
def test_odd_reviews_are_answered_in_words(tiny, text: str) -> None:
    found = attribute_parts(tiny(), text)
    assert found.sentence() and np.isfinite(found.added).all()
    assert found.readable == (text != "🎬🎬")
    assert ("no known word" in found.title()) == (not found.readable)
