"""The restaurant sentences of this project keep what their README promises."""

from collections import Counter

import pytest

from bertsent.recipe.task_sets import own_restaurants, own_tests
from bertsent.tasks.catalogue import ASPECTS


@pytest.fixture(scope="module")
def rows():
    return own_restaurants()


def test_each_aspect_stands_in_its_sentence_and_once(rows) -> None:
    counts = Counter((each.text, each.second) for each in rows)
    assert max(counts.values()) == 1
    assert all(each.second in each.text and each.second.strip() for each in rows)


def test_there_are_as_many_as_is_said_with_no_label_rare(rows) -> None:
    assert len(rows) == 18_482 and len({each.text for each in rows}) == 9_206
    shares = Counter(ASPECTS.labels[label] for label in rows.targets)
    assert all(count > 0.2 * len(rows) for count in shares.values())


def test_none_is_judged(rows) -> None:
    judged = {each.text for reviews in own_tests() for each in reviews}
    assert not judged & {each.text for each in rows}
