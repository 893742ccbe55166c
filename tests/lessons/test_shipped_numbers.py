"""What the lessons that ship say of published figures, of the data and of settings is worked out
here again.
"""

import numpy as np
import pytest
from scipy.stats import binom

from bertsent.data.paired_splits import HANDCRAFTED, TOY, TOY_TIMES, paired_splits
from bertsent.data.sources import load_reviews
from bertsent.data.splits import split
from bertsent.lessons.catalogue import SHIPPED_LESSONS
from bertsent.probing.checklist.builtin_suite import builtin_suite
from bertsent.space.similarity import cosine_similarities
from bertsent.statistics import majority_class_accuracy, wilson_interval
from bertsent.training.groups.grid import sample_splits
from bertsent.training.groups.published import PUBLISHED, TASKS, published_factorial
from tests.lessons.shipped import right


def says(lesson: str, *sentences: str) -> None:
    """The text of the lesson holds these sentences, wherever its lines end."""
    text = " ".join((SHIPPED_LESSONS / f"{lesson}.md").read_text(encoding="utf-8").split())
    for sentence in sentences:
        assert sentence in text, sentence


def test_the_reviews_of_a_run_are_as_many_as_the_lesson_says() -> None:
    splits = split(load_reviews("builtin"))
    labels = splits.validation.labels
    says("watch-it-learn", f"{len(splits.train):,} training reviews", f"{len(labels)} reviews")
    says("watch-it-learn", f"{labels.count(0)} of them are negative and {labels.count(1)} positive")
    says("watch-it-learn", f"{100 * majority_class_accuracy(labels):.1f} per cent")
    low, high = wilson_interval(0.65 * len(labels), len(labels))
    assert 3 <= 50 * (high - low) < 3.5  # “about three points either way”


def test_the_published_pair_is_read_off_rightly() -> None:
    without, given = PUBLISHED["without"].rows(), PUBLISHED["with"].rows()
    n = PUBLISHED["without"].validation_rows, PUBLISHED["with"].validation_rows
    assert right("does-contrast-data-help", "The claim") == str(n[0])
    ahead = 100 * (given["val_accuracy"][4] - without["val_accuracy"][4])
    assert f"About {ahead:.0f} point" == right("does-contrast-data-help", "One epoch earlier")
    right_in = (without["val_accuracy"] * n[0]).round()
    fell = {5: "five"}[int(right_in[4] - right_in[5])]
    says("watch-it-learn", f"from 0.92 to 0.54 is {fell} reviews")
    loss = without["val_loss"]
    assert right("watch-it-learn", "Which checkpoint to keep") == f"Epoch {loss.idxmin() + 1}"
    assert round(loss[5] / loss[4]) == 4 and without["accuracy"][5] == 1
    says("watch-it-learn", f"from {loss[4]:.3f} to {loss[5]:.3f}")
    assert "four times" in right("watch-it-learn", "The last epoch")
    assert without["loss"].idxmin() == 5
    for right_ones, total in ((7, 13), (14, 15)):
        low, high = wilson_interval(right_ones, total)
        says("does-contrast-data-help", f"{100 * low:.0f} to {100 * high:.0f}")


def test_thirteen_tosses_of_thirty_students_go_from_three_to_ten() -> None:
    two, three = (1 - (1 - binom.cdf(heads, 13, 0.5)) ** 30 for heads in (2, 3))
    assert two < 0.5 < 0.7 < three  # that one of thirty has so few; so many are as probable


def test_the_experiment_of_the_class_is_set_up_as_the_lesson_says() -> None:
    arms = paired_splits(TOY, HANDCRAFTED, TOY_TIMES)
    assert (len(arms.rows), arms.times, arms.share) == (8, 7, 0.5)
    assert arms.without.validation.texts == arms.having.validation.texts
    assert len(arms.without.validation) == 15 and f"{100 / 15:.1f}" == "6.7"


def test_main_effects_are_those_of_the_printed_table() -> None:
    table = published_factorial()
    means = {name: table.groupby(name)["mean"].mean() for name in ("CLS", "SW", "WL", "ED")}
    effects = {name: mean[True] - mean[False] for name, mean in means.items()}
    most = max(effects, key=lambda name: abs(effects[name]))
    assert right("one-model-three-tasks", "What matters most?").startswith(most)
    shared, weighted = means["SW"], means["WL"]
    says(
        "one-model-three-tasks",
        f"adds {effects['SW']:.3f}, from {shared[False]:.3f} to {shared[True]:.3f}",
        f"instead of the mean costs {-effects['CLS']:.3f}",
        f"{weighted[True]:.3f} with it, {weighted[False]:.3f} without",
    )


def test_sharing_helps_one_task_and_costs_the_other() -> None:
    table = published_factorial()
    assert len(table) == 16 and (table["mean"].round(3) == 0.725).sum() == 2
    by = table.groupby("SW")[list(TASKS)].mean()
    assert by.loc[True, "PARA"] < by.loc[False, "PARA"]
    assert by.loc[True, "STS"] > by.loc[False, "STS"]
    assert right("one-model-three-tasks", "Not for everybody") == "It makes it worse"
    for value in (by.loc[True, "PARA"], by.loc[False, "STS"], by.loc[True, "STS"]):
        says("one-model-three-tasks", f"{value:.3f}")
    assert abs(by.loc[False, "PARA"] - 0.8125) < 1e-9  # the lesson rounds it to even


def test_the_grid_has_as_many_reviews_as_the_lesson_says() -> None:
    splits = sample_splits(load_reviews("builtin"), 400)
    assert (len(splits.train), len(splits.validation)) == (400, 500)
    low, high = wilson_interval(275, 500)
    assert 4 <= 50 * (high - low) < 4.5  # “about four points to either side”


def test_the_scorecard_has_more_than_a_thousand_cases() -> None:
    assert len(builtin_suite().cases) > 1_000


def test_a_difference_of_vectors_changes_its_sign_and_a_cosine_does_not() -> None:
    u, v, w = np.random.default_rng(0).normal(size=(3, 16))
    assert w @ (u - v) == pytest.approx(-(w @ (v - u)))
    both = cosine_similarities(np.stack([u, v]))
    assert both[0, 1] == pytest.approx(both[1, 0])
    assert "sign" in right("one-model-three-tasks", "Swap the sentences")
