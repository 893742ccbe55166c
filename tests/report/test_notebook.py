"""A notebook keeps what was pinned, in order, bounded, for its visitor alone; whatever is on the
disk, the page stands.
"""

import json
import os
import threading
import time
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from bertsent.errors import BadInput, Busy, NotAllowed, NotAvailable
from bertsent.report import notebook as module
from bertsent.report.document import Drawing, NumberTable
from bertsent.report.notebook import (
    DAYS,
    MOST_PINS,
    Notebook,
    delete_expired_notebooks,
    notebook_of,
    notebooks_folder,
)
from bertsent.report.pins import FIGURE_BYTES, Pin, PinContent

ANNA, BEN = "a" * 64, "b" * 64
SPEC = {"data": [{"type": "bar", "y": [0.1 + 0.2, 1 / 3]}], "layout": {}}
CONTENT = PinContent(
    (Drawing("plotly", SPEC, "Two bars"),),
    (NumberTable.of_frame("Numbers", pd.DataFrame({"p": [0.1 + 0.2, None], "word": ["a", "b"]})),),
)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BERTSENT_HOME", str(tmp_path))
    return tmp_path


def pin(finding: str = "Something", **facts: object) -> Pin:
    return Pin(page="Probe", link="/Probe?probe=Why", tab="Why", finding=finding, **facts)


def findings(book: Notebook) -> list[str]:
    return [each.finding for each in book.pins()]


def filled(*names: str) -> Notebook:
    book = notebook_of(ANNA)
    for name in names:
        book.keep(pin(name), CONTENT)
    return book


def test_what_is_kept_comes_back_to_the_last_digit() -> None:
    book = notebook_of(ANNA)
    book.keep(pin(p_positive=0.1 + 0.2, card={"Seed": "42"}, papers=("devlin2019",)), CONTENT)
    (found,) = notebook_of(ANNA).pins()
    assert (found.p_positive, found.card, found.papers) == (
        0.1 + 0.2,
        {"Seed": "42"},
        ("devlin2019",),
    )
    assert book.content(found.id) == CONTENT
    assert book.content(found.id).tables[0].rows[0][0] == 0.1 + 0.2


def test_a_notebook_is_its_visitor_s_alone() -> None:
    filled("mine")
    assert notebook_of(BEN).pins() == () and notebook_of("").pins() == ()
    for nobody in ("nobody", "../" + "a" * 61, "A" * 64):
        with pytest.raises(NotAllowed):
            notebook_of(nobody)


def test_pins_are_moved_annotated_and_taken_out() -> None:
    book = filled("one", "two", "three")
    one, two, three = book.pins()
    book.move(three.id, 0)
    book.annotate(one.id, "Why?\n<b>")
    book.take_out(two.id)
    assert findings(book) == ["three", "one"]
    assert book.pins()[1].note == "Why?\n<b>"
    assert sorted(f.stem for f in book.folder.glob("*.json")) == sorted([one.id, three.id])
    book.take_out(two.id)
    with pytest.raises(NotAvailable):
        book.annotate(two.id, "gone")
    with pytest.raises(BadInput):
        book.annotate(one.id, "x" * 2_001)


def test_it_is_bounded() -> None:
    book = filled(*map(str, range(MOST_PINS)))
    with pytest.raises(Busy):
        book.keep(pin("one more"), CONTENT)
    assert len(book.pins()) == MOST_PINS == len(list(book.folder.glob("*.json")))
    book.take_out(book.pins()[0].id)
    book.keep(pin("one more"), CONTENT)


def test_its_bytes_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    book = notebook_of(ANNA)
    huge = PinContent((Drawing("plotly", {"data": ["x" * FIGURE_BYTES]}),))
    with pytest.raises(BadInput):
        book.keep(pin(), huge)
    assert not book.folder.exists()
    monkeypatch.setattr(module, "MOST_BYTES", 2 * len(CONTENT.packed()))
    filled("one", "two")
    with pytest.raises(Busy):
        book.keep(pin("three"), CONTENT)
    monkeypatch.setattr(module, "MOST_NOTEBOOKS", 1)
    with pytest.raises(Busy):
        notebook_of(BEN).keep(pin(), CONTENT)


