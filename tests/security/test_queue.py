"""The queue is capped per person and in all, and what is impossible or hopeless never joins it."""

import os
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest
from filelock import FileLock
from streamlit.testing.v1 import AppTest

from bertsent.data.examples import Reviews
from bertsent.data.splits import split
from bertsent.errors import Busy, NotAllowed
from bertsent.models.backbone import builtin_folder
from bertsent.settings import LIMITS
from bertsent.training.config import TrainingConfig
from bertsent.training.groups.grid import start_grid
from bertsent.training.precision import PrecisionMeasurement, save_measurement
from bertsent.training.runs import admission
from bertsent.training.runs.admission import Waiting, check_admission, starts_in, waiting
from bertsent.training.runs.expected import Expected, expect, keep_expected, read_expected
from bertsent.training.runs.run import Run, create_run, list_runs
from bertsent.ui.fine_tune import new_run
from bertsent.ui.shared import rights
from tests.security.conftest import ANN, BEN, forged
from tests.ui.conftest import words
from tests.ui.fine_tune.test_run import PAGE, button

GIB = 2.0**30


@pytest.fixture
def prepared(lab: Path, toy_reviews: Reviews) -> Callable[..., Run]:
    def make(owner: str, seconds: float | None = 10.0) -> Run:
        expected = Expected(seconds, 1)
        return create_run(
            split(toy_reviews), TrainingConfig(), source="toy", owner=owner, expected=expected
        )

    return make


def test_a_person_and_the_lab_have_bounds() -> None:
    one = [Expected(1.0, 1)]
    check_admission(one, Waiting(LIMITS.runs_waiting - 1, LIMITS.runs_each - 1), GIB)
    with pytest.raises(Busy, match="a person may have"):
        check_admission(one, Waiting(20, LIMITS.runs_each), GIB)
    with pytest.raises(Busy, match="queue of this lab"):
        check_admission(one, Waiting(LIMITS.runs_waiting, 0), GIB)
    with pytest.raises(Busy, match="a person may have"):
        check_admission(one * (LIMITS.runs_each + 1), Waiting(), GIB)


def test_what_is_hopeless_or_impossible_is_refused_with_the_reason() -> None:
    limit = 60.0 * LIMITS.run_minutes
    check_admission([Expected(limit, 1), Expected(None, 1)], Waiting(), GIB)
    with pytest.raises(NotAllowed, match="30 min"):
        check_admission([Expected(limit / 2 + 1, 1)] * 2, Waiting(), GIB)
    with pytest.raises(NotAllowed, match="2.1 GB of memory, and 1.1 GB are free"):
        check_admission([Expected(1.0, int(2 * GIB))], Waiting(), GIB)


def test_a_run_counts_from_when_it_is_prepared_and_not_for_ever(
    prepared: Callable[..., Run],
) -> None:
    """Who prepares many at once must not slip through before their workers live."""
    first, second = prepared(ANN), prepared(ANN)
    prepared(BEN)
    assert waiting(ANN) == Waiting(3, 2, 30.0)
    assert waiting(ANN, besides=[second]) == Waiting(2, 1, 20.0)

    old = time.time() - admission.STARTING - 1
    os.utime(first.folder / "config.json", (old, old))
    assert waiting(ANN).own == 1
    with FileLock(first.folder / "lock"):
        assert waiting(ANN).own == 2
    assert waiting(BEN, besides=list_runs()).seconds == 0.0


def test_place_and_time_left(prepared: Callable[..., Run], lab: Path) -> None:
    runs = [prepared(ANN, 100.0), prepared(BEN, 40.0), prepared(BEN, 5.0)]
    queue = lab / "queue" / "cpu"
    queue.mkdir(parents=True)
    with ExitStack() as held:
        for place, run in enumerate(runs):
            held.enter_context(FileLock(run.folder / "lock"))
            if place:  # the first has the device
                (queue / f"{place:020d}~{run.id}").touch()
        assert [run.status().queue_position for run in runs] == [0, 1, 2]
        assert [starts_in(run) for run in runs[1:]] == [100.0, 140.0]
        keep_expected(runs[1].folder, Expected(None, 1))
        assert starts_in(runs[2]) is None


def test_seconds_and_memory_grow_as_the_work_does(toy_reviews: Reviews) -> None:
    save_measurement(PrecisionMeasurement(fp32=2000.0, bf16=1000.0))
    splits, folder = split(toy_reviews), builtin_folder()
    base = TrainingConfig(epochs=1, batch_size=8, max_length=64)
    usual = expect(splits, base, folder)
    read = sum(min(64, 2 + len(text) / 4.5) for text in splits.train.texts)
    scored = sum(min(64, 2 + len(text) / 4.5) for text in splits.validation.texts)
    assert usual.seconds == pytest.approx((read + 2 * scored / 3) / 2000.0, rel=1e-3)
    head = expect(splits, replace(base, trains="head"), folder)
    assert head.seconds is not None and usual.seconds is not None
    assert head.seconds == pytest.approx((read + 2 * scored) / 3 / 2000.0, rel=1e-3)
    assert head.memory < usual.memory < expect(splits, replace(base, batch_size=64), folder).memory
    # 22.6 million parameters in fp32, with gradients and two moments: 16 bytes each
    assert usual.memory > 16 * 22.5e6


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"seconds": "x", "memory": 1}', "[" * 9999])
def test_a_damaged_expectation_is_unknown(finished: Run, content: str) -> None:
    (finished.folder / "expected.json").write_text(content)
    assert read_expected(finished.folder) == Expected()


def test_a_refused_run_cannot_be_forced_and_leaves_nothing(
    visit: Callable[..., AppTest],
    looks: Callable[..., None],
    lab: Path,
    tiny_backbone: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (lab / "models").mkdir()
    (lab / "models" / "tiny").symlink_to(tiny_backbone)
    launched: list[str] = []
    monkeypatch.setattr(new_run, "launch", lambda run: launched.append(run.id))
    full = Waiting(LIMITS.runs_each, LIMITS.runs_each)
    monkeypatch.setattr(rights, "waiting", lambda *_: full)
    looks(ANN)
    app = visit(PAGE)
    app.selectbox(key="draft-model").set_value("tiny").run()
    assert button(app, "start").disabled and "a person may have 6" in words(app)
    app = forged(button(app, "start")).click().run()
    assert not app.exception and launched == [] and list_runs() == []
    looks(ANN, host=True)
    button(app.run(), "start").click().run()
    assert len(launched) == 1, "the host has no bounds"


def test_a_refused_group_leaves_nothing(
    lab: Path, toy_reviews: Reviews, tiny_backbone: Path
) -> None:
    def refuse(runs: list[Run]) -> None:
        assert len(runs) == 2 and all(read_expected(run.folder).memory for run in runs)
        raise Busy("The queue is full.")

    with pytest.raises(Busy):
        start_grid(
            split(toy_reviews),
            TrainingConfig(max_length=32),
            {"seed": [1, 2]},
            source="toy",
            model=str(tiny_backbone),
            owner=ANN,
            admit=refuse,
        )
    assert list_runs() == [] and not list((lab / "groups").glob("*"))
