"""Sets for several tasks put together: what each row says, how it is split, saved and read."""

from collections import Counter
from dataclasses import replace

import pytest

from bertsent.data.examples import Splits
from bertsent.data.mixing import mix
from bertsent.data.splits import split
from bertsent.errors import BadInput
from bertsent.tasks.mixed import THREE_TASKS
from tests.own_mixture import mixture, pair_sets, steps_set


def test_every_row_says_what_is_asked_of_it() -> None:
    found = mixture()
    assert Counter(e.part for e in found) == {"five-steps": 50, "paraphrase": 30, "similarity": 30}
    assert found.targets[1] == (0, 1) and found.targets[50] == (1, 1)
    assert found.targets[-1] == (2, 0.0)
    assert len({example.id for example in found}) == len(found)
    assert found.of_part(THREE_TASKS.parts[0]).targets == steps_set().targets


def test_a_split_is_fair_to_every_part_and_shares_no_pair() -> None:
    halves = split(mixture())
    keys = [{(e.text, e.second) for e in half} for half in (halves.train, halves.validation)]
    assert not keys[0] & keys[1]
    counts = Counter(e.part for e in halves.validation)
    assert 8 <= counts["five-steps"] <= 12 and counts["paraphrase"] == counts["similarity"]
    steps = halves.validation.of_part(THREE_TASKS.parts[0])
    assert set(steps.labels) == {0, 1, 2, 3, 4}


def test_a_run_can_keep_it(tmp_path) -> None:
    halves = split(mixture())
    halves.save(tmp_path / "reviews.parquet")
    found = Splits.load(tmp_path / "reviews.parquet", "pairs", task=THREE_TASKS)
    assert found.sha256 == halves.sha256
    assert found.validation.targets == halves.validation.targets


def test_what_does_not_fit_together_is_refused() -> None:
    steps, (same, alike) = steps_set(), pair_sets()
    with pytest.raises(BadInput, match="nothing to learn"):
        mix(THREE_TASKS, (steps, same))
    other = replace(same, task=replace(same.task, labels=("no", "yes")))
    with pytest.raises(BadInput, match="other labels"):
        mix(THREE_TASKS, (steps, other, alike))
    few = replace(steps, examples=steps.examples[:12])
    with pytest.raises(BadInput):
        split(mix(THREE_TASKS, (few, same, alike)))
