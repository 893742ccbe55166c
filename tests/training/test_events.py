"""The file of events: appended whole, read while it grows, torn lines survived."""

import json
import math
import resource
import typing
from dataclasses import fields

import pytest

from bertsent.training.events import KINDS, Event, EventLog, Failed, Paused, Stepped
from bertsent.training.runs.history import History

EXAMPLES = {
    int: 3,
    float: 0.25,
    str: "ein Wort — “quoted”\nand a line",
    dict[str, float]: {"great fun": 0.9},
}


def example(kind: type[Event]) -> Event:
    hints = typing.get_type_hints(kind)
    return kind(**{f.name: EXAMPLES.get(hints[f.name], 0.5) for f in fields(kind)})


def stepped(step, loss=0.5):
    numbers = dict.fromkeys(
        (
            "accuracy",
            "learning_rate",
            "head_learning_rate",
            "grad_norm",
            "tokens_per_second",
            "seconds",
        ),
        1.0,
    )
    return Stepped(step=step, epoch=step / 4, loss=loss, tokens=9, eta_seconds=1.0, **numbers)


@pytest.fixture
def log(tmp_path):
    return EventLog(tmp_path / "events.jsonl")


def test_every_kind_of_event_comes_back_as_it_was(log):
    events = [example(kind) for kind in KINDS.values()]
    for event in events:
        log.append(event)
    assert log.read()[0] == events
    assert len(KINDS) == 10
    assert len(log.path.read_bytes().splitlines()) == 10


def test_a_log_that_is_not_there_yet_is_empty(log):
    assert log.read() == ([], 0)
    log.repair()
    assert not log.path.exists()


def test_reading_goes_on_where_it_stopped(log):
    log.append(stepped(1))
    first, offset = log.read()
    log.append(stepped(2))
    second, end = log.read(offset)
    assert [e.step for e in first + second] == [1, 2]
    assert log.read(end) == ([], end)


def test_a_torn_last_line_is_left_for_the_next_time_and_cut_by_repair(log):
    log.append(stepped(1))
    whole = log.path.read_bytes()
    line = whole.replace(b'"step": 1', b'"step": 2')
    for cut in range(1, len(line) - 1, 7):
        log.path.write_bytes(whole + line[:cut])
        assert [e.step for e in log.read()[0]] == [1] and log.read()[1] == len(whole)
    log.path.write_bytes(whole + line)
    assert [e.step for e in log.read(len(whole))[0]] == [2]
    log.path.write_bytes(whole + line[:40])
    log.repair()
    assert log.path.read_bytes() == whole
    log.repair()
    assert log.path.read_bytes() == whole


def test_damaged_lines_and_events_of_a_newer_version_are_skipped(log):
    log.append(stepped(1))
    newer = (b'{"event": "danced", "step": 2}', b'{"event": "paused", "step": 3, "mood": 1}')
    with log.path.open("ab") as file:
        file.write(b"\n".join((b"", b"{", b"[1]", b"null", b"\xff\xfe", *newer, b"")))
    log.append(Paused(step=4))
    assert [e.step for e in log.read()[0]] == [1, 4]


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_is_never_written(log, value):
    log.append(stepped(1))
    with pytest.raises(ValueError, match="JSON"):
        log.append(stepped(2, loss=value))
    assert [json.loads(line)["step"] for line in log.path.read_text().splitlines()] == [1]


def test_an_event_that_does_not_fit_is_not_written_at_all(log):
    """A full disk takes the first half of a line; what it took is given back."""
    log.append(stepped(1))
    whole = log.path.read_bytes()
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(whole) + 100, usual[1]))
    try:
        with pytest.raises(OSError, match="space|large"):
            log.append(stepped(2))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)
    assert log.path.read_bytes() == whole
    log.append(stepped(2))
    assert [e.step for e in log.read()[0]] == [1, 2]


def test_a_failure_is_the_last_word_until_the_run_goes_on():
    history = History().add(
        [stepped(1), Failed(step=2, reason="The disk is full.", remedy="Free some space.")]
    )
    assert history.failure.reason == "The disk is full." and history.step == 1
    assert history.add([stepped(2)]).failure is None
