"""What still holds of a run's events, as frames."""

from bertsent.training.events import Evaluated, Resumed, Saved, Sentinel, Started
from bertsent.training.runs.history import History
from tests.training.test_events import example, stepped


def evaluated(step, accuracy=0.5, **more):
    return Evaluated(
        step=step, epoch=step / 4, loss=0.5, accuracy=accuracy, macro_f1=0.5, seconds=1.0, **more
    )


def test_an_empty_history_has_empty_frames_with_names():
    history = History()
    assert (history.step, history.best_accuracy, history.failure, history.started) == (
        0,
        None,
        None,
        None,
    )
    assert history.step_frame().empty and "loss" in history.step_frame()
    assert history.evaluation_frame().empty and "train_loss" in history.evaluation_frame()
    assert list(history.sentinel_frame()) == ["step", "text", "p_positive"]


def test_what_a_resume_goes_back_behind_is_superseded():
    told = [
        example(Started),
        evaluated(0),
        stepped(1),
        Sentinel(step=1, scores={"a": 0.1}),
        stepped(2),
        evaluated(2),
        stepped(3),
    ]
    again = [Resumed(step=1), stepped(2, loss=0.25), evaluated(2, accuracy=0.75)]
    history = History().add(told).add(again)
    assert [s.step for s in history.steps] == [1, 2] and history.steps[-1].loss == 0.25
    assert [(e.step, e.accuracy) for e in history.evaluations] == [(0, 0.5), (2, 0.75)]
    assert history.sentinel_frame().to_dict("records") == [
        {"step": 1, "text": "a", "p_positive": 0.1}
    ]
    assert history.best_accuracy == 0.75


def test_a_new_start_supersedes_everything():
    history = History().add([example(Started), evaluated(0), stepped(1), example(Started)])
    assert not history.steps and not history.evaluations and history.started


def test_what_is_stated_twice_of_one_step_counts_once():
    """A worker killed between an evaluation's statement and its checkpoint evaluates that step
    again when it goes on.
    """
    save = Saved(step=2, folder="step-2", epoch=0.5, seconds=0.1)
    history = History().add(
        [
            stepped(1),
            stepped(2),
            save,
            evaluated(2, accuracy=0.5),
            Resumed(step=2),
            evaluated(2, accuracy=0.5),
            save,
        ]
    )
    assert [e.step for e in history.evaluations] == [2] and [s.step for s in history.saves] == [2]
    assert len(history.evaluation_frame()) == 1


def test_the_untrained_evaluation_is_nobody_s_best():
    assert (
        History().add([evaluated(0, accuracy=0.9), evaluated(4, accuracy=0.6)]).best_accuracy == 0.6
    )


def test_a_copy_is_independent():
    history = History().add([stepped(1)])
    copy = history.copy().add([stepped(2)])
    assert len(history.steps) == 1 and len(copy.steps) == 2


def test_frames_carry_the_numbers_as_they_were():
    frame = History().add([stepped(1, loss=0.123456789), stepped(2)]).step_frame()
    assert list(frame["step"]) == [1, 2] and frame["loss"][0] == 0.123456789
