"""A run is a folder: the worker writes it, everyone else reads it, and its status is derived.

It holds config.json, owner, expected.json, reviews.parquet, events.jsonl, checkpoints/, scores/,
lock, control.json, sentinels.json, note.json and worker.log.
"""

import json
import random
import re
import shutil
import time
import uuid
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Literal

import numpy as np
from filelock import Timeout

import bertsent
from bertsent.data.examples import Splits
from bertsent.errors import BadCheckpoint, BadInput, Busy, NotAvailable
from bertsent.files import atomic_path, write_atomically
from bertsent.settings import home
from bertsent.tasks.masked_words import MaskedWords
from bertsent.text.masked_sentence import check_gaps
from bertsent.training.config import DataConfig, RunConfig, TrainingConfig, check_sentinels
from bertsent.training.events import EventLog, Failed, Finished, Paused, Stopped
from bertsent.training.runs.expected import Expected, keep_expected
from bertsent.training.runs.history import History
from bertsent.training.runs.owner import keep_owner, owner_of
from bertsent.training.runs.queue import is_held, lock_of, queue_position

State = Literal[
    "new", "queued", "running", "paused", "interrupted", "stopped", "failed", "finished"
]
SENTINELS = "sentinels.json"
_ENDED: dict[type, State] = {
    Finished: "finished",
    Stopped: "stopped",
    Failed: "failed",
    Paused: "paused",
}
_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,60}")
_LIBRARIES = ("torch", "transformers", "accelerate", "tokenizers", "scikit-learn")
# easy to say aloud in a classroom
_MANNERS = (
    "amber brave bright calm candid careful cheerful clever cosy curious dapper eager fearless "
    "gentle glad golden humble keen kind "
    "lively lucky mellow merry mighty modest nimble patient plucky polite proud quick quiet rapid "
    "rosy serene silent sleepy sly snug "
    "spry steady sunny swift tidy upbeat vivid warm wise witty zesty"
).split()
_ANIMALS = (
    "badger beaver bison crane dingo dove eagle egret falcon ferret finch fox gecko gull hare "
    "hedgehog heron ibex jackal jay kestrel koala "
    "lark lemur lynx marmot marten mole moose newt ocelot osprey otter owl panda pika plover "
    "puffin quail raven robin seal sparrow stoat "
    "swan tapir thrush toad vole walrus weasel wren yak"
).split()


@dataclass(frozen=True)
class Status:
    """What a run is doing now: ``queue_position`` counts the runs before it, ``requested`` is the
    pause or stop that it has not carried out yet.
    """

    state: State
    queue_position: int = 0
    requested: str = ""

    @property
    def live(self) -> bool:
        return self.state in ("queued", "running")


class Run:
    """One run's folder, for reading and requests; only its worker writes events and checkpoints."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.id = folder.name
        self.log = EventLog(folder / "events.jsonl")

    @property
    def config(self) -> RunConfig:
        """The settings of the run. Raises BadCheckpoint when they cannot be read."""
        return RunConfig.load(self.folder / "config.json")

    @property
    def owner(self) -> str:
        """Whose it is; empty: the host's (see ``bertsent.training.runs.owner``)."""
        return owner_of(self.folder)

    @property
    def checkpoints(self) -> Path:
        return self.folder / "checkpoints"

    def splits(self) -> Splits:
        """The reviews of the run, as they were stored when it was prepared.

        Raises:
            BadCheckpoint: the file is damaged.
        """
        try:
            path, config = self.folder / "reviews.parquet", self.config
            return Splits.load(path, config.data.source, clean=config.clean_texts, task=config.task)
        except (OSError, ValueError, KeyError, BadInput) as error:
            raise BadCheckpoint(
                f"The reviews of run {self.id} cannot be read.", "Start the run again."
            ) from error

    def history(self) -> History:
        return History().add(self.log.read()[0])

    def alive(self) -> bool:
        """True while the run has a worker."""
        return is_held(self.folder)

    def status(self, history: History | None = None) -> Status:
        """Derived from the lock, the queue and the last event."""
        if self.alive():
            waiting = queue_position(self.folder)
            state: State = "running" if waiting is None else "queued"
            return Status(state, waiting or 0, self.requested())
        if history is None or type(history.last) not in _ENDED:
            history = self.history()  # the worker may have ended after that one was read
        if history.complete and isinstance(history.last, Stopped):
            return Status("finished")
        return Status(_ENDED.get(type(history.last), "interrupted" if history.last else "new"))

    def request(self, what: str) -> None:
        """Ask the worker to ``pause`` or ``stop``; an empty request withdraws the last one."""
        write_atomically(
            self.folder / "control.json", json.dumps({"wish": what, "time": time.time()})
        )

    def requested(self) -> str:
        """The last request: ``pause``, ``stop`` or nothing."""
        try:
            what = json.loads((self.folder / "control.json").read_text(encoding="utf-8"))["wish"]
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return ""
        return what if what in ("pause", "stop") else ""

    def sentinels(self) -> tuple[str, ...]:
        """The sentinel sentences of the moment: those the run was started with, until somebody
        chose others.
        """
        try:
            texts = json.loads((self.folder / SENTINELS).read_text(encoding="utf-8"))
            return check_sentinels(tuple(str(text) for text in texts))
        except (OSError, ValueError, TypeError, RecursionError, BadInput):
            return self.config.sentinels

    def set_sentinels(self, texts: tuple[str, ...]) -> None:
        """Follow these sentences from the next step on.

        Raises:
            BadInput: more than twelve, one of over 300 characters, or of masked words one without
                a gap.
        """
        kept = check_sentinels(texts)
        if isinstance(self.config.task, MaskedWords):
            check_gaps(kept)
        write_atomically(self.folder / SENTINELS, json.dumps(kept, ensure_ascii=False))

    def save_scores(self, step: int, answers: np.ndarray) -> None:
        """Keep the answers to all validation reviews, in their order, for this step's report: what
        ``Task.kept`` gives, for two labels P(positive).
        """
        path = self.folder / "scores" / f"step-{step}.npy"
        path.parent.mkdir(exist_ok=True)
        with atomic_path(path) as unfinished, unfinished.open("wb") as file:
            np.save(file, np.asarray(answers), allow_pickle=False)

    def scores(self, step: int) -> np.ndarray | None:
        """What was kept of the answers at ``step``, None when it was not evaluated."""
        try:
            return np.load(self.folder / "scores" / f"step-{step}.npy", allow_pickle=False)
        except (OSError, ValueError):
            return None


