"""One click on the board: an ordinary run that learns from half of what was confirmed.

It starts from the very model that was fooled, with its head, and mixes in built-in training reviews
(rehearsal, Robins 1995): a model that saw the new sentences alone would soon give every review
their label. Each new sentence is repeated so that they make up about a quarter of what is read.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace

import numpy as np

from bertsent.classroom.board_halves import Halves, halves_of
from bertsent.classroom.board_state import BoardEntry, BoardState
from bertsent.classroom.room import Room
from bertsent.classroom.room_events import BoardSet, Retrained
from bertsent.data.examples import Example, Reviews, Splits
from bertsent.data.sources import load_reviews
from bertsent.errors import BertsentError, Busy, NotAvailable
from bertsent.models.checkpoint import read_card
from bertsent.models.folders import inspect_folder
from bertsent.probing.registry import find_model, run_models
from bertsent.training.config import TrainingConfig
from bertsent.training.runs.admission import is_coming
from bertsent.training.runs.launcher import launch, prepare_split_run
from bertsent.training.runs.notes import write_note
from bertsent.training.runs.run import Run, delete_run, find_run

SEED = 42
REHEARSED = 480  # built-in training reviews, half of each label
SHARE, MOST_TIMES = 0.25, 8  # of the new sentences in training; how often each comes in an epoch
FOLLOWED = 4  # sentences of each half whose answer is drawn while the run trains
LONGEST_FOLLOWED = 300  # characters
PHENOMENON = "board"


def training_settings(model: str) -> TrainingConfig:
    """How the run trains: small steps from the head and the layers that are there."""
    folder = find_model(model, folders=False).folder
    card, longest = read_card(folder), inspect_folder(folder).positions
    return TrainingConfig(
        epochs=3,
        max_length=min(TrainingConfig.max_length, longest),
        encoder_lr=2e-5,
        head_lr=1e-4,
        keep_head=True,
        pooling=card.pooling if card else "cls",
        seed=SEED,
    )


def retraining_splits(halves: Halves) -> Splits:
    """What the run learns from and is evaluated on: the learned half and the rehearsal; the
    built-in validation reviews. No held-out review is in either.
    """
    new = [example_of(entry) for entry in halves.learned]
    times = min(MOST_TIMES, max(1, round(SHARE / (1 - SHARE) * REHEARSED / len(new))))
    repeated = [replace(e, id=f"{e.id}~{turn}") for turn in range(1, times + 1) for e in new]
    builtin = load_reviews("builtin")
    rehearsed = _sample(builtin.where([e.split == "train" for e in builtin]))
    train = Reviews("Fool the model", (*repeated, *rehearsed.examples))
    return Splits(train, validation_reviews())


def validation_reviews() -> Reviews:
    """The built-in reviews on which it is seen what was forgotten."""
    builtin = load_reviews("builtin")
    return builtin.where([e.split == "validation" for e in builtin])


def example_of(entry: BoardEntry) -> Example:
    """A review of the board as one to train or to be judged on."""
    return Example(f"board-{entry.id}", entry.text, entry.label, PHENOMENON)


def retrain(room: Room, admit: Callable[[Sequence[Run]], None] = lambda runs: None) -> Retrained:
    """Halve the confirmed reviews, prepare a run, note it in the room and launch it; the
    board takes no reviews from then on. It is the host's.

    Args:
        room: whose board.
        admit: raises where the prepared run may not start.

    Raises:
        BadInput: too few are confirmed.
        Busy: the run before has not ended.
        NotAvailable: the model of the board is gone, or the room is closed.
        BertsentError: the run cannot be prepared or started.
    """
    board = room.look().board
    _check_idle(board)
    halves = halves_of(board.confirmed, SEED)
    run = _prepared(board, halves)
    event = Retrained(
        run=run.id,
        sha256=run.config.data.sha256,
        model=board.model,
        seed=SEED,
        learned=tuple(entry.id for entry in halves.learned),
        held_out=tuple(entry.id for entry in halves.held_out),
    )
    try:
        write_note(run.folder, f"Fool the model · room {room.code}", "")
        admit([run])
        with room.writing() as state:
            _check_idle(state.board)
            room.append(event)
            if state.board.taking:
                room.append(BoardSet(model=board.model, threshold=board.threshold, taking=False))
    except Exception:
        delete_run(run)
        raise
    launch(run)
    return event


def _check_idle(board: BoardState) -> None:
    busy = any(run and is_coming(run) for run in map(run_of, board.retrained))
    Busy.raise_if(busy, "The model is being retrained.", "Wait until the run has ended.")


def run_of(event: Retrained) -> Run | None:
    """The run of a retraining; None where it was deleted."""
    with suppress(BertsentError):
        run = find_run(event.run)
        if run.config.data.sha256 == event.sha256:
            return run
    return None


def model_after(event: Retrained) -> str:
    """The registry name of what the run ended with.

    Raises:
        NotAvailable: the run was deleted, or has no weights.
    """
    run = run_of(event)
    if run is None:
        raise NotAvailable(
            f"The run {event.run}, which learned from the board, was deleted.", "Retrain again."
        )
    models = run_models(run)
    NotAvailable.raise_if(not models, f"Run {run.id} has no weights.", "Retrain again.")
    return models[0].name


def followed(half: Sequence[BoardEntry]) -> list[str]:
    """The sentences of a half whose answer is drawn while the run trains."""
    return [entry.text for entry in half if len(entry.text) <= LONGEST_FOLLOWED][:FOLLOWED]


def _prepared(board: BoardState, halves: Halves) -> Run:
    found = find_model(board.model, folders=False)
    return prepare_split_run(
        retraining_splits(halves),
        training_settings(board.model),
        source="Fool the model",
        model=str(found.folder),
        sentinels=(*followed(halves.learned), *followed(halves.held_out)),
    )


def _sample(reviews: Reviews) -> Reviews:
    """``REHEARSED`` of them, half of each label; always the same ones."""
    labels, rng = np.array(reviews.labels), np.random.default_rng(SEED)
    chosen = [rng.permutation(np.flatnonzero(labels == i))[: REHEARSED // 2] for i in (0, 1)]
    return reviews.take(sorted(np.concatenate(chosen).tolist()))