def test_events_are_added_up_before_they_fill_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    book = filled("one", "two")
    one, two = book.pins()
    monkeypatch.setattr(module, "_LOG_BYTES", 5_000)
    for number in range(100):
        book.annotate(one.id, f"note {number}")
        book.move(two.id, number % 2)
    assert book.log.path.stat().st_size < 6_000
    assert {p.id: p.note for p in book.pins()} == {one.id: "note 99", two.id: ""}


def test_many_at_once_lose_nothing() -> None:
    """Two tabs of one browser are two threads of the server."""
    book = filled("first")

    def write(number: int) -> None:
        mine = notebook_of(ANNA)
        for turn in range(5):
            mine.keep(pin(f"{number}-{turn}"), CONTENT)

    threads = [threading.Thread(target=write, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(findings(book)) == sorted(
        ["first", *(f"{n}-{t}" for n in range(4) for t in range(5))]
    )


RUBBISH = (
    b"\x00\xff\xfe",
    b"[]",
    b"null",
    b'{"event": "putin"}',
    b'{"event": "putin", "pin": {"page": 3}}',
    b'{"event": "putin", "pin": {"page": "Probe", "link": "/", "time": NaN}}',
    b'{"event": "putin", "pin": {"page": "Probe", "link": "/", "id": "../../etc"}}',
    b'{"event": "putin", "pin": {"page": "Probe", "link": "/", "card": 7}}',
    b'{"event": "moved", "pin": ["a"], "place": 1}',
    b'{"event": "moved", "pin": "000000000000", "place": "first"}',
    b'{"event": "annotated", "pin": "000000000000", "text": {}}',
    b'{"event": "exploded", "pin": "000000000000"}',
    b"[" * 100_000,
    b'{"event": "putin", "pin": {',
)


def test_rubbish_among_the_events_is_passed_over() -> None:
    book = filled("one")
    known = book.pins()[0]
    with book.log.path.open("ab") as file:
        for line in RUBBISH[:-1]:
            file.write(line.replace(b"0" * 12, known.id.encode()) + b"\n")
        file.write(RUBBISH[-1])  # torn by a crash
    assert findings(book) == ["one"]
    book.keep(pin("two"), CONTENT)
    assert findings(book) == ["one", "two"]


@pytest.mark.parametrize(
    "content",
    (
        b"",
        b"\xff",
        b"{}",
        b"[]",
        b'{"drawings": [], "tables": [{"title": "", "columns": ["a"], "rows": [[1, 2]], "of": 1}]}',
        b'{"drawings": [{"library": "evil", "spec": {}}], "tables": []}',
        b'{"drawings": [{"library": "plotly", "spec": 3}], "tables": []}',
        b"[" * 100_000,
    ),
)
def test_a_damaged_figure_is_none(content: bytes) -> None:
    book = filled("one")
    name = book.pins()[0].id
    (book.folder / f"{name}.json").write_bytes(content)
    assert book.content(name) is None
    (book.folder / f"{name}.json").unlink()
    assert book.content(name) is None


def test_it_is_deleted_by_its_owner_and_by_time() -> None:
    book = filled("one")
    other = notebook_of(BEN)
    other.keep(pin("two"), CONTENT)
    old = time.time() - (DAYS + 1) * 24 * 3600
    for path in (book.log.path, book.folder):
        os.utime(path, (old, old))
    (notebooks_folder() / ".half-deleted").mkdir()
    delete_expired_notebooks()
    assert sorted(f.name for f in notebooks_folder().iterdir()) == [BEN]
    assert book.pins() == () and findings(other) == ["two"]
    other.delete()
    other.delete()
    assert list(notebooks_folder().iterdir()) == [] and other.pins() == ()
    with pytest.raises(NotAvailable):
        other.annotate("0" * 12, "gone")


def test_nothing_in_it_names_the_visitor() -> None:
    book = filled("one")
    texts = [path.read_text() for path in book.folder.iterdir()]
    assert ANNA not in "".join(texts)
    line = json.loads((book.folder / "events.jsonl").read_text())
    assert set(line) == {"event", "pin", "time"}
    assert set(line["pin"]) == set(replace(pin()).__dataclass_fields__)
