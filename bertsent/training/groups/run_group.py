"""Runs that were prepared together: one JSON file names them, each run has its own folder.

``BERTSENT_HOME/groups/NAME.json`` is written once and never changed; how the runs stand is read
from the runs themselves. Groups that were saved before version 0.2 are read from ``twins`` (A/B
runs) and ``labs`` (grids).
"""

import itertools
import json
import re
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from bertsent.data.examples import Splits
from bertsent.data.paired_splits import ROWS
from bertsent.errors import BadInput, BertsentError, NotAvailable
from bertsent.files import write_atomically
from bertsent.progress import Progress, no_progress
from bertsent.settings import home
from bertsent.training.config import TrainingConfig, check_fields, from_dict
from bertsent.training.runs.history import History
from bertsent.training.runs.launcher import launch, prepare_split_run
from bertsent.training.runs.notes import write_note
from bertsent.training.runs.run import Run, Status, delete_run, find_run, suggest_name

Kind = Literal["ab", "grid", "tasks"]
ARMS = ("without", "with")
FURTHER_PRETRAINING = "further-pretraining"  # the arms of A/B runs begin with different encoders
FACTORS = ("pooling", "trains", "encoder_lr", "seed")  # settings that a grid varies
# settings that are on or off where three tasks are learned at once (groups.three_tasks)
TASK_FACTORS = ("CLS", "SW", "WL", "ED", "JS", "FF")
FOLDERS = ("groups", "twins", "labs")
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,60}")


@dataclass(frozen=True)
class Member:
    """One run of a group. ``seed`` and ``sha256`` (of its reviews) tell it from another run that
    took its name; grids saved before version 0.2 have neither.
    """

    run: str
    seed: int = 0
    sha256: str = ""
    arm: str = ""  # of A/B runs; of three tasks at once, which settings are on
    times: int = 0  # how often each contrastive review is repeated in the arm with them

    def __post_init__(self) -> None:
        check_fields(self)

    def find(self) -> Run | None:
        """The run, None when it was deleted."""
        try:
            run = find_run(self.run)
            found = (run.config.data.sha256, run.config.training.seed)
        except BertsentError:
            return None
        return run if not self.sha256 or found == (self.sha256, self.seed) else None


@dataclass(frozen=True)
class MemberState:
    """A run of a group as it stands."""

    member: Member
    run: Run
    history: History
    status: Status


@dataclass(frozen=True)
class RunGroup:
    """Runs that differ in ``factors`` only (``kind`` "grid", or "tasks" for three tasks at once),
    or in contrastive reviews, or the encoder they begin with, and seed (``kind`` "ab").
    """

    name: str
    kind: Kind
    created: float  # seconds since 1970
    source: str
    members: tuple[Member, ...]  # in the order in which they train
    model: str = ""
    epochs: int = 1
    factors: tuple[str, ...] = ()
    rows: str = ""  # of A/B runs: a key of data.paired_splits.ROWS, or FURTHER_PRETRAINING
    times: int = 0

    def __post_init__(self) -> None:
        check_fields(self)
        factors = {"grid": FACTORS, "tasks": TASK_FACTORS}.get(self.kind)
        known = factors is not None and set(self.factors) <= set(factors)
        if self.kind == "ab":
            known = self.rows in (*ROWS, FURTHER_PRETRAINING) and {
                member.arm for member in self.members
            } <= set(ARMS)
        if not (known and self.members and _NAME.fullmatch(self.name)):
            raise BadInput(f"“{self.name[:60]}” is no group of runs.", "Start one under Compare.")

    @property
    def differs_in(self) -> str:
        """What one arm of A/B runs has and the other has not, in words."""
        pretrained = self.rows == FURTHER_PRETRAINING
        return "further pretraining" if pretrained else "contrastive reviews"

    @property
    def seeds(self) -> tuple[int, ...]:
        return tuple(dict.fromkeys(member.seed for member in self.members))

    def found(self) -> list[tuple[Member, Run]]:
        """The members that are still there, in order."""
        return [(member, run) for member in self.members if (run := member.find()) is not None]

    def lost(self) -> tuple[str, ...]:
        """Names of the members that were deleted."""
        return tuple(member.run for member in self.members if member.find() is None)


@dataclass(frozen=True)
class PlannedRun:
    """A run to be prepared for a group; ``title`` says how it differs from the others."""

    splits: Splits
    training: TrainingConfig
    title: str
    arm: str = ""
    times: int = 0
    contrastive_share: float = 0.0
    model: str = ""  # the backbone, where it is not that of the whole group


