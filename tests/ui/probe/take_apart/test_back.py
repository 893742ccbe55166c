"""The parts from the logits on: products, loss, gradients and a step, on the page."""

import json
import math
from collections.abc import Callable

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from bertsent.data.examples import LABELS
from bertsent.figures.gradients import compact, gradient_input_bars, learning_rate_ladder
from bertsent.figures.logit_profile import logit_profile
from bertsent.figures.loss_curve import loss_curve
from bertsent.models.backbone import load_backbone
from bertsent.models.task_model import BertForTask
from bertsent.probing.forward_pass.cross_entropy import batch_sentence, cross_entropies
from bertsent.probing.forward_pass.forward_pass import forward_pass
from bertsent.probing.forward_pass.logit_shares import logit_shares
from bertsent.probing.loaded_model import LoadedModel, load
from bertsent.probing.true_label import OFFERED, known_label
from bertsent.training.runs.run import Run
from bertsent.ui.probe.take_apart import batch as batch_table
from bertsent.ui.shared import PRESETS, PUZZLE, escape_markdown
from tests.ui.conftest import words
from tests.ui.probe.take_apart.parts_page import drawn

PAGE = "3_Probe"


def checks(app: AppTest) -> list[str]:
    return [each.value for each in app.caption if "recomputed" in each.value]


def says(app: AppTest, sentence: str) -> bool:
    return escape_markdown(sentence) in words(app)


def linked(app: AppTest, parameter: str) -> str:
    found = app.query_params.get(parameter, "")
    return found if isinstance(found, str) else found[-1]


def test_the_true_label_is_known_of_the_examples() -> None:
    assert set(PRESETS.values()) <= set(OFFERED)
    assert known_label(PUZZLE) == 0 and known_label("nobody ever labelled this") is None


def test_the_loss_is_that_of_the_chosen_label(finished: Run, visit: Callable[..., AppTest]) -> None:
    """The examples have a label; another choice stays in the link until the review changes."""
    app = visit(PAGE, part="loss")
    assert not app.exception and not app.error, words(app)
    negative, positive = cross_entropies(load(finished.id).predict([PUZZLE])[0].logits)
    assert abs(negative + math.log(1 - load(finished.id).predict([PUZZLE])[0].p_positive)) < 1e-5
    label = app.segmented_control(key="loss_true_label")
    assert label.value == "NEGATIVE" and "true_label" not in app.query_params
    assert says(app, f"= {negative:.3g}.")
    label.set_value("POSITIVE").run()
    assert linked(app, "true_label") == "POSITIVE" and says(app, f"= {positive:.3g}.")
    assert len(checks(app)) == 1 and "✓" in checks(app)[0]
    app.text_input(key="review_box").set_value("Absolutely incredible").run()
    assert app.segmented_control(key="loss_true_label").value == "POSITIVE"
    assert "true_label" not in app.query_params
    app = visit(PAGE, part="loss", true_label="POSITIVE")
    assert app.segmented_control(key="loss_true_label").value == "POSITIVE"
    app = visit(PAGE, part="loss", true_label="<b>")
    assert app.segmented_control(key="loss_true_label").value == "NEGATIVE"


def test_loss_and_back_share_the_label(finished: Run, visit: Callable[..., AppTest]) -> None:
    app = visit(PAGE, part="back")
    app.segmented_control(key="back_true_label").set_value("POSITIVE").run()
    app.session_state["parts_open"] = ["loss", "back"]
    app.session_state["part"] = "back"
    app.run()
    assert not app.exception
    for part in ("loss", "back"):
        assert app.segmented_control(key=f"{part}_true_label").value == "POSITIVE"


def test_a_batch_comes_from_the_link(finished: Run, visit: Callable[..., AppTest]) -> None:
    """A row without a review is left out; one with an odd label counts as negative."""
    model = load(finished.id)
    batch = json.dumps([["fine", "POSITIVE"], ["", "NEGATIVE"], ["dull<br />", "?"]])
    app = visit(PAGE, part="loss", batch=batch)
    assert not app.exception and not app.error
    texts = (PUZZLE, "fine", "dull")
    losses = [
        cross_entropies(each.logits)[label]
        for each, label in zip(model.predict(texts), (0, 1, 0), strict=True)
    ]
    assert says(app, batch_sentence(losses))
    assert f"/ 3 = {np.mean(losses):.3f}" in batch_sentence(losses)


