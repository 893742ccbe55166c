"""What the lessons that ship call right “as shipped” is computed here with the model and the
classifiers that ship; what follows by arithmetic is worked out again.
"""

import math

import pytest

import bertsent
from bertsent.probing.baselines.shipped import others_say
from bertsent.statistics import mcnemar_test, wilson_interval
from tests.lessons.shipped import right

ASLEEP = "A great film, if you need to fall asleep"
SUPERHERO = "Great, another boring superhero movie"


@pytest.fixture(scope="module")
def positive() -> dict[str, float]:
    """P(positive) of the sentences that the lessons ask about, by the model that ships."""
    texts = [
        *("The film was good, not bad", "The film was bad, not good"),
        *("Absolutely incredible", "Somewhat good", ASLEEP, SUPERHERO),
        *("Great, another boring movie", "Great, another movie", "Great, boring movie"),
        *("another boring movie", "Great, another boring"),
        *("A film with a French actor", "A film with a deaf actor"),
        "A film with a left-handed actor",
    ]
    model = bertsent.load("builtin")
    return dict(zip(texts, (each.p_positive for each in model.predict(texts)), strict=True))


@pytest.mark.parametrize(
    ("text", "title"), [(SUPERHERO, "The complaint"), (ASLEEP, "A joke without a bad word")]
)
def test_as_many_simpler_classifiers_are_fooled_as_the_lesson_says(text: str, title: str) -> None:
    fooled = sum(answer.p_positive > 0.5 for answer in others_say(text))
    assert right("the-puzzle", title) == {0: "None", 4: "All four"}[fooled]


def test_the_order_of_words_changes_the_answer_and_not_that_of_a_counter(
    positive: dict[str, float],
) -> None:
    good, bad = "The film was good, not bad", "The film was bad, not good"
    counted = [others_say(text)[0].p_positive for text in (good, bad)]
    assert counted[0] == pytest.approx(counted[1], abs=1e-12)
    assert positive[bad] < 0.5 < positive[good]


def test_strong_and_weak_praise_are_about_equally_probable(positive: dict[str, float]) -> None:
    apart = 100 * abs(positive["Absolutely incredible"] - positive["Somewhat good"])
    assert apart < 5 and right("the-puzzle", "Strong and weak") == "Less than 5 points"


def test_boring_is_the_word_that_decides(positive: dict[str, float]) -> None:
    whole = positive["Great, another boring movie"]
    without = {
        "Great": positive["another boring movie"],
        "another": positive["Great, boring movie"],
        "boring": positive["Great, another movie"],
        "movie": positive["Great, another boring"],
    }
    most = max(without, key=lambda word: abs(without[word] - whole))
    assert most == right("the-puzzle", "Which word decides")


def test_a_word_for_a_person_turns_the_answer_and_so_does_a_control(
    positive: dict[str, float],
) -> None:
    assert positive["A film with a deaf actor"] < 0.5 < positive["A film with a French actor"]
    assert positive["A film with a left-handed actor"] < 0.5
    assert "one positive" in right("what-can-go-wrong", "One word for a person")


def test_the_arithmetic_of_the_lessons_is_right() -> None:
    score = 0.8 * 0.7 + 0.2 * 0.3 + (-0.1) * 0.1
    assert f"{score:.2f}" == right("inside-a-bert", "One attention score by hand")
    assert f"{7 * 7 * 6 * 12:,}" == right("inside-a-bert", "All heads at once")
    assert f"{math.log(0.1) / math.log(0.9):.0f}" in right("inside-a-bert", "What a mistake costs")
    assert f"{-math.log(0.5):.2f}" in right("watch-it-learn", "What guessing costs")
    assert right("watch-it-learn", "Four stages") == str(384 * 2 + 2)
    words = [set(f"a {animal} is drinking milk".split()) for animal in ("cat", "kitten")]
    overlap = f"{len(words[0] & words[1])}/{len(words[0] | words[1])}"
    assert overlap == right("one-model-three-tasks", "Overlap by hand")


def test_the_statistics_of_the_lessons_are_right() -> None:
    low, high = wilson_interval(12, 13)
    said = right("does-contrast-data-help", "How sure are twelve of thirteen?")
    assert said == f"{100 * low:.0f} to {100 * high:.0f} per cent"
    least = next(n for n in range(1, 13) if mcnemar_test([False] * n, [True] * n) <= 0.05)
    assert least == 6
    assert right("does-contrast-data-help", "What twelve sentences can show") == "Six"