def start_group(
    kind: Kind,
    plans: Sequence[PlannedRun],
    *,
    source: str,
    model: str,
    sentinels: tuple[str, ...] = (),
    factors: tuple[str, ...] = (),
    rows: str = "",
    times: int = 0,
    owner: str = "",
    admit: Callable[[Sequence[Run]], None] = lambda runs: None,
    progress: Progress = no_progress,
) -> RunGroup:
    """Prepare a run for each plan, save the group and launch the workers, which wait for each
    other. ``admit`` raises where the prepared runs may not start, ``progress`` where it was
    cancelled; then nothing is kept.

    Raises:
        BertsentError: what is wrong with the request, or the disk is full; then nothing is kept.
    """
    taken = {path.stem.rpartition("-")[0] for path in _files()}
    name, runs = f"{suggest_name(taken)}-{kind}", []
    try:
        with ExitStack() as undo:
            for plan in plans:
                run = prepare_split_run(
                    plan.splits,
                    plan.training,
                    source=source,
                    model=plan.model or model,
                    contrastive_share=plan.contrastive_share,
                    sentinels=sentinels,
                    owner=owner,
                )
                undo.callback(delete_run, run)
                write_note(run.folder, f"{plan.title} · {name}"[:80], "")
                runs.append(run)
                progress(len(runs) / len(plans))
            group = RunGroup(
                name=name,
                kind=kind,
                created=time.time(),
                source=source,
                members=tuple(
                    Member(run.id, plan.training.seed, plan.splits.sha256, plan.arm, plan.times)
                    for run, plan in zip(runs, plans, strict=True)
                ),
                model=runs[0].config.model,
                epochs=plans[0].training.epochs,
                factors=factors,
                rows=rows,
                times=times,
            )
            admit(runs)
            _save(group)
            undo.pop_all()
    except OSError as error:
        raise NotAvailable(
            f"The runs cannot be written ({error.strerror}).", "Free or unlock the disk."
        ) from None
    for run in runs:
        launch(run)
    return group


def list_groups() -> list[RunGroup]:
    """All groups, newest first; damaged files are left out (``unreadable_groups`` names them)."""
    return sorted(filter(None, map(_read, _files())), key=lambda g: g.created, reverse=True)


def unreadable_groups() -> list[str]:
    """Names of files that should describe a group and do not."""
    return sorted(path.stem for path in _files() if _read(path) is None)


def ask_all(runs: Sequence[Run], what: str) -> None:
    """Ask every live run to ``pause`` or ``stop``, the last in the queue first, so that none begins
    meanwhile.
    """
    for run in reversed(runs):
        if run.alive():
            run.request(what)


def resume_all(runs: Sequence[Run]) -> None:
    """Launch every run that is not finished and has no worker, in order.

    Raises:
        BertsentError: a worker could not begin.
    """
    for run in runs:
        status = run.status()
        if not status.live and status.state != "finished":
            launch(run)


def seconds_left(states: Sequence[tuple[History, Status]], steps: Sequence[int]) -> float | None:
    """How long the live runs still need, from the pace of those that have begun; None before the
    first has.

    Args:
        states: history and status of each run.
        steps: how many steps each of them has in all.
    """
    begun = [history for history, _ in states if history.started and history.steps]
    if not begun:
        return None
    pace = sum(h.steps[-1].seconds for h in begun) / max(1, sum(h.step for h in begun))
    gaps = [
        after.started.time - before.last.time
        for before, after in itertools.pairwise(begun)
        if after.started and before.last
    ]
    gaps = [gap for gap in gaps if 0 < gap < 300]  # longer ones are somebody's pause
    loading = sum(gaps) / max(1, len(gaps))
    return sum(
        (total - history.step) * pace + (0.0 if history.started else loading)
        for (history, status), total in zip(states, steps, strict=True)
        if status.live
    )


def _files() -> list[Path]:
    return [path for folder in FOLDERS for path in (home() / folder).glob("*.json")]


def _save(group: RunGroup) -> None:
    path = home() / "groups" / f"{group.name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, json.dumps(asdict(group), indent=2, ensure_ascii=False) + "\n")


def _read(path: Path) -> RunGroup | None:
    """A group as it was saved; None for anything else, whatever it is."""
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        # A/B runs and grids had a format each before version 0.2
        if runs := values.pop("runs", ()):
            values |= {"kind": "grid", "members": [{"run": name} for name in runs]}
        values["members"] = tuple(from_dict(Member, each) for each in values["members"])
        values["factors"] = tuple(values.get("factors", ()))
        group = from_dict(RunGroup, {"kind": "ab"} | values)
        return group if group.name == path.stem else None
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
