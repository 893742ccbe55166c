"""The time machine on the Map page, and the one slider that drives every page."""

import json
from collections.abc import Callable
from dataclasses import fields

import pytest
from streamlit.testing.v1 import AppTest

from bertsent.data.examples import LABELS
from bertsent.probing.loaded_model import load
from bertsent.space.animation import flips_sentence
from bertsent.training.checkpoints import list_checkpoints
from bertsent.training.events import Stepped
from bertsent.training.runs.history import History
from bertsent.training.runs.run import Run, Status
from bertsent.training.runs.status_sentences import weights_sentence
from bertsent.ui.shared.jobs import jobs
from bertsent.ui.shared.model_picker import LATEST, label_of, slider_key
from tests.ui.conftest import settled
from tests.ui.map.test_map_view import PAGE, words

Visit = Callable[..., AppTest]
NUMBERS = [each.name for each in fields(Stepped) if each.name not in ("step", "time")]
LINK = {"travel_view": "Time machine"}


@pytest.fixture
def travelled(finished: Run, visit: Visit, shared_space: None) -> AppTest:
    return settled(visit(PAGE, model=finished.id, **LINK))


def steps_of(run: Run) -> list[int]:
    return [int(folder.name[5:]) for folder in list_checkpoints(run.checkpoints)]


def film(app: AppTest) -> dict:
    return next(
        spec
        for chart in app.get("plotly_chart")
        if "sliders" in (spec := json.loads(chart.proto.spec))["layout"]
    )


def test_it_is_offered_for_runs_alone(finished: Run, visit: Visit) -> None:
    app = visit(PAGE, model="backbone")
    assert "Checkpoints" not in app.button_group(key="map_view").options
    app.selectbox(key="model-box").set_value(finished.id).run()
    assert app.button_group(key="map_view").value == "one" and not app.exception
    assert "Checkpoints" in app.button_group(key="map_view").options


def test_every_checkpoint_is_a_stop_of_the_film(travelled: AppTest, finished: Run) -> None:
    assert not travelled.exception and not travelled.error
    shown = film(travelled)
    assert [int(step["value"]) for step in shown["layout"]["sliders"][0]["steps"]] == steps_of(
        finished
    )
    assert len(steps_of(finished)) > 3 and len(shown["frames"]) > len(steps_of(finished))
    assert shown["layout"]["sliders"][0]["active"] == len(steps_of(finished)) - 1
    ids = {ident for trace in shown["data"] for ident, _ in trace["customdata"]}
    assert ids == {example.id for example in finished.splits().validation}
    assert f"validation reviews of {finished.id}" in words(
        travelled
    ) and "was trained on none of them" in words(travelled)


def test_the_slider_drives_film_matrix_and_lists(travelled: AppTest, finished: Run) -> None:
    made = len(jobs()._jobs)
    validation = finished.splits().validation
    for step in steps_of(finished):
        app = travelled.select_slider(key=slider_key(finished.id)).set_value(label_of(step)).run()
        assert not app.exception and film(app)["layout"]["sliders"][0]["active"] == steps_of(
            finished
        ).index(step)
        p = load(f"{finished.id}/step-{step}").probabilities(validation.texts)[:, 1]
        right = sum(
            (q > 0.5) == (label == 1) for q, label in zip(p, validation.labels, strict=True)
        )
        assert f"· {100 * right / len(validation):.1f} % right" in words(app)
        assert f"Most positive and most negative at step {step}" in words(app)
    assert len(jobs()._jobs) == made  # nothing was computed again


def test_a_cell_of_the_matrix_brings_its_reviews(travelled: AppTest, finished: Run) -> None:
    """The matrix was a picture: which reviews are in a cell stayed unknown."""
    step = steps_of(finished)[0]
    travelled.select_slider(key=slider_key(finished.id)).set_value(label_of(step)).run()
    validation = finished.splits().validation
    p = load(f"{finished.id}/step-{step}").probabilities(validation.texts)[:, 1]
    sure = max(zip(p, validation, strict=True), key=lambda pair: abs(pair[0] - 0.5))
    cell = f"{LABELS[sure[1].label or 0][0]}{LABELS[int(sure[0] > 0.5)][0]}"
    travelled.session_state["travel_confusion_cell"] = cell
    app = travelled.run()
    assert not app.exception
    shown = next(d.value for d in app.dataframe if "p_positive" in d.value.columns)
    assert shown["text"].iloc[0] == sure[1].text
    assert len(shown) == sum(
        f"{LABELS[each.label or 0][0]}{LABELS[int(q > 0.5)][0]}" == cell
        for q, each in zip(p, validation, strict=True)
    )


def test_step_zero_is_compared_with_a_coin(travelled: AppTest, finished: Run) -> None:
    app = travelled.select_slider(key=slider_key(finished.id)).set_value(label_of(0)).run()
    assert "Tossing a coin would answer" in words(
        app
    ) and "At the first checkpoint there is nothing" in words(app)


def test_one_slider_is_the_same_on_every_page_and_in_the_link(
    travelled: AppTest, finished: Run
) -> None:
    step = steps_of(finished)[1]
    app = travelled.select_slider(key=slider_key(finished.id)).set_value(label_of(step)).run()
    for page in ("3_Probe", "4_Attention", PAGE):
        app = app.switch_page(f"pages/{page}.py").run()
        assert not app.exception and app.select_slider(
            key=slider_key(finished.id)
        ).value == label_of(step)
        assert app.query_params["step"] in (str(step), [str(step)])
        assert f"Weights of step {step}" in words(app)


