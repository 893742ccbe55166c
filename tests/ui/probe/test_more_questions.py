"""Probe's tabs that ask other questions than two labels, as a visitor meets them: with heads of
random weights, with a run of one's own, and with nothing.
"""

import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from bertsent.models.backbone import load_backbone
from bertsent.models.checkpoint import CheckpointCard, save_checkpoint
from bertsent.models.multitask_model import BertForTasks
from bertsent.probing.loaded_model import load
from bertsent.tasks.catalogue import ASPECTS, FIVE_STEPS
from bertsent.tasks.mixed import THREE_TASKS
from bertsent.training.runs.run import Run
from bertsent.ui.probe import aspects, feelings, two_texts
from bertsent.ui.probe.more_questions import MORE
from tests.ui.conftest import settled, words
from tests.ui.probe.driving import PAGE, Visit, press

NAMES = [tab.name for tab in MORE]
TRIP = feelings.PRESETS["Trip and cost"]


def read(app: AppTest) -> str:
    return words(app).replace("\\", "")


def drawn(app: AppTest) -> list[str]:
    return app.session_state["results_drawn"]


@pytest.mark.parametrize("tab", NAMES[:-1])
def test_without_a_model_the_tab_says_how_to_get_one(lab, visit: Visit, tab: str) -> None:
    app = visit(PAGE, probe=tab)
    assert not app.exception and not app.error
    assert drawn(app) == ["none"] and "Fine-tune" in app.info[0].value


