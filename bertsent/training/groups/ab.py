"""Twin runs: the same training without and with contrastive rows, once for each seed, kept as one
JSON file that names them.

``BERTSENT_HOME/twins/NAME.json`` is written once and never changed; how the runs stand is read from
the runs themselves.
"""

import json
import math
import re
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np

from bertsent.data.examples import Reviews
from bertsent.data.paired_splits import HANDCRAFTED, ROWS, PairedSplits, paired_splits
from bertsent.errors import BadCheckpoint, BadInput, BertsentError, NotAvailable
from bertsent.files import write_atomically
from bertsent.settings import home
from bertsent.training.config import TrainingConfig, from_dict
from bertsent.training.runs.history import History
from bertsent.training.runs.launcher import launch, prepare_split_run
from bertsent.training.runs.names import suggest_name
from bertsent.training.runs.notes import write_note
from bertsent.training.runs.run import Run, Status, delete_run, find_run

Arm = Literal["without", "with"]
ARMS: tuple[Arm, ...] = ("without", "with")
MOST_SEEDS = 5
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,60}")


@dataclass(frozen=True)
class Member:
    """One run of a group: which arm, which seed, how often its contrastive rows are repeated, and
    the hash of its reviews.
    """

    run: str
    arm: Arm
    seed: int
    times: int  # 0 in the arm without
    sha256: str

    def find(self) -> Run | None:
        """The run, None when it was deleted (or another one took its name)."""
        try:
            run = find_run(self.run)
            config = run.config
        except BertsentError:
            return None
        return (
            run if (config.data.sha256, config.training.seed) == (self.sha256, self.seed) else None
        )


@dataclass(frozen=True)
class Twins:
    """A group: 2 runs for each seed that differ in nothing but the chosen rows."""

    name: str
    created: float  # seconds since 1970
    source: str
    rows: str  # a key of data.contrast.ROWS
    times: int
    model: str
    epochs: int
    members: tuple[Member, ...]

    @property
    def seeds(self) -> tuple[int, ...]:
        return tuple(dict.fromkeys(member.seed for member in self.members))

    def found(self) -> list[tuple[Member, Run]]:
        """The members that are still there, in order."""
        return [(member, run) for member in self.members if (run := member.find()) is not None]

    def lost(self) -> tuple[str, ...]:
        """Names of the members that were deleted."""
        return tuple(member.run for member in self.members if member.find() is None)

    def save(self) -> None:
        path = twins_folder() / f"{self.name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, json.dumps(asdict(self), indent=2, ensure_ascii=False) + "\n")


def twins_folder() -> Path:
    return home() / "twins"


def start_twins(
    source: str | Path | Reviews,
    training: TrainingConfig,
    *,
    rows: str = HANDCRAFTED,
    times: int = 1,
    seeds: int = 1,
    model: str = "builtin",
    sentinels: tuple[str, ...] = (),
) -> Twins:
    """Lay down two runs for each seed from ``training.seed`` on, and launch their workers; they
    wait for each other by themselves.

    Raises:
        BertsentError: what is wrong with the request; nothing is written then.
    """
    if isinstance(seeds, bool) or not isinstance(seeds, int) or not 1 <= seeds <= MOST_SEEDS:
        raise BadInput(
            f"Twins cannot be trained with {seeds} seeds.", f"Choose from 1 to {MOST_SEEDS}."
        )
    recipes = [replace(training, seed=training.seed + i) for i in range(seeds)]
    splits = paired_splits(source, rows, times)
    laid: list[tuple[Member, Run]] = []
    try:
        for recipe in recipes:
            for arm in ARMS:
                laid.append(_lay_down(splits, arm, recipe, model, sentinels))
        twins = _group(splits, rows, recipes[0], laid)
        twins.save()
        for member, run in laid:
            write_note(run.folder, f"{member.arm}, seed {member.seed}, of {twins.name}", "")
    except OSError as error:
        _take_back(laid)
        raise NotAvailable(
            f"The twin runs cannot be written ({error.strerror}).", "Free or unlock the disk."
        ) from None
    except BertsentError:
        _take_back(laid)
        raise
    for _, run in laid:
        launch(run)
    return twins


def _lay_down(
    splits: PairedSplits, arm: Arm, recipe: TrainingConfig, model: str, sentinels: tuple[str, ...]
) -> tuple[Member, Run]:
    learned, times, share = (
        (splits.without, 0, 0.0)
        if arm == "without"
        else (splits.having, splits.times, splits.share)
    )
    run = prepare_split_run(
        learned,
        recipe,
        source=learned.train.name,
        model=model,
        contrastive_share=share,
        sentinels=sentinels,
    )
    return Member(run.id, arm, recipe.seed, times, learned.sha256), run


def _group(
    splits: PairedSplits, rows: str, recipe: TrainingConfig, laid: list[tuple[Member, Run]]
) -> Twins:
    name = f"{suggest_name({twins.name.removesuffix('-twins') for twins in list_twins()})}-twins"
    model = laid[0][1].config.model
    members = tuple(member for member, _ in laid)
    return Twins(
        name,
        time.time(),
        splits.without.train.name,
        rows,
        splits.times,
        model,
        recipe.epochs,
        members,
    )


def _take_back(laid: list[tuple[Member, Run]]) -> None:
    for _, run in laid:
        with suppress(BertsentError, OSError):
            delete_run(run)


