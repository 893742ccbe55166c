"""A/B runs on the Compare tab: the form, the live group, the comparison."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from filelock import FileLock
from streamlit.testing.v1 import AppTest

from bertsent.training.config import TrainingConfig
from bertsent.training.groups import run_group
from bertsent.training.groups.ab import start_ab_runs
from bertsent.training.groups.run_group import RunGroup, list_groups
from bertsent.training.runs.run import delete_run, list_runs
from bertsent.ui.fine_tune.compare_draft import SENTINELS
from bertsent.ui.shared.jobs import jobs
from tests.conftest import wait_until
from tests.ui.conftest import words
from tests.ui.fine_tune.groups_trained_here import copied_group, trained_in
from tests.ui.fine_tune.test_run import PAGE, button, train_here

FAILURE = SENTINELS[0]


@pytest.fixture(scope="session")
def trained_group(tiny_backbone: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of a finished group of two seeds."""
    home = tmp_path_factory.mktemp("group")
    with trained_in(home):
        training = TrainingConfig(
            epochs=2, batch_size=7, max_length=32, encoder_lr=3e-3, head_lr=1e-2
        )
        group = start_ab_runs(
            "toy", training, times=7, seeds=2, model=str(tiny_backbone), sentinels=(FAILURE,)
        )
        assert {run.status().state for _, run in group.found()} == {"finished"}
    return home


@pytest.fixture
def group(lab: Path, trained_group: Path) -> RunGroup:
    return copied_group(trained_group, lab)


@pytest.fixture
def running_group(group: RunGroup) -> Iterator[RunGroup]:
    """The last run of the group lives and has done one epoch."""
    run = group.found()[-1][1]
    lines = (run.folder / "events.jsonl").read_bytes().splitlines(keepends=True)
    kept = next(
        i
        for i, line in enumerate(lines)
        if json.loads(line)["event"] == "evaluated" and json.loads(line)["step"]
    )
    (run.folder / "events.jsonl").write_bytes(b"".join(lines[: kept + 1]))
    with FileLock(run.folder / "lock"):
        yield group


def opened(visit: Callable[..., AppTest], group: RunGroup | None = None) -> AppTest:
    """The Compare tab, as a link to the group opens it."""
    return visit(PAGE, tab="Compare", **({"group": group.name} if group else {}))


def compared(visit: Callable[..., AppTest], group: RunGroup) -> AppTest:
    """The page once the models were asked about the test reviews."""
    app = opened(visit, group)
    found = jobs()._jobs.values()
    wait_until(lambda: found and all(job.over for job in found), every=0.2)
    return app.run()


def test_the_form_says_what_both_arms_amount_to(lab: Path, visit: Callable[..., AppTest]) -> None:
    app = opened(visit)
    assert not app.exception and not app.error
    text = words(app).replace("\\", "")
    for numbers in ("56 reviews, 8 steps", "112 reviews, 16 steps", "15 reviews", "2 runs of 6"):
        assert numbers in text
    app.selectbox(key="group-rows").set_value("sarcasm").run()
    app.segmented_control(key="group-kind").set_value("Built-in").run()
    assert not app.exception and not app.error
    assert "the same 733 reviews" in words(app)


def test_imdb_that_is_not_here_is_offered_as_a_download(
    lab: Path, visit: Callable[..., AppTest]
) -> None:
    app = opened(visit)
    app.segmented_control(key="group-kind").set_value("IMDb or Hub").run()
    assert not app.exception and not app.error
    assert not any(b.key == "group-start" for b in app.button)
    assert any(b.key == "fetch-dataset" for b in app.button)


