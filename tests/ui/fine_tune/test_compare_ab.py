"""Twin runs on the Fine-tune page: the form, the living group, the comparison."""

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from filelock import FileLock
from streamlit.testing.v1 import AppTest

from bertsent.training.config import TrainingConfig
from bertsent.training.groups import ab as engine
from bertsent.training.groups.ab import Twins, find_twins, list_twins, start_twins, twins_folder
from bertsent.training.runs.run import Run, delete_run, list_runs
from bertsent.training.worker import _training
from bertsent.ui.fine_tune.compare_ab_draft import FAILURE
from bertsent.ui.shared.jobs import jobs
from tests.conftest import wait_until
from tests.ui.conftest import words
from tests.ui.fine_tune.test_run import button

PAGE = "2_Fine-tune"


def train_here(run: Run) -> None:
    """What a worker does, in this process: four of them would import torch four times."""
    for event in _training(run, lambda: ""):
        run.log.append(event)


@pytest.fixture(scope="session")
def trained_twins(tiny_backbone: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of a finished group of two seeds."""
    home = tmp_path_factory.mktemp("twins")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BERTSENT_HOME", str(home))
        patch.setenv("BERTSENT_DEVICE", "cpu")
        patch.setattr(engine, "launch", train_here)
        training = TrainingConfig(
            epochs=2, batch_size=7, max_length=32, encoder_lr=3e-3, head_lr=1e-2
        )
        group = start_twins(
            "toy", training, times=7, seeds=2, model=str(tiny_backbone), sentinels=(FAILURE,)
        )
        assert {run.status().state for _, run in group.found()} == {"finished"}
    return home


@pytest.fixture
def group(lab: Path, trained_twins: Path) -> Twins:
    for part in ("runs", "twins"):
        shutil.copytree(trained_twins / part, lab / part)
    return list_twins()[0]


@pytest.fixture
def running_group(group: Twins) -> Iterator[Twins]:
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


def opened(visit: Callable[..., AppTest], group: Twins | None = None) -> AppTest:
    """The page with the box open, as a link to the group opens it."""
    return visit(PAGE, twins=group.name if group else "any")


def compared(visit: Callable[..., AppTest], group: Twins) -> AppTest:
    """The page once the models were asked about the test reviews."""
    app = opened(visit, group)
    found = jobs()._jobs.values()
    wait_until(lambda: found and all(job.over for job in found), 120, every=0.2)
    return app.run()


def test_the_closed_box_costs_nothing_and_stays_out_of_the_link(
    group: Twins, visit: Callable[..., AppTest]
) -> None:
    app = visit(PAGE)
    assert not app.exception and not app.error
    assert not [b for b in app.button if b.key == "twins-start"] and "twins" not in app.query_params


def test_the_form_says_what_both_arms_amount_to(lab: Path, visit: Callable[..., AppTest]) -> None:
    app = opened(visit)
    assert not app.exception and not app.error
    text = words(app).replace("\\", "")
    assert (
        "without: 56 reviews, 8 steps an epoch · with: 112 reviews, 16 steps an epoch · both "
        "judged on the same 15 reviews" in text
    )
    assert "2 runs of 6 epochs" in text
    app.selectbox(key="twins-rows").set_value("sarcasm").run()
    app.selectbox(key="twins-source").set_value("builtin").run()
    assert not app.exception and not app.error
    assert "both judged on the same 785 reviews" in words(app)


def test_imdb_that_is_not_here_is_told_and_the_rest_stays(
    lab: Path, visit: Callable[..., AppTest]
) -> None:
    app = opened(visit)
    app.selectbox(key="twins-source").set_value("imdb").run()
    assert not app.exception
    assert any("imdb" in e.value for e in app.error) and button(app, "twins-start").disabled


def test_twins_are_started_from_the_form(
    visit: Callable[..., AppTest], lab: Path, tiny_backbone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (lab / "models").mkdir()
    (lab / "models" / "tiny").symlink_to(tiny_backbone)
    app = opened(visit)
    app.selectbox(key="twins-model").set_value(str(lab / "models" / "tiny"))
    app.number_input(key="twins-epochs-toy").set_value(1)
    app.number_input(key="twins-length-toy").set_value(32)
    launched: list[str] = []
    monkeypatch.setattr(engine, "launch", lambda run: launched.append(run.id))
    button(app, "twins-start").click().run()
    assert not app.exception and not app.error
    (group,) = list_twins()
    assert (group.times, group.epochs, len(group.members)) == (7, 1, 2)
    assert app.query_params["twins"] == group.name
    assert all(run.config.sentinels[0] == FAILURE for _, run in group.found())
    assert launched == [member.run for member in group.members]
    assert "0 of 2 runs done" in words(app)


def test_a_finished_group_is_compared_beside_the_published_one(
    group: Twins, visit: Callable[..., AppTest]
) -> None:
    app = compared(visit, group)
    assert not app.exception and not app.error and app.query_params["twins"] == group.name
    text = words(app).replace("\\", "")
    assert "4 of 4 runs done" in text
    for reviews in ("15 validation reviews", "built-in test reviews"):
        assert f"{reviews}, " in text and "95 % interval" in text
    assert "means of 2 seeds" in text and "McNemar's exact p = " in text
    assert text.count("Negative       1.00      0.14      0.25         7") == 1, (
        "the published report, verbatim"
    )
    assert text.count("Negative       1.00      0.88      0.93         8") == 1
    assert "val_accuracy: 0.9462 (sic)" in text and "0.8462 = 11/13 fits" in text
    assert "69 to 81 rows" in text and "7 of 13 right, 14% of the negative ones" in text
    table = next(d.value for d in app.dataframe if "progress" in d.value)
    assert table["arm"].tolist() == ["without", "with"] * 2 and set(table["state"]) == {"finished"}
    assert (
        FAILURE
        in next(d.value for d in app.dataframe if "sentence" in d.value)["sentence"].tolist()
    )
    differences = next(d.value for d in app.dataframe if "corrected" in d.value)
    assert {"all", "sarcasm", "negation"} <= set(differences["slice"])


def test_the_flips_on_the_page_are_those_of_the_scores(
    group: Twins, visit: Callable[..., AppTest]
) -> None:
    app = compared(visit, group)
    app.segmented_control(key="twins-flips-of").set_value("validation reviews").run()
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


def test_a_seed_can_be_chosen(group: Twins, visit: Callable[..., AppTest]) -> None:
    app = compared(visit, group)
    app.segmented_control(key="twins-seed").set_value(43).run()
    assert not app.exception and "seed 43, 15 validation reviews" in words(app)


def test_a_living_group_offers_pause_and_stop_and_asks_who_lives(
    running_group: Twins, visit: Callable[..., AppTest]
) -> None:
    app = opened(visit, running_group)
    assert not app.exception
    text = words(app).replace("\\", "")
    assert "3 of 4 runs done · " in text and " left" in text
    button(app, f"twins-pause-{running_group.name}").click().run()
    run = running_group.found()[-1][1]
    assert run.requested() == "pause" and not app.exception
    assert running_group.found()[0][1].requested() == "", "who is done is not asked"


def test_stop_all_asks_those_that_live_and_cannot_be_asked_twice(
    running_group: Twins, visit: Callable[..., AppTest]
) -> None:
    app = opened(visit, running_group)
    button(app, f"twins-stop-{running_group.name}").click().run()
    assert not app.exception
    assert [run.requested() for _, run in running_group.found()] == ["", "", "", "stop"], (
        "who is done is not asked"
    )
    assert button(app, f"twins-stop-{running_group.name}").disabled
    assert app.dataframe[0].value["state"].tolist() == [*["finished"] * 3, "running, asked to stop"]


def test_an_interrupted_group_is_resumed_to_its_end(
    group: Twins, visit: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = group.found()[-1][1]
    lines = (run.folder / "events.jsonl").read_bytes().splitlines(keepends=True)
    (run.folder / "events.jsonl").write_bytes(b"".join(lines[:-1]))
    monkeypatch.setattr(engine, "launch", train_here)
    app = opened(visit, group)
    assert "3 of 4 runs done" in words(app)
    button(app, f"twins-resume-{group.name}").click().run()
    assert not app.exception and "4 of 4 runs done" in words(app)
    assert run.status().state == "finished"


def test_a_deleted_run_is_told_and_the_other_seed_is_still_compared(
    group: Twins, visit: Callable[..., AppTest]
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


def test_a_damaged_file_is_told_and_the_others_are_shown(
    group: Twins, visit: Callable[..., AppTest]
) -> None:
    (twins_folder() / "broken-twins.json").write_text('{"name": "broken')
    app = opened(visit, group)
    assert not app.exception and "broken-twins" in words(app).replace("\\", "")
    assert find_twins(group.name) == group
