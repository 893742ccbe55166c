"""A bet on the curves of a run is settled by the run itself."""

import shutil

import numpy as np
import pytest

from bertsent.classroom.questions.curve import BEFORE, NEVER, curve_question, settle_curve
from bertsent.classroom.rooms import open_room
from bertsent.errors import NotAvailable


def test_a_curve_is_answered_by_the_evaluations_of_its_run(finished):
    losses = [e.loss for e in finished.history().epoch_evaluations]
    asked = curve_question(finished, "lowest", 30)
    assert asked.options == (BEFORE, "Epoch 1", "Epoch 2") and not asked.run
    assert asked.truth == int(np.argmin(losses)) == asked.answers[0].choice
    rising = curve_question(finished, "overfit", 30)
    assert rising.options[0] == NEVER


def test_a_live_run_answers_when_it_ends_and_a_vanished_one_never(running, trained):
    room = open_room()
    asked = curve_question(running, "lowest", 30)
    assert asked.run == running.id and asked.truth is None and not asked.answers
    name = room.ask(asked)
    assert not settle_curve(room, room.look().questions[name])
    events = (trained / "events.jsonl").read_bytes()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(running), "alive", lambda run: False)
        assert not settle_curve(room, room.look().questions[name])  # its worker died: it can go on
        (running.folder / "events.jsonl").write_bytes(events)
        assert settle_curve(room, room.look().questions[name])
        assert room.look().questions[name].content.truth is not None
        other = room.ask(asked)
        shutil.rmtree(running.folder)
        with pytest.raises(NotAvailable):
            settle_curve(room, room.look().questions[other])
