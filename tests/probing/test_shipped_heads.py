"""The heads that ship, where they do: small, with a card of measured scores, and right about the
lecture's own example.
"""

import pandas as pd
import pytest

from bertsent.probing.loaded_model import load
from bertsent.probing.registry import SHIPPED_HEADS, shipped_heads
from bertsent.probing.tasks.head_scores import FILE
from bertsent.recipe import task_scores
from bertsent.recipe.task_heads import TRAINED
from bertsent.recipe.task_scores import task_score_table
from bertsent.recipe.task_sets import own_tests

pytestmark = pytest.mark.skipif(not shipped_heads(), reason="no heads ship with this copy")
PHONE = "The phone camera is excellent but battery life is terrible."


def test_all_five_are_there_and_small() -> None:
    assert set(shipped_heads()) == set(TRAINED)
    assert sum(path.stat().st_size for path in SHIPPED_HEADS.iterdir()) <= 25_000_000


def test_the_card_says_the_scores() -> None:
    card = (SHIPPED_HEADS / "README.md").read_text(encoding="utf-8")
    for row in pd.read_csv(SHIPPED_HEADS / FILE).itertuples():
        assert row.low <= row.value <= row.high
        assert f"{row.value:.3f} ({row.low:.3f} to {row.high:.3f})" in card


def test_a_camera_is_praised_and_a_battery_is_not() -> None:
    """Row 001-30."""
    model = load("builtin/aspects")
    answers = model.answers([("phone camera", PHONE), ("battery life", PHONE)])
    labels = [model.task.output_names[place] for place in answers.argmax(1)]
    assert labels == ["positive", "negative"]


@pytest.mark.slow
def test_the_scores_are_measured_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """On the project's own sets, which come with it."""
    monkeypatch.setattr(task_scores, "RESAMPLES", 2)  # the scores, not their intervals
    models = {name: load(f"builtin/{name}") for name in shipped_heads()}
    written = pd.read_csv(SHIPPED_HEADS / FILE).set_index(["set", "metric"])["value"]
    for row in task_score_table(models, own_tests()):
        assert row["value"] == pytest.approx(written[row["set"], row["metric"]], abs=0.003)
