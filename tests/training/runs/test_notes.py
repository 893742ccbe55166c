"""What a person writes about a run: kept whole or not at all, shown everywhere, never in anybody's
way.
"""

import json
import os

import pytest

from bertsent.errors import BadInput, NotAvailable
from bertsent.training.runs.notes import FILE, TEXT, TITLE, Note, read_note, run_label, write_note
from bertsent.training.runs.run import delete_run, list_runs
from bertsent.training.runs.run_tables import runs_table
from tests.training.loop_harness import LoopHarness, recipe
from tests.training.workers import new_run


@pytest.fixture
def made(lab, tiny_backbone, toy_reviews):
    return new_run(LoopHarness(tiny_backbone, toy_reviews, recipe()))


def test_a_note_is_read_back_and_two_empty_ones_leave_no_file(tmp_path):
    assert read_note(tmp_path) == Note()
    written = write_note(
        tmp_path, "  With\n twice   the rate ", "First line\r\n  second <b>line</b> \U0001f600\n"
    )
    assert (
        written
        == read_note(tmp_path)
        == Note("With twice the rate", "First line\n  second <b>line</b> \U0001f600")
    )
    assert write_note(tmp_path, " ", "\n") == read_note(tmp_path) == Note()
    assert not list(tmp_path.iterdir())


def test_what_cannot_be_seen_or_stored_is_dropped(tmp_path):
    assert (
        write_note(tmp_path, "a\x1b[31m\u202eb\x00\ud800", "x\x07\ny\u2066")
        == Note("a[31mb?", "x\ny")
        == read_note(tmp_path)
    )


def test_the_limits_are_eighty_and_two_thousand_characters(tmp_path):
    longest = write_note(tmp_path, "\U0001f600" * 80, "ü" * 2_000)
    assert (TITLE, TEXT) == (80, 2_000) and read_note(tmp_path) == longest
    for title, text, told in (("x" * 81, "", "title has 81"), ("", "x" * 2_001, "note has 2,001")):
        with pytest.raises(BadInput, match=told):
            write_note(tmp_path, title, text)
    assert read_note(tmp_path) == longest and [p.name for p in tmp_path.iterdir()] == [FILE]


@pytest.mark.parametrize("crash", ["os.replace", "pathlib.Path.write_bytes"])
def test_a_write_that_fails_keeps_what_was_there_and_leaves_nothing(tmp_path, monkeypatch, crash):
    write_note(tmp_path, "first", "")

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(crash, full)
        with pytest.raises(NotAvailable, match="No space left"):
            write_note(tmp_path, "second", "")
    assert read_note(tmp_path).title == "first" and os.listdir(tmp_path) == [FILE]


def test_a_run_that_is_gone_cannot_be_written_about(tmp_path):
    with pytest.raises(NotAvailable, match="cannot be kept"):
        write_note(tmp_path / "gone", "title", "")


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b"[]",
        b"null",
        b'{"title": 3, "text": ""}',
        b'{"title": "x"}',
        b"[" * 60_000,
        json.dumps({"title": "x", "text": "y" * 70_000}).encode(),
        None,
    ],
)
def test_a_damaged_note_is_no_note_and_spoils_no_list(made, damage):
    (made.folder / FILE).mkdir() if damage is None else (made.folder / FILE).write_bytes(damage)
    assert read_note(made.folder) == Note() and run_label(made.folder) == made.id
    (row,) = runs_table().to_dict("records")
    assert (row["run"], row["title"], row["status"]) == (made.id, "", "new")


def test_a_foreign_note_is_cut(tmp_path):
    (tmp_path / FILE).write_text(json.dumps({"title": "t" * 500, "text": "n" * 5_000, "more": 1}))
    assert read_note(tmp_path) == Note("t" * 80, "n" * 2_000)


def test_titles_are_listed_beside_names_that_stay(made):
    write_note(made.folder, "Twice the rate", "hm")
    (row,) = runs_table().to_dict("records")
    assert (row["run"], row["title"], row["note"]) == (made.id, "Twice the rate", "hm")
    assert run_label(made.folder) == f"Twice the rate ({made.id})"
    assert [run.id for run in list_runs()] == [made.id]


def test_titles_are_printed_by_the_command_line(made, capsys):
    from bertsent.__main__ import main

    write_note(made.folder, "Twice the rate", "a long story")
    assert main(["runs"]) == 0
    printed = capsys.readouterr().out
    assert "Twice the rate" in printed and made.id in printed and "a long story" not in printed
    assert main(["runs", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["title"], row["note"]) == ("Twice the rate", "a long story")


@pytest.mark.parametrize(
    "line",
    [
        '{"event": "stepped", "step": "x", "epoch": 1, "loss": 1, "accuracy": 1, "learning_rate": '
        '1, "head_learning_rate": 1, '
        '"grad_norm": 1, "tokens": 1, "tokens_per_second": 1, "seconds": "long", "eta_seconds": 0}',
        '{"event": "evaluated", "step": [], "epoch": 1, "loss": 1, "accuracy": {}, "macro_f1": 1, '
        '"seconds": 1}',
    ],
)
def test_events_of_another_world_make_a_run_unreadable_and_nothing_else(
    made, tiny_backbone, toy_reviews, line
):
    good = new_run(LoopHarness(tiny_backbone, toy_reviews, recipe()))
    (made.folder / "events.jsonl").write_text(f"{line}\n{line}\n")
    table = runs_table().set_index("run")
    assert dict(table["status"]) == {made.id: "unreadable", good.id: "new"}


def test_a_note_goes_with_its_run(made):
    write_note(made.folder, "x", "y")
    delete_run(made)
    assert not made.folder.exists()
