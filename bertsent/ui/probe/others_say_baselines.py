"""The chosen model in; who it is compared with, what they learn from and what they are judged on
out. One lesson is one shared job.
"""

import hashlib
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

import streamlit as st

from bertsent.data.examples import Reviews
from bertsent.data.sources import load_reviews
from bertsent.data.splits import duplicate_key
from bertsent.errors import BertsentError
from bertsent.probing.baselines.trainer import (
    FAMILIES,
    FROZEN_BERT,
    BaselineTrainer,
    TrainedBaseline,
)
from bertsent.probing.registry import BACKBONE
from bertsent.settings import home
from bertsent.training.runs.run import Run, find_run, list_runs
from bertsent.ui.shared.jobs import Job, jobs
from bertsent.ui.shared.model_picker import loaded_model

QUICK_ROWS, QUICK_CHARACTERS = 8_000, 1_200_000  # up to so much is learned without asking
VALIDATION, TEST = "validation", "test"


@dataclass(frozen=True)
class Ring:
    """Everybody but the chosen model: ``learned`` says what from, ``judged`` what they are compared
    on, by the name it has in a link.
    """

    arena: BaselineTrainer
    learned: str
    judged: dict[str, Reviews]
    shared: bool  # the chosen model learned from the very same reviews

    @cached_property
    def known(self) -> dict[str, tuple[int | None, str]]:
        """Label and whereabouts of every review that they learned from or are judged on, by its
        plain text.
        """
        found = {
            duplicate_key(e.text): (e.label, TITLES[part])
            for part, reviews in self.judged.items()
            for e in reviews
        }
        return found | {
            duplicate_key(e.text): (e.label, "the reviews they learned from")
            for e in self.arena.reviews
        }

    @property
    def quick(self) -> bool:
        """True where everybody learns within a couple of minutes."""
        return (
            len(self.arena.reviews) <= QUICK_ROWS
            and sum(map(len, self.arena.reviews.texts)) <= QUICK_CHARACTERS
        )


TITLES = {VALIDATION: "the validation reviews", TEST: "the built-in test reviews"}


def ring_of(name: str) -> Ring:
    """The ring for the model of that registry name: a run's own split, or the built-in reviews.

    Raises:
        BertsentError: the reviews of the run cannot be read, or nothing can be learned from them.
    """
    run_id = name.partition("/")[0]
    if run_id in {run.id for run in list_runs()}:
        folder = find_run(run_id).folder
        return _of_run(str(folder), (folder / "config.json").stat().st_mtime, str(home()))
    return _builtin(str(home()))


@st.cache_resource(max_entries=1, show_spinner="Reading the reviews …")
def _builtin(home_folder: str) -> Ring:
    parts = _parts()
    arena = BaselineTrainer(parts["train"], Path(home_folder) / "cache" / "duel")
    count = f"{len(arena.reviews):,} reviews of the built-in training part"
    return Ring(arena, count, {part: parts[part] for part in (VALIDATION, TEST)}, False)


@st.cache_resource(max_entries=3, show_spinner="Reading the reviews …")
def _of_run(folder: str, created: float, home_folder: str) -> Ring:
    run = Run(Path(folder))
    splits = run.splits()
    arena = BaselineTrainer(
        splits.train, Path(home_folder) / "cache" / "duel", backbone=run.config.model
    )
    learned = {duplicate_key(e.text) for e in splits.train}
    test = _parts()["test"]
    judged = {
        VALIDATION: splits.validation,
        TEST: test.where([duplicate_key(e.text) not in learned for e in test]),
    }
    count = f"{len(arena.reviews):,} training reviews of {run.id}"
    return Ring(
        arena,
        count,
        {part: reviews for part, reviews in judged.items() if len(reviews)},
        len(arena.reviews) == len(splits.train),
    )


def _parts() -> dict[str, Reviews]:
    whole = load_reviews("builtin")
    return {
        part: whole.where([e.split == part for e in whole]) for part in ("train", VALIDATION, TEST)
    }


def lesson_key(ring: Ring, lesson: str) -> str:
    """The key of the job that teaches a lesson. Raises NotAvailable where the backbone for it is
    not here.
    """
    return f"duel-{hashlib.sha256(''.join(ring.arena.key(name) for name in FAMILIES[lesson]).encode()).hexdigest()[:32]}"


def teach(ring: Ring, lesson: str) -> Job:
    """Begin a lesson in the background, once for everybody."""
    return jobs().start(lesson_key(ring, lesson), partial(_learn, ring.arena, lesson))


def _learn(arena: BaselineTrainer, lesson: str, progress) -> dict[str, TrainedBaseline]:  # noqa: ANN001
    return arena.train(lesson, progress=progress)


def taught(ring: Ring, lesson: str) -> dict[str, TrainedBaseline] | None:
    """Who has come out of a lesson, from memory or from disk; None where it has not been taken yet.

    Raises:
        BertsentError: the lesson cannot be taken here.
    """
    job = jobs().find(lesson_key(ring, lesson))
    if job is not None and job.state == "done":
        return job.result
    if (
        lesson == FROZEN_BERT
        and ring.arena.backbone == "builtin"
        and any(ring.arena.path(name).is_file() for name in FAMILIES[lesson])
    ):
        ring.arena.embedder = loaded_model(BACKBONE)  # one that is loaded serves everybody
    found = {name: _recalled(ring, name) for name in FAMILIES[lesson]}
    return None if None in found.values() else found


def _recalled(ring: Ring, name: str) -> TrainedBaseline | None:
    path = ring.arena.path(name)
    try:
        return _from_disk(str(path), path.stat().st_size, name, ring.arena)
    except OSError:
        return None
    except _Damaged:
        return None


class _Damaged(BertsentError):
    """A kept file that has to be made again; raised so that nothing is cached."""


@st.cache_resource(max_entries=24, show_spinner=False)
def _from_disk(path: str, version: int, name: str, _arena: BaselineTrainer) -> TrainedBaseline:
    found = _arena.recall(name)
    if found is None:
        raise _Damaged("A kept classifier is damaged.", "It is trained again.")
    return found