def test_a_link_opens_the_step_that_it_names(finished: Run, visit: Visit) -> None:
    step = steps_of(finished)[2]
    app = settled(visit(PAGE, model=finished.id, step=str(step), **LINK))
    assert film(app)["layout"]["sliders"][0]["active"] == 2 and f"Step {step}: " in words(app)


def test_a_chosen_review_is_followed_and_let_go(travelled: AppTest, finished: Run) -> None:
    example = finished.splits().validation.examples[1]
    travelled.session_state["travel_chosen"] = example.id
    app = travelled.run()
    assert film(app)["data"][-1]["name"] == "the path of the chosen review"
    assert example.text.strip()[:20] in words(app)
    app.button(key="travel_let_go").click().run()
    assert "travel_chosen" not in app.session_state and len(film(app)["data"]) == 2


def test_the_specimen_is_followed_too(travelled: AppTest, finished: Run) -> None:
    text, steps = travelled.text_input(key="review_box").value, steps_of(finished)
    asked = [load(f"{finished.id}/step-{step}").predict([text])[0].p_positive for step in steps]
    first = "positive" if asked[0] > 0.5 else "negative"
    assert f"“{text}” is {first} at step 0 ({100 * asked[0]:.1f} %)" in words(travelled)
    assert f"{100 * asked[-1]:.1f} % at step {steps[-1]}." in words(travelled)


def test_flips_are_told() -> None:
    told = flips_sentence("no fun", [0, 5, 9], [0.6, 0.7, 0.2])
    assert (
        told
        == "“no fun” is positive at step 0 (60.0 %), then becomes negative at step 9; 20.0 % at "
        "step 9."
    )
    assert "at every other checkpoint" in flips_sentence("no fun", [0, 5], [0.6, 0.7])


def test_changes_since_the_start_or_the_stop_before(travelled: AppTest, finished: Run) -> None:
    first, *_, before, last = steps_of(finished)
    assert f"From step {before} to step {last} the answer to" in words(travelled)
    app = travelled.button_group(key="travel_since").set_value("start").run()
    assert f"From step {first} to step {last} the answer to" in words(app) and not app.exception


def test_back_to_one_checkpoint(travelled: AppTest, finished: Run) -> None:
    app = travelled.button_group(key="map_view").set_value("one").run()
    assert not app.exception and "map_set-box" in [box.key for box in app.selectbox]


def test_a_run_with_one_checkpoint_has_no_way_yet(finished: Run, visit: Visit) -> None:
    import shutil

    for folder in list_checkpoints(finished.checkpoints)[1:]:
        shutil.rmtree(folder)
    app = visit(PAGE, model=finished.id, **LINK)
    assert not app.exception and "Checkpoints" not in app.button_group(key="map_view").options


def test_a_damaged_checkpoint_is_told_and_leaves_the_controls(finished: Run, visit: Visit) -> None:
    damaged = list_checkpoints(finished.checkpoints)[1] / "bertsent.json"
    damaged.write_text("{")
    app = visit(PAGE, model=finished.id, **LINK)
    assert not app.exception and "is damaged" in words(app)
    assert app.button_group(key="map_view").value == "time"


# Which weights answer (F2)


def test_a_live_run_says_which_weights_and_how_far_it_is(running: Run, visit: Visit) -> None:
    history = running.history()
    newest = steps_of(running)[-1]
    for page in ("3_Probe", "4_Attention", PAGE):
        app = visit(page, model=running.id)
        assert not app.exception
        assert f"Weights of step {newest}, the newest there is, saved " in words(app)
        assert (
            f"the run is at step {history.step} of {history.started.total_steps} meanwhile"
            in words(app)
        )


def test_one_click_takes_the_newest(running: Run, visit: Visit) -> None:
    first = steps_of(running)[0]
    app = visit("3_Probe", model=running.id, step=str(first))
    assert f"Weights of step {first}, saved" in words(app)
    app.button(key=f"newest-{running.id}").click().run()
    app = app.run()
    assert app.select_slider(
        key=slider_key(running.id)
    ).value == LATEST and "the newest there is" in words(app)
    assert (
        f"newest-{running.id}" not in [button.key for button in app.button]
        and "step" not in app.query_params
    )


def test_a_finished_run_needs_no_age(finished: Run, visit: Visit) -> None:
    app = visit("3_Probe", model=finished.id)
    assert f"Weights of step {steps_of(finished)[-1]}, the newest there is." in words(
        app
    ) and "saved" not in words(app)


@pytest.mark.parametrize(
    ("step", "newest", "at", "state", "told"),
    [
        (
            120,
            120,
            143,
            "running",
            "Weights of step 120, the newest there is, saved 45 s ago; the run is at step 143 "
            "meanwhile.",
        ),
        (
            120,
            140,
            143,
            "running",
            "Weights of step 120, saved 45 s ago; the run is at step 143 meanwhile.",
        ),
        (
            120,
            120,
            120,
            "queued",
            "Weights of step 120, the newest there is, saved 45 s ago; the run waits for its turn.",
        ),
        (
            143,
            143,
            143,
            "paused",
            "Weights of step 143, the newest there is; the run is paused there.",
        ),
        (120, 143, 143, "paused", "Weights of step 120; the newest is of step 143."),
        (
            120,
            120,
            143,
            "interrupted",
            "Weights of step 120, the newest there is; the run was interrupted at step 143.",
        ),
        (86, 346, 346, "finished", "Weights of step 86; the newest is of step 346."),
        (346, 346, 346, "finished", "Weights of step 346, the newest there is."),
    ],
)
def test_what_is_said_of_weights(step: int, newest: int, at: int, state: str, told: str) -> None:
    history = History(steps=[Stepped(step=at, **dict.fromkeys(NUMBERS, 0.0))])
    assert weights_sentence(step, newest, history, Status(state), 45.0) == told
