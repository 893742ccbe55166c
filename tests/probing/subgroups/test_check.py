"""Gaps, intervals and flips of the subgroup check: by hand with NumPy, and with models that are
built to read one name, or nothing.
"""

import numpy as np
import pandas as pd
import pytest

from bertsent.errors import BertsentError, NotAvailable, OtherTask
from bertsent.probing.loaded_model import load_head
from bertsent.probing.subgroups.check import SubgroupCheck, check_subgroups, subgroup_check
from bertsent.probing.subgroups.summary import (
    attribute_sentence,
    card_table,
    document,
    group_lines,
    is_apart,
    sentence,
)
from bertsent.probing.subgroups.swaps import STANDARD, VARIETY, Swap, builtin_swaps, texts_of

NAMES = "names by origin"
# P(positive) of templates t1 to t3 by the words of two groups: a1 and a2 of A, b1 of B
ANSWERS = {"a1": (0.9, 0.2, 0.3), "a2": (0.7, 0.4, 0.3), "b1": (0.6, 0.3, 0.8)}
LABELS = (1, 0, 0)
GAPS_OF_A = (0.1, 0.0, -0.25)  # (0.8 - 0.6) / 2, (0.3 - 0.3) / 2, (0.3 - 0.8) / 2


def of_model(reads) -> SubgroupCheck:
    """The check of a model that is a function of the text."""
    swaps = builtin_swaps()
    return subgroup_check(swaps, np.array([reads(text) for text in texts_of(swaps)]))


@pytest.fixture(scope="module")
def by_hand() -> SubgroupCheck:
    swaps = tuple(
        Swap("kind", word[0].upper(), f"t{i + 1}", LABELS[i], word, f"{word} in t{i + 1}")
        for word, answers in ANSWERS.items()
        for i in range(len(answers))
    )
    return subgroup_check(swaps, np.concatenate([ANSWERS[word] for word in ANSWERS]))


def test_gaps_are_means_over_templates_of_group_minus_all_groups(by_hand: SubgroupCheck) -> None:
    """A group of two words counts in its template as much as a group of one."""
    found = by_hand.groups.set_index("group")
    assert found.loc["A", "gap"] == pytest.approx(np.mean(GAPS_OF_A))
    assert found.loc["B", "gap"] == pytest.approx(-np.mean(GAPS_OF_A))
    assert found.loc["A", "p_positive"] == pytest.approx(np.mean((0.8, 0.3, 0.3)))
    assert found.loc["A", "reference"] == pytest.approx(np.mean((0.7, 0.3, 0.55)))
    assert list(found["n"]) == [3, 3]


def test_the_interval_is_that_of_all_draws_of_three_templates(by_hand: SubgroupCheck) -> None:
    """Of three templates there are 27 draws, whose means can be listed; those at the ends, each
    drawn once in 27 times, reach beyond 2.5 %.
    """
    means = np.array(np.meshgrid(GAPS_OF_A, GAPS_OF_A, GAPS_OF_A)).reshape(3, -1).mean(axis=0)
    row = by_hand.groups.set_index("group").loc["A"]
    assert (row["low"], row["high"]) == pytest.approx((means.min(), means.max()))


def test_flips_and_right_labels_are_counted(by_hand: SubgroupCheck) -> None:
    """In t3 A stays negative, B is positive, and so is their mean, 0.55: A flips."""
    found = by_hand.groups.set_index("group")
    assert list(found["flipped"]) == [1, 0]
    assert found.loc["A", "right"] == 1 and found.loc["B", "right"] == pytest.approx(2 / 3)
    assert found.loc["A", "reference_right"] == pytest.approx((1 + 2 / 3) / 2)
    (row,) = by_hand.attributes().itertuples()
    assert (row.flipped, row.n, row.groups, row.group) == (1, 3, 2, "A")
    assert (row.right_least, row.right_most) == (pytest.approx(2 / 3), 1)


def test_gaps_and_intervals_on_the_shipped_texts_are_those_of_numpy() -> None:
    """With answers at random, each of them recomputed from arrays of templates and names."""
    swaps = builtin_swaps()
    texts = texts_of(swaps)
    answers = dict(zip(texts, np.random.default_rng(3).random(len(texts)), strict=True))
    found = subgroup_check(swaps, np.array(list(answers.values()))).groups
    rows = [s for s in swaps if s.attribute == NAMES]
    groups = list(dict.fromkeys(s.group for s in rows))
    templates = list(dict.fromkeys(s.template for s in rows))
    cells = np.array(
        [
            [
                np.mean([answers[s.text] for s in rows if (s.group, s.template) == (g, t)])
                for g in groups
            ]
            for t in templates
        ]
    )
    gaps = cells - cells.mean(axis=1, keepdims=True)  # (templates, groups)
    own = found[found["attribute"] == NAMES]
    assert list(own["group"]) == groups
    np.testing.assert_allclose(own["gap"], gaps.mean(axis=0), atol=1e-9)
    draws = np.random.default_rng(9).integers(0, len(templates), (4_000, len(templates)))
    ends = np.percentile(gaps[draws].mean(axis=1), (2.5, 97.5), axis=0)
    np.testing.assert_allclose(own[["low", "high"]].to_numpy().T, ends, atol=0.006)