def test_ab_runs_are_started_from_the_form(
    visit: Callable[..., AppTest], lab: Path, tiny_backbone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (lab / "models").mkdir()
    (lab / "models" / "tiny").symlink_to(tiny_backbone)
    app = opened(visit)
    app.selectbox(key="group-model").set_value("tiny")
    app.number_input(key="group-ab-Toy-epochs").set_value(1)
    app.number_input(key="group-ab-Toy-length").set_value(32)
    launched: list[str] = []
    monkeypatch.setattr(run_group, "launch", lambda run: launched.append(run.id))
    button(app, "group-start").click().run()
    assert not app.exception and not app.error
    (group,) = list_groups()
    assert (group.kind, group.times, group.epochs, len(group.members)) == ("ab", 7, 1, 2)
    assert app.query_params["group"] in (group.name, [group.name])
    assert all(run.config.sentinels[0] == FAILURE for _, run in group.found())
    assert launched == [member.run for member in group.members]
    assert "0 of 2 runs finished" in words(app)


def test_a_finished_group_is_compared_beside_the_published_one(
    group: RunGroup, visit: Callable[..., AppTest]
) -> None:
    app = compared(visit, group)
    assert not app.exception and not app.error
    text = words(app).replace("\\", "")
    assert "4 of 4 runs finished" in text
    for reviews in ("15 validation reviews", "built-in test reviews"):
        assert f"{reviews}, " in text and "95 % interval" in text
    assert "means of 2 seeds" in text and "McNemar's exact p = " in text
    for published in (
        "Negative       1.00      0.14      0.25         7",
        "Negative       1.00      0.88      0.93         8",
    ):
        assert text.count(published) == 1, "the published report, verbatim, beside ours"
    assert "val_accuracy: 0.9462 (sic)" in text and "0.8462 = 11/13 fits" in text
    assert "69 to 81 rows" in text and "7 of 13 right, 14 % of the negative ones" in text
    assert "more frequent label" in text
    table = next(d.value for d in app.dataframe if "progress" in d.value)
    assert table["arm"].tolist() == ["without", "with"] * 2 and set(table["state"]) == {"finished"}
    assert (
        FAILURE
        in next(d.value for d in app.dataframe if "sentence" in d.value)["sentence"].tolist()
    )
    differences = next(d.value for d in app.dataframe if "corrected" in d.value)
    assert {"all", "sarcasm", "negation"} <= set(differences["slice"])


def test_the_published_figures_are_there_before_ones_own(visit: Callable[..., AppTest]) -> None:
    app = visit(PAGE, tab="Compare")
    assert not app.exception and not app.error
    assert "7 of 13 validation reviews" in words(app) and "14 of 15" in words(app)
    assert app.get("vega_lite_chart") or app.get("arrow_vega_lite_chart")


def test_the_flips_on_the_page_are_those_of_the_scores(
    group: RunGroup, visit: Callable[..., AppTest]
) -> None:
    app = compared(visit, group)
    app.segmented_control(key="ab-changed-of").set_value("validation reviews").run()
    assert not app.exception
    expected = set()
    for seed in group.seeds:
        one, other = (run for member, run in group.found() if member.seed == seed)
        step = {run: run.history().evaluations[-1].step for run in (one, other)}
        for example, a, b in zip(
            one.splits().validation, one.scores(step[one]), other.scores(step[other]), strict=True
        ):
            if (a > 0.5) != (b > 0.5):
                expected.add((seed, example.id))
    tables = [d.value for d in app.dataframe if "p_without" in d.value]
    shown = {(row.seed, row.id) for table in tables for row in table.itertuples()}
    assert shown == expected


def test_a_seed_can_be_chosen(group: RunGroup, visit: Callable[..., AppTest]) -> None:
    app = compared(visit, group)
    app.segmented_control(key="ab-seed").set_value(43).run()
    assert not app.exception and "seed 43, 15 validation reviews" in words(app)


def test_a_live_group_offers_pause_and_stop_and_asks_the_live_runs(
    running_group: RunGroup, visit: Callable[..., AppTest]
) -> None:
    app = opened(visit, running_group)
    assert not app.exception
    text = words(app).replace("\\", "")
    assert "3 of 4 runs finished · " in text and " left" in text
    button(app, f"pause-{running_group.name}").click().run()
    run = running_group.found()[-1][1]
    assert run.requested() == "pause" and not app.exception
    assert running_group.found()[0][1].requested() == "", "a finished run is not asked"


def test_stop_all_asks_the_live_runs_and_only_once(
    running_group: RunGroup, visit: Callable[..., AppTest]
) -> None:
    app = opened(visit, running_group)
    button(app, f"stop-{running_group.name}").click().run()
    assert not app.exception
    assert [run.requested() for _, run in running_group.found()] == ["", "", "", "stop"], (
        "a finished run is not asked"
    )
    assert button(app, f"stop-{running_group.name}").disabled
    assert app.dataframe[0].value["state"].tolist() == [*["finished"] * 3, "running, asked to stop"]


def test_an_interrupted_group_is_resumed_to_its_end(
    group: RunGroup, visit: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = group.found()[-1][1]
    lines = (run.folder / "events.jsonl").read_bytes().splitlines(keepends=True)
    (run.folder / "events.jsonl").write_bytes(b"".join(lines[:-1]))
    monkeypatch.setattr(run_group, "launch", train_here)
    app = opened(visit, group)
    assert "3 of 4 runs finished" in words(app)
    button(app, f"resume-{group.name}").click().run()
    assert not app.exception and "4 of 4 runs finished" in words(app)
    assert run.status().state == "finished"


def test_a_deleted_run_is_named_and_the_other_seed_is_still_compared(
    group: RunGroup, visit: Callable[..., AppTest]
) -> None:
    gone = group.found()[0][1]
    delete_run(gone)
    app = compared(visit, group)
    assert not app.exception
    assert any(gone.id in w.value.replace("\\", "") for w in app.warning)
    assert "seed 43, 15 validation reviews" in words(app)
    for run in list_runs():
        delete_run(run)
    app.run()
    assert not app.exception and "All runs of this group were deleted" in words(app)


def test_a_damaged_file_is_named_and_the_others_are_shown(
    lab: Path, group: RunGroup, visit: Callable[..., AppTest]
) -> None:
    ((lab / "groups" / f"{group.name}.json").with_name("broken-ab.json")).write_text(
        '{"name": "broken'
    )
    app = opened(visit, group)
    assert not app.exception and "broken-ab" in words(app).replace("\\", "")
    assert list_groups() == [group]
