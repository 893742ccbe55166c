"""Three tasks at once on the Compare tab: the form, a group as it stands, the published table."""

from collections.abc import Callable
from functools import partial
from operator import eq
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from bertsent.data.task_sets import SMALL_SETS, small_set
from bertsent.models.head_options import HeadOptions
from bertsent.probing.registry import models_that_answer
from bertsent.tasks.catalogue import FIVE_STEPS, PARAPHRASE, SIMILARITY
from bertsent.tasks.mixed import WEIGHTED
from bertsent.training.config import TrainingConfig
from bertsent.training.groups import run_group
from bertsent.training.groups.run_group import RunGroup, list_groups
from bertsent.training.groups.three_tasks import TaskSets, start_three_tasks
from bertsent.training.runs.run import find_run
from bertsent.ui.fine_tune import new_run, three_tasks_asked
from bertsent.ui.fine_tune.compare_draft import STARTED
from bertsent.ui.fine_tune.three_tasks_asked import CLAIMS, EXAMPLES, TITLES, VECTORS
from bertsent.ui.probe.task_models import load_task_model
from bertsent.ui.shared import task_tabs
from bertsent.ui.shared.jobs import jobs
from tests.conftest import wait_until
from tests.own_mixture import pair_sets, steps_set
from tests.ui.conftest import words
from tests.ui.fine_tune.groups_trained_here import copied_group, trained_in
from tests.ui.fine_tune.test_run import PAGE, button


