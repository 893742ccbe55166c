from collections.abc import Callable

from streamlit.testing.v1 import AppTest

from bertsent.probing.shipped_scores import (
    BUILTIN_VALIDATION,
    MODELS,
    NO_OPINION,
    shipped_confidence,
    shipped_scores,
    slice_of,
)
from bertsent.training.runs.run import Run
from bertsent.ui.home.scores import confidence_rows, confidence_sentence
from tests.ui.conftest import words


def test_it_says_what_the_machine_can_do(visit: Callable[..., AppTest]) -> None:
    app = visit("1_Home")
    assert not app.exception and not app.error
    assert "CPU" in words(app) and "Hugging Face Hub: switched off" in words(app)


def test_the_scores_begin_with_the_validation_part_and_have_intervals(
    with_shipped_model: None, visit: Callable[..., AppTest]
) -> None:
    app = visit("1_Home")
    said, table = words(app), shipped_scores()
    assert table is not None
    for model in MODELS:
        score = slice_of(table, BUILTIN_VALIDATION, "all", model)
        assert score is not None
        low, high = score.score_interval
        assert f"{100 * score.score:.1f} % ({100 * low:.1f} to {100 * high:.1f})" in said
    for heavy in ("plotly_chart", "arrow_vega_lite_chart", "arrow_data_frame"):
        assert not app.get(heavy)


def test_how_sure_it_is_of_texts_without_an_opinion_is_told(with_shipped_model: None) -> None:
    table = shipped_confidence()
    assert table is not None
    nothing = table.set_index("set").loc[NO_OPINION]
    share = f"{100 * nothing['sure'] / nothing['n']:.0f} % of {nothing['n']:.0f} texts"
    assert share in confidence_sentence(table)
    shown = confidence_rows(table).set_index("set")
    assert shown.loc[NO_OPINION].isna().sum() == 3  # nothing of it is right, wrong or calibrated
    assert shown["right"].dropna().between(50, 100).all()


def test_a_live_run_has_its_line(running: Run, visit: Callable[..., AppTest]) -> None:
    app = visit("1_Home")
    assert not app.exception
    assert any(f"run={running.id}" == link.proto.query_string for link in app.get("page_link"))


def test_a_crashed_run_has_none(crashed: Run, visit: Callable[..., AppTest]) -> None:
    app = visit("1_Home")
    assert not app.exception
    assert not any("run=" in link.proto.query_string for link in app.get("page_link"))


def test_a_run_with_unreadable_configuration_spoils_nothing(
    finished: Run, visit: Callable[..., AppTest]
) -> None:
    (finished.folder / "config.json").write_text("{")
    for page in ("1_Home", "2_Fine-tune", "3_Probe"):
        app = visit(page)
        assert not app.exception
