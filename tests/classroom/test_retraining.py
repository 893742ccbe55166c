"""Retraining: what the run learns from, that it can be repeated, and what is refused."""

import pytest
from filelock import FileLock

from bertsent.classroom import retraining
from bertsent.classroom.board_halves import halves_of
from bertsent.classroom.retraining import (
    SEED,
    model_after,
    retrain,
    retraining_splits,
    run_of,
    training_settings,
)
from bertsent.classroom.retraining_result import judge_retraining
from bertsent.classroom.room import Room
from bertsent.classroom.rooms import open_room
from bertsent.data.splits import duplicate_key
from bertsent.errors import BadInput, Busy, NotAllowed, NotAvailable
from bertsent.probing.registry import BUILTIN, find_model
from bertsent.training.runs.run import delete_run, list_runs
from tests.classroom.conftest import MODEL, play
from tests.conftest import wait_until


@pytest.fixture
def unlaunched(monkeypatch):
    monkeypatch.setattr(retraining, "launch", lambda run: None)


def test_no_held_out_review_is_learned_or_watched_over(played):
    halves = halves_of(played.look().board.confirmed, SEED)
    splits = retraining_splits(halves)
    read = {duplicate_key(e.text) for half in (splits.train, splits.validation) for e in half}
    assert not read & {duplicate_key(e.text) for e in halves.held_out}
    assert {duplicate_key(e.text) for e in halves.learned} <= read
    assert not {duplicate_key(e.text) for e in splits.train} & {
        duplicate_key(e.text) for e in splits.validation
    }


def test_new_reviews_are_about_a_quarter_of_what_is_read(played, monkeypatch):
    monkeypatch.setattr(retraining, "REHEARSED", 120)
    train = retraining_splits(halves_of(played.look().board.confirmed, SEED)).train
    assert sum(e.phenomenon == "board" for e in train) / len(train) == pytest.approx(0.25, abs=0.02)
    assert len({e.id for e in train}) == len(train)


def test_a_run_is_prepared_from_the_model_that_was_fooled(played, unlaunched):
    event = retrain(played)
    run = run_of(event)
    assert run.owner == ""  # the host's
    assert run.config.training == training_settings(MODEL) and run.config.training.keep_head
    assert run.config.model == str(find_model(MODEL).folder.resolve())
    learned = {e.text for e in run.splits().train if e.phenomenon == "board"}
    entries = played.look().board.entries
    assert learned == {entries[name].text for name in event.learned}
    assert Room(played.folder).look().board.retrained == (event,)


def test_the_same_board_gives_the_same_run_again(played, unlaunched, monkeypatch):
    monkeypatch.setattr(retraining, "is_coming", lambda run: False)
    first, second = retrain(played), retrain(played)
    assert first.run != second.run
    assert (first.sha256, first.learned, first.held_out) == (
        second.sha256,
        second.learned,
        second.held_out,
    )


@pytest.mark.parametrize("confirmed", [0, 1, 5])
def test_a_board_with_too_few_is_refused_and_nothing_is_written(played, confirmed):
    room = open_room()
    play(room, confirmed)
    with pytest.raises(BadInput, match="training needs 6"):
        retrain(room)
    assert not list_runs() and not room.look().board.retrained


def test_one_at_a_time(played, unlaunched):
    retrain(played)
    with pytest.raises(Busy, match="being retrained"):
        retrain(played)
    assert len(list_runs()) == 1


def test_what_is_not_admitted_leaves_nothing(played):
    with pytest.raises(NotAllowed):
        retrain(played, refuse)
    assert not list_runs() and not played.look().board.retrained


def test_a_closed_room_leaves_nothing(played):
    played.close()
    with pytest.raises(NotAvailable, match="closed"):
        retrain(played)
    assert not list_runs()


def test_a_deleted_run_says_so(played, unlaunched):
    event = retrain(played)
    with pytest.raises(NotAvailable, match="no weights"):
        model_after(event)
    with FileLock(run_of(event).folder / "lock"), pytest.raises(Busy):
        delete_run(run_of(event))
    delete_run(run_of(event))
    assert run_of(event) is None
    with pytest.raises(NotAvailable, match="was deleted"):
        model_after(event)


def test_the_built_in_model_is_retrained_with_its_own_head():
    settings = training_settings(BUILTIN)
    assert settings.keep_head and settings.pooling == "cls"


@pytest.mark.slow
def test_from_offers_to_the_verdict_with_a_real_worker(played):
    event = retrain(played)
    run = run_of(event)
    wait_until(lambda: not run.alive())
    assert run.status().state == "finished", (run.folder / "worker.log").read_text()
    room = Room(played.folder)  # as a server that was started anew sees it
    (kept,) = room.look().board.retrained
    entries = room.look().board.entries
    found = judge_retraining(
        (kept.model, model_after(kept)),
        tuple(entries[name] for name in kept.learned),
        tuple(entries[name] for name in kept.held_out),
    )
    assert found.verdict in ("trick", "sentences", "neither", "too few")
    assert found.learned.difference.n + found.held_out.difference.n == 12
    first = run.history().evaluations[0]  # before the first step: the model that was fooled
    assert found.validation.right[0][:40].mean() == pytest.approx(first.accuracy)


def test_the_round_ends_with_the_click_and_not_with_a_refusal(played, unlaunched):
    with pytest.raises(NotAllowed):
        retrain(played, refuse)
    assert played.look().board.taking
    retrain(played)
    assert not played.look().board.taking


def refuse(runs):
    raise NotAllowed("No.")