@dataclass(frozen=True)
class Pair:
    """Both runs of one seed after the last epoch that both have done; ``answers`` are their
    P(positive) of the same validation reviews.
    """

    seed: int
    epoch: int
    runs: tuple[Run, Run]  # without, with
    steps: tuple[int, int]
    answers: tuple[np.ndarray, np.ndarray]

    @property
    def models(self) -> tuple[str, str]:
        """The checkpoints of that epoch, as the registry calls them."""
        without, having = (
            f"{run.id}/step-{step}" for run, step in zip(self.runs, self.steps, strict=True)
        )
        return without, having


def whole_pairs(looks: Sequence[tuple[Member, Run, History]]) -> list[Pair]:
    """The pairs whose runs have an epoch in common, in order of seed; a seed with a run missing is
    left out.
    """
    found = {
        (member.seed, member.arm): (run, _judged(run, history)) for member, run, history in looks
    }
    pairs = []
    for seed in sorted({seed for seed, _ in found}):
        sides = [found.get((seed, arm)) for arm in ARMS]
        if None in sides:
            continue
        common = set(sides[0][1]) & set(sides[1][1])
        if common:
            epoch = max(common)
            (steps, answers) = zip(*(judged[epoch] for _, judged in sides), strict=True)
            pairs.append(Pair(seed, epoch, tuple(run for run, _ in sides), steps, answers))
    return pairs


def _judged(run: Run, history: History) -> dict[int, tuple[int, np.ndarray]]:
    """Step and validation answers of every epoch that is over."""
    whole = {round(e.epoch): e.step for e in history.evaluations if e.step}
    return {
        epoch: (step, scores)
        for epoch, step in whole.items()
        if (scores := run.scores(step)) is not None
    }


def list_twins() -> list[Twins]:
    """All groups of this lab, newest first; damaged files are left out (``unreadable_twins`` names
    them).
    """
    found = (_read(path) for path in twins_folder().glob("*.json"))
    return sorted(
        (twins for twins in found if twins), key=lambda twins: twins.created, reverse=True
    )


def unreadable_twins() -> list[str]:
    """Names of files that should describe a group and do not."""
    return sorted(path.stem for path in twins_folder().glob("*.json") if _read(path) is None)


def find_twins(name: str) -> Twins:
    """The group of that name.

    Raises:
        NotAvailable: there is none.
        BadCheckpoint: its file is damaged.
    """
    path = twins_folder() / f"{name}.json"
    if not _NAME.fullmatch(name) or not path.is_file():
        raise NotAvailable(
            f"There are no twin runs “{name[:60]}”.", "Start some on the Fine-tune page."
        )
    twins = _read(path)
    if twins is None:
        raise BadCheckpoint(
            f"The file of the twin runs {name} is damaged.",
            "Their runs are still there, each on its own.",
        )
    return twins


def _read(path: Path) -> Twins | None:
    """A group as it was saved; None for anything else, whatever it is."""
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        values["members"] = tuple(from_dict(Member, member) for member in values["members"])
        twins = from_dict(Twins, values)
        sound = (
            twins.name == path.stem
            and _NAME.fullmatch(twins.name)
            and twins.rows in ROWS
            and bool(twins.members)
        )
        sound = (
            sound
            and all(_sound(member) for member in twins.members)
            and math.isfinite(float(twins.created))
        )
        return (
            twins
            if sound
            and isinstance(twins.source, str)
            and type(twins.epochs) is type(twins.times) is int
            else None
        )
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError, BadInput):
        return None


def _sound(member: Member) -> bool:
    words = isinstance(member.run, str) and isinstance(member.sha256, str)
    return words and member.arm in ARMS and type(member.seed) is int and type(member.times) is int


def ask_all(runs: Sequence[Run], wish: str) -> None:
    """Ask every run that lives to ``pause`` or ``stop``, the last in the queue first, so that none
    begins meanwhile.
    """
    for run in reversed(runs):
        if run.alive():
            run.request(wish)


def resume_all(runs: Sequence[Run]) -> None:
    """Launch every run that is not finished and has no worker, in order.

    Raises:
        BertsentError: a worker could not begin.
    """
    for run in runs:
        status = run.status()
        if not status.live and status.state != "finished":
            launch(run)


def seconds_left(looks: Sequence[tuple[History, Status]], steps: Sequence[int]) -> float | None:
    """How long the living runs still need, from the pace of those that have begun; None before the
    first has.

    Args:
        looks: history and status of each run.
        steps: how many steps each of them has in all.
    """
    begun = [history for history, _ in looks if history.started and history.steps]
    if not begun:
        return None
    pace = sum(h.steps[-1].seconds for h in begun) / max(1, sum(h.step for h in begun))
    loading = _loading(begun)
    left = 0.0
    for (history, status), total in zip(looks, steps, strict=True):
        if status.live:
            left += (total - history.step) * pace + (0.0 if history.started else loading)
    return left


def _loading(begun: Sequence[History]) -> float:
    """Seconds from the end of one run to the first step of the next, as measured; 0 before there
    were two.
    """
    pairs = zip(begun, begun[1:], strict=False)
    gaps = [after.started.time - before.last.time for before, after in pairs]
    usual = [gap for gap in gaps if 0 < gap < 300]  # longer ones are somebody's pause
    return sum(usual) / len(usual) if usual else 0.0