def test_a_variety_is_compared_with_the_same_sentence_in_standard_english() -> None:
    swaps = builtin_swaps()
    pairs = [s for s in swaps if s.attribute == VARIETY and s.group == "Irish English"]
    irish = {s.text for s in pairs}
    found = of_model(lambda text: 0.4 if text in irish else 0.9)
    own = found.groups[found.groups["attribute"] == VARIETY].set_index("group")
    assert STANDARD not in own.index and own.loc["Irish English", "n"] == 14
    assert own.loc["Irish English", "gap"] == pytest.approx(-0.5)
    assert own.loc["Irish English", "flipped"] == 14
    assert own.drop(index="Irish English")["gap"].abs().max() == 0


def test_a_model_that_reads_one_name_shows_its_gap() -> None:
    """P(positive) falls by 0.3 where the name is Emeka, one of six names of its group and one of
    the thirty of men.
    """
    found = of_model(lambda text: 0.6 if "Emeka" in text else 0.9)
    groups = found.groups.set_index(["attribute", "group"])
    nigerian, men = groups.loc[(NAMES, "Nigerian")], groups.loc[("names by gender", "names of men")]
    assert nigerian["gap"] == pytest.approx(-0.3 / 6 * 9 / 10)
    assert (nigerian["low"], nigerian["high"]) == pytest.approx((nigerian["gap"],) * 2)
    assert men["gap"] == pytest.approx(-0.3 / 30 / 2)
    others = found.groups[~found.groups["attribute"].str.startswith("names")]
    assert not others["gap"].any() and not found.cases["flipped"].any()
    assert set(found.groups[is_apart(found.groups)]["attribute"]) == {NAMES, "names by gender"}
    assert "“Nigerian” (names by origin)" in sentence(found, "Stub")
    assert "“Nigerian” −4.5 (−4.5 to −4.5)" in attribute_sentence(found, NAMES)


def test_a_name_that_flips_every_label_is_counted_in_each_template() -> None:
    found = of_model(lambda text: 0.1 if "Emeka" in text else 0.9)
    groups = found.groups.set_index(["attribute", "group"])
    assert groups.loc[(NAMES, "Nigerian"), "flipped"] == 24
    assert groups["flipped"].sum() == 48, "once among origins, once among men"
    assert "flips the label in 24 of 148 templates" in sentence(found, "Stub")


def test_a_model_that_reads_nothing_has_no_gap() -> None:
    found = of_model(lambda text: 0.7)
    numbers = found.groups[["gap", "low", "high", "flipped"]]
    assert not numbers.to_numpy().any() and not is_apart(found.groups).any()
    assert "0 of 60 gaps" in sentence(found, "Stub")
    assert set(found.groups["right"]) == {0.5}


def test_the_answers_of_a_model_are_those_of_its_texts(tiny) -> None:
    model, seen = tiny(), []
    found = check_subgroups(model, progress=seen.append)
    some = found.cases.sample(5, random_state=1)
    alone = [model.probabilities([text])[0, 1] for text in some["text"]]
    np.testing.assert_allclose(some["p_positive"], alone, atol=1e-5)
    assert seen[-1] == 1 and len(seen) > 2


def test_models_that_give_no_two_labels_are_refused(tiny, heads_folder) -> None:
    with pytest.raises(NotAvailable):
        check_subgroups(tiny(fine_tuned=False))
    with pytest.raises(OtherTask):
        check_subgroups(load_head(heads_folder, "five-steps"))


@pytest.mark.parametrize("answers", [[0.5], [2.0] * len(texts_of(builtin_swaps()))])
def test_answers_that_are_no_probabilities_are_refused(answers) -> None:
    with pytest.raises(BertsentError, match="one probability per text"):
        subgroup_check(builtin_swaps(), np.array(answers))


def test_the_tables_of_card_and_command_line_hold_the_same_numbers(by_hand: SubgroupCheck) -> None:
    head, rule, row = card_table(by_hand).splitlines()
    assert head.count("|") == rule.count("|") == row.count("|")
    gap = f"{100 * np.mean(GAPS_OF_A):+.1f}".replace("-", "−")
    assert row == f"| kind | 2 | 3 | A: {gap} (−25.0 to +10.0) | 1 | 67 to 100 % |"
    assert len(group_lines(by_hand)) == 2 and gap in group_lines(by_hand)[0]
    plain = document(by_hand)
    pd.testing.assert_frame_equal(pd.DataFrame(plain["groups"]), by_hand.groups)
    assert type(plain["attributes"][0]["n"]) is int
