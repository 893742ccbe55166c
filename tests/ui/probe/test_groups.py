"""The tabs of Probe in their three groups."""

import pytest
from streamlit.testing.v1 import AppTest

from bertsent.training.runs.run import Run
from tests.ui.probe.driving import PAGE, Visit

GROUPS = ("probe: This review", "probe: Two reviews", "probe: Many")


def chosen(app: AppTest) -> list[str | None]:
    return [app.button_group(key=key).value for key in GROUPS]


def test_one_tab_is_chosen_over_all_groups(finished: Run, visit: Visit) -> None:
    """A link of before the groups opens its tab; a choice in one group ends that in another."""
    app = visit(PAGE, probe="Batch")
    assert chosen(app) == [None, None, "Batch"]
    app = app.button_group(key=GROUPS[0]).set_value("Answer").run()
    assert chosen(app) == ["Answer", None, None] and app.session_state["probe"] == "Answer"


@pytest.mark.parametrize("name", ["nonsense", ""])
def test_a_link_that_names_no_tab_opens_the_first(finished: Run, visit: Visit, name: str) -> None:
    app = visit(PAGE, probe=name)
    assert chosen(app) == ["Answer", None, None] and not app.exception


def test_a_link_within_the_app_wins_over_the_kept_tab(finished: Run, visit: Visit) -> None:
    """A tile of the home page that named a tab opened the one that was seen last."""
    app = visit(PAGE, probe="Batch")
    app.query_params["probe"] = "Answer"
    app = app.run()
    assert chosen(app) == ["Answer", None, None]
    app = app.button_group(key=GROUPS[2]).set_value("Scorecard").run()
    assert chosen(app) == [None, None, "Scorecard"]
