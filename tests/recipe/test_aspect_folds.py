"""Four encoders that learn aspects alone: each is asked what it has not read."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bertsent.recipe.aspect_folds import FOLD_PLAN, FOLDS, _without, aspect_folds, folds
from bertsent.recipe.task_sets import learned_sets, restaurant_terms
from tests.recipe.task_tables import HELD, write_task_tables

SENTENCES = 8
PLAN = replace(
    FOLD_PLAN,
    batch_size=2,
    towards_sentiment=0.0,
    stages=(replace(FOLD_PLAN.stages[0], steps=1, longest=16),),
)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Eight sentences of two terms each, and one that is held out."""
    write_task_tables(tmp_path)
    learned = [str(n) for n in range(40) if sum(map(ord, str(n))) * 7919 % 10 != 3][:SENTENCES]
    rows = [
        {"text": f"Soup and tea, day {n}.", "term": term, "polarity": label, "sentence_id": n}
        for n in (*learned, HELD)
        for term, label in (("Soup", "positive"), ("tea", "negative"))
    ]
    pd.DataFrame(rows).to_parquet(tmp_path / "absa_restaurants_terms_train.parquet")
    return tmp_path


def test_every_row_is_asked_once_by_an_encoder_that_has_not_read_its_sentence(data: Path) -> None:
    others = restaurant_terms(data, held_out=False)
    asked = folds(others)
    assert sorted(np.concatenate(asked)) == list(range(2 * SENTENCES)) and len(asked) == FOLDS
    learned = learned_sets(data)
    for places in asked:
        part = replace(others, examples=tuple(others.examples[place] for place in places))
        kept = {each.text for each in _without(learned["terms"], part)}
        texts = {each.text for each in others}
        assert texts - kept == {each.text for each in part} and len(texts & kept) == 6
    drawn = {name for stage in FOLD_PLAN.stages for name in stage.shares}
    assert "categories" not in drawn, "they have what is asked of the same sentences"


def test_each_fold_and_all_are_told(data: Path, tmp_path: Path) -> None:
    told = [line for line in aspect_folds(data, tmp_path / "work", PLAN) if "old" in line]
    *each, last = told
    shares = [float(line.split("learned from ")[1].split(" %")[0]) for line in each]
    assert len(shares) == FOLDS and all(line.endswith("of 2") for line in each)
    assert f"{np.mean(shares):.1f} %" in last and f"of {2 * SENTENCES}; held out" in last
    again = list(aspect_folds(data, tmp_path / "work", PLAN))
    assert again == told, "what was learned is kept"
