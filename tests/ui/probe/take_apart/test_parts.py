"""The parts of the way to an answer: opened by link, by hand, by Next and by Play, of the model as
it is and as it began.
"""

from collections.abc import Callable

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from bertsent.probing.loaded_model import LoadedModel, load
from bertsent.probing.part_sentences import part_sentence
from bertsent.training.runs.run import Run
from bertsent.ui.probe.take_apart import walk
from bertsent.ui.probe.take_apart.parts import PARTS
from bertsent.ui.shared import escape_markdown
from bertsent.worked_examples.code_cells import PARTS as CODED
from bertsent.worked_examples.code_cells import Code
from tests.ui.conftest import words

PAGE, REVIEW = "3_Probe", "Great, another boring movie"
KEYS = [part.key for part in PARTS]


def click(app: AppTest, key: str) -> AppTest:
    app = app.button(key=key).click().run()
    assert not app.exception and not app.error, words(app)
    return app


def opened(app: AppTest) -> list[str]:
    """The parts that are open."""
    return [key for key in KEYS if app.session_state[f"part_{key}"]]


def linked(app: AppTest) -> str:
    return "".join(app.query_params.get("part", ""))


def test_a_link_opens_its_part_alone(finished: Run, visit: Callable[..., AppTest]) -> None:
    app = visit(PAGE, part="logits")
    assert opened(app) == ["logits"] and linked(app) == "logits"
    app.text_input(key="review_box").set_value("A fine film").run()
    assert opened(app) == ["logits"], "a new review keeps it open"
    app = visit(PAGE, part="nothing")
    assert not app.exception and opened(app) == [] and linked(app) == ""


def test_next_and_back_open_one_part_at_a_time(
    finished: Run, visit: Callable[..., AppTest]
) -> None:
    app = visit(PAGE)
    assert app.button(key="walk_back").disabled
    for key in KEYS:
        app = click(app, "walk_next")
        assert opened(app) == [key] and linked(app) == key
    assert app.button(key="walk_next").disabled
    for key in [*KEYS[-2::-1], ""]:
        app = click(app, "walk_back")
        assert opened(app) == ([key] if key else []) and linked(app) == key


def test_play_goes_on_by_itself_and_stops_at_the_end(
    finished: Run, visit: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    app = click(visit(PAGE), "walk_play")
    assert opened(app) == KEYS[:1] and app.button(key="walk_play").label == "Pause"
    app = click(app, "walk_play")
    assert opened(app) == KEYS[:1] and app.button(key="walk_play").label == "Play"
    monkeypatch.setattr(walk, "SECONDS", 1e-6)
    app = click(app, "walk_play")
    assert opened(app) == KEYS[-1:] and app.button(key="walk_play").label == "Play"


def test_every_part_is_of_the_model_as_it_is_or_as_it_began(
    finished: Run, visit: Callable[..., AppTest]
) -> None:
    app = visit(PAGE, part="logits")
    assert said_of(load(finished.id)) in words(app)
    app.segmented_control(key="when").set_value("Before fine-tuning").run()
    assert said_of(load(f"{finished.id}/step-0")) in words(app)
    app = visit(PAGE, part="logits", when="Before fine-tuning")
    assert said_of(load(f"{finished.id}/step-0")) in words(app), "a link says so, too"
    assert any("Step 0 of" in caption.value for caption in app.caption)


def said_of(model: LoadedModel) -> str:
    sentence = part_sentence("logits", model, REVIEW, model.predict([REVIEW])[0])
    assert f"{100 * model.predict([REVIEW])[0].p_positive:.1f} % positive" in sentence
    return escape_markdown(sentence)


def test_presenter_mode_opens_every_part_on_its_way(
    finished: Run, visit: Callable[..., AppTest]
) -> None:
    app, seen = visit(PAGE, present="1"), []
    for _ in range(60):
        app = click(app, "present_next")
        if app.session_state["probe"] != "Answer":
            break
        if linked(app) not in seen:
            seen.append(linked(app))
    assert seen == KEYS and app.session_state["probe"] == "Others say"
    app = click(app, "present_back")
    assert (app.session_state["probe"], linked(app)) == ("Answer", KEYS[-1])


def test_the_code_of_the_page_gives_the_numbers_of_the_page(
    finished: Run, visit: Callable[..., AppTest]
) -> None:
    app, model = visit(PAGE, part="logits"), load(finished.id)
    code = Code("model", "bert", {"review": REVIEW, "max_length": 32, "model_name": finished.id})
    shown = [each.value for each in app.code]
    assert [cell.code for cell in code.cells("logits")] == shown
    names: dict = {}
    exec(code.script(), names)
    assert np.allclose(
        names["logits"].detach().numpy(), model.predict([REVIEW])[0].logits, atol=1e-5
    )


def test_every_part_has_code() -> None:
    assert set(KEYS) <= set(CODED)