@pytest.mark.usefixtures("with_heads")
class TestHeads:
    """The heads that ship."""

    def test_five_steps_are_those_of_the_model(self, lab, visit: Visit) -> None:
        app = visit(PAGE, probe="Five steps", text="A fine film")
        probabilities = load("builtin/five-steps").answers([("A fine film", "")])[0]
        top = int(probabilities.argmax())
        assert not app.exception and not app.error
        assert f"{FIVE_STEPS.labels[top]} {100 * probabilities[top]:.1f} %" in read(app)
        assert drawn(app) == ["five_steps"]

    def test_an_empty_review_is_offered_one(self, lab, visit: Visit) -> None:
        app = visit(PAGE, probe="Five steps", text=" ")
        assert not app.exception and drawn(app) == ["none"]

    def test_the_threshold_says_which_feelings_hold(self, lab, visit: Visit) -> None:
        app = visit(PAGE, probe="Feelings", text=TRIP, feelings_threshold="95")
        model = load("builtin/feelings")
        shares = dict(zip(model.task.labels, model.answers([(TRIP, "")])[0], strict=True))
        for threshold in (95, 5):
            app.slider(key="feelings_threshold").set_value(threshold)
            app = app.run()
            given = {name for name, share in shares.items() if 100 * share > threshold}
            title = set(app.subheader[0].value.replace("\\", "").split(", "))
            assert title == (given or {"none of them"})
        assert app.query_params["feelings_threshold"] == "5"
        assert drawn(app) == ["feelings", "feelings_wheel"]

    def test_aspects_are_found_and_clicked(self, lab, visit: Visit) -> None:
        app = visit(PAGE, probe="Aspects")
        assert not app.exception and not app.error
        sentence = aspects.PRESETS["Phone"]
        chosen = app.get("button_group")[-2]
        assert chosen.value == ["phone camera", "battery life"]
        answers = load("builtin/aspects").answers([(each, sentence) for each in chosen.value])
        for name, row in zip(chosen.value, answers, strict=True):
            label = ASPECTS.labels[int(row.argmax())]
            assert f"{name}: {label} {100 * row.max():.0f} %" in read(app)
        app = chosen.set_value(["life"]).run()
        assert app.query_params["aspects"] == "life" and "life: " in read(app)
        assert drawn(app) == ["aspects", "aspect_input"]
        app = app.get("button_group")[-2].set_value([]).run()
        assert not app.exception and "Click the words" in app.info[0].value

    def test_another_sentence_has_aspects_of_its_own(self, lab, visit: Visit) -> None:
        """What was clicked in one sentence was asked of the next, and refused."""
        app = visit(PAGE, probe="Aspects", aspects="life")
        assert "life: " in read(app)
        app = app.text_input(key="aspect_sentence-box").set_value("The soup was cold.").run()
        assert not app.error and "soup: " in read(app) and "aspects" not in app.query_params

    def test_an_aspect_that_is_not_in_the_sentence_is_named(self, lab, visit: Visit) -> None:
        app = visit(PAGE, probe="Aspects", aspects="zoom|battery")
        assert not app.exception and "zoom" in app.error[0].value and "battery: " in read(app)

    def test_a_sentence_with_markup_is_shown_as_text(self, lab, visit: Visit) -> None:
        evil = "The <b>soup</b> was <script>alert(1)</script> cold."
        app = visit(PAGE, probe="Aspects", aspect_sentence=evil, aspects="script|soup")
        assert not app.exception
        drawn_html = "".join(h.proto.body for h in app.get("html") if "'aspects'" in h.proto.body)
        assert "soup</mark>" in drawn_html
        assert "<script" not in drawn_html and "<b>" not in drawn_html

    def test_two_texts_begin_with_the_first_example(self, lab, visit: Visit) -> None:
        """The examples were put into another order, and the boxes kept the old one."""
        app = visit(PAGE, probe="Two texts")
        shown = [app.text_input(key=key).value for key in two_texts.TEXTS]
        assert tuple(shown) == next(iter(two_texts.PRESETS.values()))

    def test_two_texts_are_swapped(self, lab, visit: Visit) -> None:
        app = visit(PAGE, probe="Two texts", two_first="A cat sleeps.", two_second="A dog barks.")
        orders = [("A cat sleeps.", "A dog barks."), ("A dog barks.", "A cat sleeps.")]
        numbers = load("builtin/similarity").answers(orders)
        assert f"similarity {numbers[0]:.1f} of 5" in app.subheader[0].value.replace("\\", "")
        app = press(app, "two-swap")
        assert f"similarity {numbers[1]:.1f} of 5" in app.subheader[0].value.replace("\\", "")
        assert app.text_input(key="two_first").value == "A dog barks."
        assert drawn(app) == ["two_texts", "two_texts_overlap"]

    @pytest.mark.parametrize("text", ["", "<script>alert(1)</script> & <br>", "$$x$$ **b**"])
    def test_odd_second_texts(self, lab, visit: Visit, text: str) -> None:
        app = visit(PAGE, probe="Two texts", two_first="A <b>cat</b> sleeps.")
        app = app.text_input(key="two_second").set_value(text).run()
        assert not app.exception and bool(app.error) == (not text)
        bodies = "".join(str(h.proto.body) for h in app.get("html") if "two-texts" in h.proto.body)
        assert "<script" not in bodies and "<b>" not in bodies

    @pytest.mark.parametrize("key", ["steps_model=builtin/aspects", "steps_model=nobody"])
    def test_a_link_to_another_model_says_who_answers(self, lab, visit: Visit, key: str) -> None:
        name, _, value = key.partition("=")
        app = visit(PAGE, probe="Five steps", **{name: value})
        assert not app.exception and "answers instead" in app.warning[0].value
        assert drawn(app) == ["five_steps"]

    def test_a_head_is_no_model_of_two_labels(self, finished: Run, visit: Visit) -> None:
        app = visit(PAGE, probe="Answer", model="builtin/five-steps")
        assert not app.exception and not app.error
        assert app.query_params["model"] == finished.id

    def test_an_answer_of_two_labels_is_doubted(
        self, finished: Run, visit: Visit, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from bertsent.ui.probe import answer as answer_tab

        monkeypatch.setattr(answer_tab, "doubt_sentence", lambda *_: "Read it as undecided.")
        app = visit(PAGE, probe="Answer")
        assert "Read it as undecided" in read(app)
        assert press(app, "doubt_steps").session_state["probe"] == "Five steps"


@pytest.fixture
def run_of_steps(finished: Run) -> Run:
    """A run whose head was trained for five steps, as far as its files say."""
    import torch
    from safetensors.torch import load_file, save_file

    from bertsent.models.backbone import weights_hash

    config = json.loads((finished.folder / "config.json").read_text())
    config["data"]["task"] = FIVE_STEPS.to_dict()
    (finished.folder / "config.json").write_text(json.dumps(config))
    for folder in finished.checkpoints.glob("step-*"):
        weights = load_file(folder / "model.safetensors")
        head = torch.linspace(-1, 1, 5 * 32).reshape(5, 32) * 2**13
        weights |= {"classifier.weight": head, "classifier.bias": torch.zeros(5)}
        save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
        card = json.loads((folder / "bertsent.json").read_text())
        card |= {
            "task": FIVE_STEPS.to_dict(),
            "bias": [0.0] * 5,
            "sha256": weights_hash(folder / "model.safetensors"),
        }
        (folder / "bertsent.json").write_text(json.dumps(card))
        settings = json.loads((folder / "config.json").read_text())
        settings["id2label"] = {str(i): name for i, name in enumerate(FIVE_STEPS.labels)}
        settings["label2id"] = {name: i for i, name in enumerate(FIVE_STEPS.labels)}
        (folder / "config.json").write_text(json.dumps(settings))
    return finished


def test_a_run_of_one_s_own_answers_its_question(run_of_steps: Run, visit: Visit) -> None:
    app = visit(PAGE, probe="Five steps")
    assert not app.exception and not app.error and drawn(app) == ["five_steps"]
    answers = load(run_of_steps.id).answers([("Great, another boring movie", "")])[0]
    assert f"{100 * answers.max():.1f} %" in read(app)


def test_a_run_of_another_task_is_not_asked_for_two_labels(run_of_steps: Run, visit: Visit) -> None:
    app = visit(PAGE, probe="Why", model=run_of_steps.id)
    assert not app.exception and not app.error
    assert drawn(app) == ["none"] and FIVE_STEPS.title in read(app)
    app = press(app, "ask_on_Five steps")
    assert app.session_state["probe"] == "Five steps" and drawn(app) == ["five_steps"]


def test_it_is_not_offered_where_sentiment_is_meant(run_of_steps: Run, visit: Visit) -> None:
    app = visit(PAGE, probe="Prompt")
    assert not app.exception and "model-box" not in {box.key for box in app.selectbox}


@pytest.mark.parametrize("page", ["4_Attention", "6_Map"])
def test_pages_for_any_encoder_show_its_encoder(run_of_steps: Run, visit: Visit, page: str) -> None:
    app = settled(visit(page, model=run_of_steps.id, map_set="builtin-test", map_count="50"))
    assert not app.exception and not app.error


@pytest.fixture
def three_tasks(lab: Path, tiny_backbone: Path) -> str:
    """A folder of the host with a model that learned three tasks at once, by its name."""
    backbone = load_backbone(str(tiny_backbone))
    model = BertForTasks(backbone.model, THREE_TASKS, "mean").eval()
    save_checkpoint(
        lab / "models" / "three", model, backbone.tokenizer, CheckpointCard(max_length=32)
    )
    return "three"


def test_a_model_of_three_tasks_answers_each_on_its_tab(three_tasks: str, visit: Visit) -> None:
    app = visit(PAGE, probe="Five steps", text="A fine film")
    assert not app.exception and not app.error and drawn(app) == ["five_steps"]
    whole = load(three_tasks)
    steps = whole.part("five-steps").answers([("A fine film", "")])[0]
    assert f"{100 * steps.max():.1f} %" in read(app)
    app = visit(PAGE, probe="Two texts", two_first="A cat sleeps.", two_second="A dog barks.")
    alike = whole.part("similarity").answers([("A cat sleeps.", "A dog barks.")])[0]
    assert f"similarity {alike:.1f} of 5" in app.subheader[0].value.replace("\\", "")
    assert f"Similarity and paraphrase by {three_tasks}." in read(app)
    app = visit(PAGE, probe="Answer", model=three_tasks)
    assert drawn(app) == ["none"] and {"ask_on_Five steps", "ask_on_Two texts"} <= {
        button.key for button in app.button
    }


def test_the_prompt_is_the_lecture_s(lab, visit: Visit) -> None:
    """Row 001-32."""
    app = visit(PAGE, probe="Prompt", text="Great, another boring superhero movie")
    assert app.code[0].value == (
        "Classify the sentiment of the following review as POSITIVE or NEGATIVE.\n"
        "Review: ''Great, another boring superhero movie''\n"
        "Sentiment:"
    )


def test_examples_fill_the_boxes(monkeypatch: pytest.MonkeyPatch) -> None:
    for texts in two_texts.PRESETS.values():
        state: dict[str, str] = {}
        monkeypatch.setattr(two_texts.st, "session_state", state)
        two_texts._take(texts)
        first, second = (state[key] for key in two_texts.TEXTS)
        assert first and second and first != second
