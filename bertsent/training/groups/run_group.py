"""Several runs that were laid down together: one JSON file names them, the runs stand in their own
folders.

``BERTSENT_HOME/groups/NAME.json`` is written once and never changed; how the runs stand is read
from the runs themselves. Groups that were saved before version 0.2 are read from ``twins`` (A/B
runs) and ``labs`` (grids).
"""

import json
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from bertsent.data.examples import Splits
from bertsent.data.paired_splits import ROWS
from bertsent.errors import BadCheckpoint, BadInput, BertsentError, NotAvailable
from bertsent.files import write_atomically
from bertsent.settings import home
from bertsent.training.config import TrainingConfig, check_fields, from_dict
from bertsent.training.runs.history import History
from bertsent.training.runs.launcher import launch, prepare_split_run
from bertsent.training.runs.names import suggest_name
from bertsent.training.runs.notes import write_note
from bertsent.training.runs.run import Run, Status, delete_run, find_run

Kind = Literal["ab", "grid"]
Arm = Literal["without", "with"]
ARMS: tuple[Arm, ...] = ("without", "with")
FACTORS = ("pooling", "trains", "encoder_lr", "seed")  # settings that a grid varies
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
    arm: str = ""  # of A/B runs
    times: int = 0  # how often each contrastive review is repeated in the arm with them

    def __post_init__(self) -> None:
        check_fields(self)

    def find(self) -> Run | None:
        """The run, None when it was deleted."""
        try:
            run = find_run(self.run)
            config = run.config
        except BertsentError:
            return None
        same = (config.data.sha256, config.training.seed) == (self.sha256, self.seed)
        return run if same or not self.sha256 else None


@dataclass(frozen=True)
class MemberState:
    """A run of a group as it stands."""

    member: Member
    run: Run
    history: History
    status: Status


@dataclass(frozen=True)
class RunGroup:
    """Runs that differ in ``factors`` only (``kind`` "grid"), or in contrastive reviews and seed
    (``kind`` "ab").
    """

    name: str
    kind: Kind
    created: float  # seconds since 1970
    source: str
    members: tuple[Member, ...]  # in the order in which they train
    model: str = ""
    epochs: int = 1
    factors: tuple[str, ...] = ()
    rows: str = ""  # of A/B runs: a key of data.paired_splits.ROWS
    times: int = 0

    def __post_init__(self) -> None:
        check_fields(self)
        arms = {member.arm for member in self.members}
        if self.kind == "ab":
            known = self.rows in ROWS and arms <= set(ARMS)
        else:
            known = self.kind == "grid" and set(self.factors) <= set(FACTORS)
        if not (known and self.members and _NAME.fullmatch(self.name)):
            raise BadInput(f"“{self.name[:60]}” is no group of runs.", "Start one under Compare.")

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
    """A run of a group to be; ``title`` says in what it differs from the others."""

    splits: Splits
    training: TrainingConfig
    title: str
    arm: str = ""
    times: int = 0
    contrastive_share: float = 0.0


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
) -> RunGroup:
    """Lay down a run for each plan, save the group and launch the workers, which wait for each
    other.

    Raises:
        BertsentError: what is wrong with the request, or the disk is full; then nothing is kept.
    """
    laid: list[tuple[Member, Run]] = []
    try:
        for plan in plans:
            run = prepare_split_run(
                plan.splits,
                plan.training,
                source=source,
                model=model,
                contrastive_share=plan.contrastive_share,
                sentinels=sentinels,
            )
            seed, sha256 = plan.training.seed, plan.splits.sha256
            laid.append((Member(run.id, seed, sha256, plan.arm, plan.times), run))
        group = RunGroup(
            name=_free_name(kind),
            kind=kind,
            created=time.time(),
            source=source,
            members=tuple(member for member, _ in laid),
            model=laid[0][1].config.model,
            epochs=plans[0].training.epochs,
            factors=factors,
            rows=rows,
            times=times,
        )
        for plan, (_, run) in zip(plans, laid, strict=True):
            write_note(run.folder, f"{plan.title} · {group.name}"[:80], "")
        _save(group)
    except (OSError, BertsentError) as error:
        for _, run in laid:
            with suppress(BertsentError, OSError):
                delete_run(run)
        if isinstance(error, OSError):
            raise NotAvailable(
                f"The runs cannot be written ({error.strerror}).", "Free or unlock the disk."
            ) from None
        raise
    for _, run in laid:
        launch(run)
    return group


def list_groups() -> list[RunGroup]:
    """All groups, newest first; damaged files are left out (``unreadable_groups`` names them)."""
    found = (_read(path) for path in _files())
    return sorted((group for group in found if group), key=lambda g: g.created, reverse=True)


def unreadable_groups() -> list[str]:
    """Names of files that should describe a group and do not."""
    return sorted(path.stem for path in _files() if _read(path) is None)


def find_group(name: str) -> RunGroup:
    """The group of that name.

    Raises:
        NotAvailable: there is none.
        BadCheckpoint: its file is damaged.
    """
    paths = [home() / folder / f"{name}.json" for folder in FOLDERS]
    path = next((p for p in paths if _NAME.fullmatch(name) and p.is_file()), None)
    if path is None:
        raise NotAvailable(
            f"There is no group of runs “{name[:60]}”.", "Start one under Fine-tune, Compare."
        )
    group = _read(path)
    if group is None:
        raise BadCheckpoint(
            f"The file of the group {name} is damaged.",
            "Its runs are still there, each on its own.",
        )
    return group


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
    loading = _loading_seconds(begun)
    left = 0.0
    for (history, status), total in zip(states, steps, strict=True):
        if status.live:
            left += (total - history.step) * pace + (0.0 if history.started else loading)
    return left


def _loading_seconds(begun: Sequence[History]) -> float:
    """Mean time from the end of one run to the start of the next; 0 before there were two."""
    gaps = [
        after.started.time - before.last.time
        for before, after in zip(begun, begun[1:], strict=False)
        if after.started and before.last
    ]
    usual = [gap for gap in gaps if 0 < gap < 300]  # longer ones are somebody's pause
    return sum(usual) / len(usual) if usual else 0.0


def _free_name(kind: Kind) -> str:
    taken = {path.stem.rpartition("-")[0] for path in _files()}
    return f"{suggest_name(taken)}-{kind}"


def _files() -> Iterator[Path]:
    for folder in FOLDERS:
        yield from (home() / folder).glob("*.json")


def _save(group: RunGroup) -> None:
    path = home() / "groups" / f"{group.name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, json.dumps(asdict(group), indent=2, ensure_ascii=False) + "\n")


def _read(path: Path) -> RunGroup | None:
    """A group as it was saved; None for anything else, whatever it is."""
    try:
        values = _converted(json.loads(path.read_text(encoding="utf-8")))
        members = tuple(from_dict(Member, member) for member in values["members"])
        factors = tuple(values.get("factors", ()))
        group = from_dict(RunGroup, values | {"members": members, "factors": factors})
        return group if group.name == path.stem else None
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError, BadInput):
        return None


def _converted(values: dict[str, Any]) -> dict[str, Any]:
    """The values of a group in today's format; A/B runs and grids had one each before version
    0.2.
    """
    if "kind" in values:
        return values
    if "runs" not in values:
        return values | {"kind": "ab"}
    members = [{"run": name} for name in values["runs"]]
    kept = {name: value for name, value in values.items() if name != "runs"}
    return kept | {"kind": "grid", "members": members}