@pytest.fixture(scope="session")
def trained_tasks(tiny_backbone: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of a finished group of four runs."""
    home = tmp_path_factory.mktemp("tasks")
    with trained_in(home):
        training = TrainingConfig(
            epochs=1, batch_size=12, epoch_rows=36, max_length=32, encoder_lr=3e-3, head_lr=1e-2
        )
        sets = TaskSets((steps_set(), *pair_sets()))
        start_three_tasks(sets, training, ("CLS", "JS"), model=str(tiny_backbone))
    return home


@pytest.fixture
def group(lab: Path, trained_tasks: Path) -> RunGroup:
    return copied_group(trained_tasks, lab)


def test_the_published_table_has_eighteen_rows_and_says_that_it_is_published(
    lab: Path, visit: Callable[..., AppTest]
) -> None:
    app = visit(PAGE, tab="Compare", group="published-configurations")
    assert not app.exception and not app.error
    (table,) = [each.value for each in app.dataframe]
    assert len(table) == 18
    text = words(app).replace("\\", "")
    assert "Published, not measured here" in text and "0.675 with it and 0.679 without" in text


def test_sixteen_runs_are_started_from_the_form(
    visit: Callable[..., AppTest], lab: Path, tiny_backbone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (lab / "models").mkdir()
    (lab / "models" / "tiny").symlink_to(tiny_backbone)
    app = visit(PAGE, tab="Compare")
    app.segmented_control(key="group-compare").set_value("Three tasks at once").run()
    app.selectbox(key="group-model").set_value("tiny").run()
    assert not app.exception and not app.error
    assert "16 runs of 3 epochs with 768 rows each" in words(app)
    app.multiselect(key="group-tasks-factors").set_value(["SW", "ED"]).run()
    launched: list[str] = []
    monkeypatch.setattr(run_group, "launch", lambda run: launched.append(run.id))
    button(app, "group-start").click().run()
    assert not app.exception and not app.error
    (begun,) = list_groups()
    assert (begun.kind, begun.factors, len(launched)) == ("tasks", ("SW", "ED"), 4)
    assert "0 of 4 runs finished" in words(app)
    assert app.session_state[STARTED] == 1, "what was started is brought into sight"


def test_no_settings_at_all_are_refused_in_a_sentence(
    lab: Path, visit: Callable[..., AppTest]
) -> None:
    app = visit(PAGE, tab="Compare")
    app.segmented_control(key="group-compare").set_value("Three tasks at once").run()
    app.multiselect(key="group-tasks-factors").set_value([]).run()
    assert not app.exception and len(app.error) == 1


def test_a_group_shows_each_run_and_what_its_settings_change(
    visit: Callable[..., AppTest], group: RunGroup
) -> None:
    app = visit(PAGE, tab="Compare", group=group.name)
    assert not app.exception and not app.error
    (table,) = [each.value for each in app.dataframe]
    assert table["configuration"].tolist() == ["!CLS, !JS", "!CLS, JS", "CLS, !JS", "CLS, JS"]
    numbers = table[["SST", "PARA", "STS", "mean"]].replace("−", "-", regex=True).astype(float)
    means = numbers[["SST", "PARA", "STS"]].mean(axis=1)
    assert numbers["mean"].tolist() == pytest.approx(means.tolist(), abs=1.1e-3)
    app.segmented_control(key="tasks-result").set_value("STS").run()
    assert not app.exception and "CLS" in words(app)


def test_the_published_rows_stand_beside_those_of_a_group(
    visit: Callable[..., AppTest], group: RunGroup
) -> None:
    app = visit(PAGE, tab="Compare", group=group.name)
    app.session_state["three-published"] = True
    app.run()
    assert not app.exception and not app.error
    assert [len(each.value) for each in app.dataframe] == [4, 18]
    assert "Published, not measured here" in words(app)


def test_a_run_of_three_tasks_opens_on_fine_tune(
    visit: Callable[..., AppTest], group: RunGroup
) -> None:
    app = visit(PAGE, tab="Run", run=group.members[0].run)
    assert not app.exception and not app.error


def test_its_report_is_one_of_each_task(visit: Callable[..., AppTest], group: RunGroup) -> None:
    app = visit(PAGE, tab="Run", run=group.members[0].run)
    control = app.segmented_control(key="report-part")
    assert control.value == "five-steps" and "very negative" in words(app)
    for name in ("paraphrase", "similarity"):
        app.segmented_control(key="report-part").set_value(name).run()
        assert not app.exception and not app.error
    assert "Pearson" in words(app)


def test_it_is_offered_as_a_model_of_each_of_its_tasks(group: RunGroup) -> None:
    run = group.members[0].run
    for task in (FIVE_STEPS, PARAPHRASE, SIMILARITY):
        found = models_that_answer(partial(eq, task))  # not task.__eq__, true of any other kind
        assert run in {model.name for model in found}
    pair = [("the cat 3 sleeps", "cat 3 is asleep")]
    assert load_task_model(run, task_tabs.SIMILARITY).answers(pair).shape == (1,)


@pytest.mark.parametrize("box", TITLES)
def test_a_run_of_the_group_is_asked(
    visit: Callable[..., AppTest], group: RunGroup, monkeypatch: pytest.MonkeyPatch, box: str
) -> None:
    few = {name: small_set(name).take(range(0, 400, 20)) for name in SMALL_SETS}
    monkeypatch.setattr(three_tasks_asked, "small_set", few.__getitem__)
    app = visit(PAGE, tab="Compare", group=group.name)
    app.session_state[f"three-{box}"] = True
    app.run()
    found = jobs()._jobs.values()
    wait_until(lambda: all(job.over for job in found), every=0.2)
    app.run()
    assert not app.exception and not [each.value for each in app.error]
    text = words(app).replace("\\", "")
    said = {EXAMPLES: "of 9 right", VECTORS: "ahead of [CLS] in", CLAIMS: "Claimed: "}
    assert said[box] in text


def test_a_new_run_learns_three_tasks_with_the_heads_that_were_chosen(
    visit: Callable[..., AppTest], lab: Path, tiny_backbone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (lab / "models").mkdir()
    (lab / "models" / "tiny").symlink_to(tiny_backbone)
    app = visit(PAGE, tab="New run", learn="three-tasks")
    app.selectbox(key="draft-model").set_value("tiny").run()
    assert not app.exception and not [each.value for each in app.error]
    app.selectbox(key="draft-heads").set_value("feed-forward")
    app.checkbox(key="draft-jaccard").set_value(True)
    app.number_input(key="draft-epoch-rows").set_value(48)
    app.segmented_control(key="reviews-loss-weights").set_value("weighted").run()
    launched: list[str] = []
    monkeypatch.setattr(new_run, "launch", lambda run: launched.append(run.id))
    button(app, "start").click().run()
    assert not app.exception and not [each.value for each in app.error]
    config = find_run(launched[0]).config
    assert config.task == WEIGHTED and config.training.epoch_rows == 48
    assert config.training.head_options == HeadOptions("feed-forward", jaccard=True)
    assert config.data.train_rows > 1_000


def test_three_tasks_ask_for_three_files(lab: Path, visit: Callable[..., AppTest]) -> None:
    app = visit(PAGE, tab="New run", learn="three-tasks")
    app.segmented_control(key="reviews-kind").set_value("Upload").run()
    assert not app.exception and len(app.file_uploader) == 3
    steps = "text,label\n" + "\n".join(f"text {i},{i % 5}" for i in range(40))
    same = "text1,text2,label\n" + "\n".join(f"a {i},b {i},{i % 2}" for i in range(40))
    alike = "text1,text2,score\n" + "\n".join(f"a {i},b {i},{i % 6}" for i in range(40))
    for box, content in zip(app.file_uploader, (steps, same, alike), strict=True):
        box.upload("rows.csv", content.encode())
    app.run()
    assert not app.exception and not [each.value for each in app.error]
    assert "120 rows" in words(app)
