"""The map of a run of another task on its own reviews, which was an unexpected error."""

from pathlib import Path

import pytest
from sklearn.metrics import adjusted_rand_score
from streamlit.testing.v1 import AppTest

from bertsent.training.runs.run import Run
from bertsent.ui.map.one_map import PANELS
from tests.ui.conftest import settled, words
from tests.ui.probe.driving import Visit
from tests.ui.runs_of_tasks import RUNS

PAGE = "6_Map"


def mapped(visit: Visit, run: str, **more: str) -> AppTest:
    app = settled(visit(PAGE, model=run, map_set="validation", map_count="50", **more))
    assert not app.exception and not app.error, words(app)
    return app


@pytest.mark.parametrize("run", ["five-steps", "aspects", "feelings", "mixed"])
def test_every_task_has_a_map_of_its_own_reviews(
    lab_of_tasks: Path, visit: Visit, run: str
) -> None:
    assert "map" in mapped(visit, run).session_state["results_drawn"]


def test_clusters_are_compared_with_labels_of_one_s_own(lab_of_tasks: Path, visit: Visit) -> None:
    app = mapped(visit, "topics", finding="Clusters")
    points = app.session_state["map_shown"].map.points
    truth = {e.id: e.label for e in Run(lab_of_tasks / "runs" / "topics").splits().validation}
    assert set(points["label"]) == {"cooking", "sports", "travel"}
    wanted = adjusted_rand_score([truth[each] for each in points["id"]], points["cluster"])
    rows = next(t.value for t in app.table if "purity" in t.value.index)
    assert rows.loc["adjusted Rand index (ARI)"].iloc[0] == f"{wanted:.3f}"


def test_what_needs_two_labels_says_so(lab_of_tasks: Path, visit: Visit) -> None:
    assert "two labels of sentiment" in words(mapped(visit, "topics", finding="Boundary"))
    app = mapped(visit, "topics", map_view="time")
    assert "topics learns something else" in app.info[0].value


@pytest.mark.parametrize("run", ["topics", "marks", "feelings", "mixed"])
def test_extremes_of_another_task_lead_to_what_the_run_answered(
    lab_of_tasks: Path, visit: Visit, run: str
) -> None:
    """They led to “Fine-tune it”, a run in two labels, although the model was fine-tuned."""
    app = mapped(visit, run, finding="Extremes")
    assert Run(lab_of_tasks / "runs" / run).config.task.title in words(app)
    links = [link for link in app.get("page_link") if "Fine-tune" in link.proto.page]
    assert [link.proto.query_string for link in links] == [f"run={run}"]
    assert "Fine-tune it" not in [link.proto.label for link in links]


@pytest.mark.slow
@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("panel", [panel.name for panel in PANELS])
def test_no_panel_fails(lab_of_tasks: Path, visit: Visit, run: str, panel: str) -> None:
    mapped(visit, run, finding=panel)