@pytest.mark.parametrize(
    "batch", ["[", "[[1]]", "{}", "7", json.dumps([["a", "b", "c"]]), "[" * 5000, '[["a", 1]]' * 9]
)
def test_a_broken_batch_is_the_usual_one(monkeypatch: pytest.MonkeyPatch, batch: str) -> None:
    monkeypatch.setattr(batch_table.st, "session_state", {})
    monkeypatch.setattr(batch_table.st, "query_params", {"batch": batch})
    assert batch_table._kept() == list(batch_table.USUAL)


def test_a_long_batch_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    batch = json.dumps([["fine " * 500, "POSITIVE"]] * 50)
    monkeypatch.setattr(batch_table.st, "session_state", {})
    monkeypatch.setattr(batch_table.st, "query_params", {"batch": batch})
    found = batch_table._kept()
    assert len(found) == batch_table.MOST
    assert all(len(text) <= batch_table.LONGEST for text, _ in found)


def test_editing_the_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the table reports is taken over: an edited, a deleted and an added row."""
    state = {
        "table": {
            "edited_rows": {0: {"true label": "NEGATIVE"}, 2: {"review": " better\x00 "}},
            "deleted_rows": [1],
            "added_rows": [{"review": "new", "true label": "POSITIVE"}, {"true label": "POSITIVE"}],
        }
    }
    monkeypatch.setattr(batch_table.st, "session_state", state)
    batch_table._edit("table", [("a", 1), ("b", 1), ("c", 0)])
    assert state["batch"] == [("a", 0), ("better", 0), ("new", 1)]


def test_a_new_row_waits_for_its_review(monkeypatch: pytest.MonkeyPatch) -> None:
    """The table was drawn anew when a row was added, and the empty row was gone before anybody
    could type.
    """
    added = [{}, {"true label": "POSITIVE"}]
    state = {"table": {"edited_rows": {}, "deleted_rows": [], "added_rows": added}}
    monkeypatch.setattr(batch_table.st, "session_state", state)
    batch_table._edit("table", [("a", 1)])
    assert set(state) == {"table"}


def test_the_way_back_is_the_models_own(finished: Run, visit: Callable[..., AppTest]) -> None:
    """Every number that is compared is the same; the model answers afterwards as before."""
    model = load(finished.id)
    before = model.predict([PUZZLE])[0]
    app = visit(PAGE, part="back", true_label="POSITIVE")
    assert not app.exception and not app.error, words(app)
    assert len(checks(app)) == 5 and all("✓" in each for each in checks(app)), checks(app)
    error = app.table[0].value["∂L/∂z = ŷ − y"].str.replace("−", "-").astype(float)
    assert np.allclose(error, [1 - before.p_positive, before.p_positive - 1], atol=1e-4)
    app.toggle(key="step_rates").set_value(True).run()
    app.segmented_control(key="step_trains-segments").set_value("head").run()
    app.select_slider(key="step_rate").set_value(1e-3).run()
    assert not app.exception and all("✓" in each for each in checks(app)), checks(app)
    assert linked(app, "step_trains") == "head"
    assert says(app, "at 1e-3 on this review alone")
    answer = app.subheader[0].value
    assert f"{100 * max(before.p_positive, 1 - before.p_positive):.1f} %" in answer


def test_a_head_and_a_pair_come_from_the_link(finished: Run, visit: Callable[..., AppTest]) -> None:
    app = visit(PAGE, part="back")
    app.selectbox(key="back_layer").set_value(1).run()
    app.selectbox(key="back_head").set_value(2).run()
    app.selectbox(key="back_from").set_value(2).run()
    app.selectbox(key="back_to").set_value(6).run()
    assert not app.exception
    assert says(app, "Head 1·2: “great” looks at “movie”")
    assert all("✓" in each for each in checks(app))


@pytest.mark.parametrize("text", ["🎬🍿", "not good " * 200])
def test_odd_reviews(finished: Run, visit: Callable[..., AppTest], text: str) -> None:
    """With all three parts open, a review of unknown words and one that is cut."""
    app = visit(PAGE, text=text, part="back")
    app.session_state["parts_open"] = ["logits", "loss", "back"]
    app.run()
    assert not app.exception and not app.error, words(app)
    assert len(checks(app)) == 8 and all("✓" in each for each in checks(app)), checks(app)


@pytest.mark.parametrize("temperature", ["0.5", "inf"])
def test_the_temperature_in_the_link(
    finished: Run, visit: Callable[..., AppTest], temperature: str
) -> None:
    app = visit(PAGE, part="logits", softmax_t=temperature)
    assert not app.exception and not app.error
    found = app.slider(key="softmax_t").value
    assert 0.25 <= found <= 4
    negative, positive = load(finished.id).predict([PUZZLE])[0].logits
    shown = app.table[0].value["share of the sum"].astype(float)
    assert abs(shown.iloc[1] - 1 / (1 + math.exp((negative - positive) / found))) < 1e-4


@pytest.mark.parametrize("kind", ["mean", "max", "pooler"])
def test_every_way_to_pool(tiny_backbone, kind: str) -> None:
    """What stands between the last layer and the classifier is what this model really has."""
    found = load_backbone(str(tiny_backbone))
    torch.manual_seed(3)
    pooler = torch.nn.Sequential(torch.nn.Linear(32, 32), torch.nn.Tanh())
    model = BertForTask(
        found.model,
        kind if kind != "pooler" else "cls",  # type: ignore[arg-type]
        pooler=pooler if kind == "pooler" else None,
    )
    loaded = LoadedModel(
        kind, f"tiny-{kind}-back", model, found.tokenizer, max_length=64, fine_tuned=True
    )
    app = drawn(loaded, PUZZLE)
    assert not app.exception and not app.error, words(app)
    assert len(checks(app)) == (8 if kind == "pooler" else 7)
    assert all("✓" in each for each in checks(app)), checks(app)
    shares = logit_shares(forward_pass(loaded, PUZZLE))
    np.testing.assert_allclose(shares.logits, loaded.logits([PUZZLE])[0], atol=1e-5)
    assert abs(shares.table()["share"].sum() + np.diff(shares.bias)[0] - shares.difference) < 1e-9


def test_a_family_that_is_not_worked_out_here_is_told(tiny_backbone) -> None:
    """Softmax needs the logits alone and is still drawn."""
    found = load_backbone(str(tiny_backbone))
    model = BertForTask(found.model, pooler=torch.nn.Identity())
    loaded = LoadedModel("odd", "odd-back", model, found.tokenizer, max_length=64, fine_tuned=True)
    app = drawn(loaded, PUZZLE)
    said = " ".join(each.value for each in app.error)
    assert "not worked out here" in said and not app.exception
    assert app.table and "share of the sum" in app.table[0].value


def test_figures() -> None:
    """The points lie on the curve; colours and signs agree; equal tokens stay apart."""
    figure = loss_curve((0.1, 2.35), 0, {"b": (0.5, 1)})
    for trace in figure.data[1:]:
        np.testing.assert_allclose(trace.y, -np.log(np.array(trace.x)), atol=1e-9)
    bars = gradient_input_bars(["a", "a"], np.array([-2e-5, 0.5])).data[0]
    assert len(set(bars.x)) == 2 and bars.text == ("−2e-5", "+0.50")
    assert len(set(bars.marker.color)) == 2 and compact(0.0) == "+0"
    figure = logit_profile(np.array([1.0, -2.0, 0.5]), np.array([1.0, 1.0, 0.0]))
    assert list(figure.data[0].y) == [-2.0, 0.0, 1.0]
    ladder = learning_rate_ladder([1e-5, 1e-4], [0.4, 0.9], 0.3, 1e-4, 1)
    assert max(ladder.data[0].marker.size) == ladder.data[0].marker.size[1]


def test_labels_are_in_the_order_of_the_logits() -> None:
    assert LABELS == ("NEGATIVE", "POSITIVE")
    assert cross_entropies((2.1, -0.5))[0] == pytest.approx(0.0716, abs=5e-5)  # row 001-21, E-02
