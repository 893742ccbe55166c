from collections.abc import Callable

from streamlit.testing.v1 import AppTest

from bertsent.training.runs.run import Run
from tests.ui.conftest import words


def test_without_any_run_it_says_what_this_is_and_what_the_machine_can_do(
    visit: Callable[..., AppTest],
) -> None:
    app = visit("1_Home")
    assert not app.exception and not app.error
    assert "The built-in model is missing" in words(app)
    assert "CPU" in words(app) and "Hugging Face Hub: switched off" in words(app)
    assert {"Teach", "Probe", "Bring your own"} <= {s.value for s in app.subheader}


def test_a_finished_run_opens_the_door_to_probing(
    finished: Run, visit: Callable[..., AppTest]
) -> None:
    app = visit("1_Home")
    assert not app.exception
    assert "Type something sarcastic" in words(app)


def test_a_live_run_has_its_card(running: Run, visit: Callable[..., AppTest]) -> None:
    app = visit("1_Home")
    assert not app.exception
    assert running.id.split("-")[0] in words(app)


def test_a_crashed_run_has_none(crashed: Run, visit: Callable[..., AppTest]) -> None:
    app = visit("1_Home")
    assert not app.exception
    assert crashed.id.split("-")[0] not in words(app)


def test_a_run_with_unreadable_configuration_spoils_nothing(
    finished: Run, visit: Callable[..., AppTest]
) -> None:
    (finished.folder / "config.json").write_text("{")
    for page in ("1_Home", "2_Fine-tune", "3_Probe"):
        app = visit(page)
        assert not app.exception