def runs_folder() -> Path:
    return home() / "runs"


def list_runs() -> list[Run]:
    """All runs of this lab, newest first."""
    found: list[tuple[float, Path]] = []
    for folder in runs_folder().glob("*"):
        with suppress(OSError):  # no run, or somebody deletes it right now
            if _ID.fullmatch(folder.name):
                found.append(((folder / "config.json").stat().st_mtime, folder))
    return [Run(folder) for _, folder in sorted(found, reverse=True)]


def find_run(run_id: str) -> Run:
    """The run of that name.

    Raises:
        NotAvailable: there is none.
    """
    if _ID.fullmatch(run_id) and (runs_folder() / run_id / "config.json").is_file():
        return Run(runs_folder() / run_id)
    names = ", ".join(run.id for run in list_runs()[:5])
    raise NotAvailable(
        f"There is no run “{run_id[:60]}”.",
        f"There are: {names}." if names else "Start one on the Fine-tune page.",
    )


def create_run(
    splits: Splits,
    training: TrainingConfig,
    *,
    source: str,
    contrastive_share: float = 0.0,
    model: str = "builtin",
    model_sha256: str = "",
    sentinels: tuple[str, ...] = (),
    device: str = "cpu",
    name: str = "",
    owner: str = "",
    expected: Expected | None = None,
) -> Run:
    """Write a run's folder with everything that decides it; nothing trains yet. Without a name it
    gets one like ``curious-otter``, without an owner it is the host's.

    Raises:
        OSError: the disk is full; nothing is left behind.
        BadInput: too many or too long sentinels, or a name that is taken or impossible.
    """
    folder = runs_folder() / (_free_name(name) or suggest_name({run.id for run in list_runs()}))
    config = RunConfig(
        id=folder.name,
        created=time.time(),
        data=DataConfig(
            source,
            contrastive_share,
            len(splits.train),
            len(splits.validation),
            splits.sha256,
            splits.train.origin,
            splits.train.task.to_dict(),
        ),
        model=model,
        model_sha256=model_sha256,
        device=device,
        training=training,
        sentinels=check_sentinels(sentinels),
        versions={"bertsent": bertsent.__version__} | {name: version(name) for name in _LIBRARIES},
    )
    with atomic_path(folder) as unfinished:
        (unfinished / "checkpoints").mkdir(parents=True)
        splits.save(unfinished / "reviews.parquet")
        config.save(unfinished / "config.json")
        keep_owner(unfinished, owner)
        if expected:
            keep_expected(unfinished, expected)
    return Run(folder)


def _free_name(name: str) -> str:
    if name and (not _ID.fullmatch(name) or name == "builtin"):
        raise BadInput(
            f"A run cannot be called “{name[:70]}”.",
            "Use lower-case letters, digits and hyphens, at most 61 of them.",
        )
    if name and (runs_folder() / name).exists():
        raise BadInput(f"There is a run {name} already.", "Choose another name.")
    return name


def suggest_name(taken: set[str]) -> str:
    """A name like ``curious-otter`` that is not in ``taken``."""
    for _ in range(100):
        name = f"{random.choice(_MANNERS)}-{random.choice(_ANIMALS)}"
        if name not in taken:
            return name
    return f"{name}-{len(taken) + 1}"


def delete_run(run: Run) -> None:
    """Remove a run and all its checkpoints; one that is gone already is fine.

    Raises:
        Busy: its worker is alive.
    """
    if not run.folder.is_dir():
        return
    try:
        lock = lock_of(run.folder).acquire(timeout=1)
    except Timeout:
        raise Busy(f"Run {run.id} is still training.", "Stop it first.") from None
    with lock:  # nobody can start it while it goes
        grave = run.folder.rename(run.folder.with_name(f".{run.id}-{uuid.uuid4().hex[:8]}"))
    shutil.rmtree(grave)
