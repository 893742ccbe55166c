"""Several processes look into the folder of a run before they train it."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bertsent.errors import NotAvailable
from bertsent.training.shared_folder import check_shared_folder, compare, first_begins, tell_others


class Words:
    """A meeting place in this process: who asks waits until somebody has spoken."""

    def __init__(self) -> None:
        self.said, self.news = {}, threading.Condition()

    def set(self, key: str, value: str) -> None:
        with self.news:
            self.said[key] = value.encode()
            self.news.notify_all()

    def get(self, key: str) -> bytes:
        with self.news:
            assert self.news.wait_for(lambda: key in self.said, 30)
            return self.said[key]

    def check(self, keys: list[str]) -> bool:
        return all(key in self.said for key in keys)


def looked(*folders: Path) -> list[str]:
    """What each process is told; "" for those that may begin."""
    words = Words()

    def look(rank: int) -> str:
        try:
            compare(words, folders[rank], rank, len(folders), 0.3)
        except NotAvailable as error:
            return str(error)
        return ""

    with ThreadPoolExecutor(len(folders)) as processes:
        return list(processes.map(look, range(len(folders))))


def test_those_who_share_a_folder_begin(tmp_path):
    assert looked(tmp_path, tmp_path, tmp_path) == ["", "", ""]
    assert not list(tmp_path.iterdir())


def test_all_are_told_of_one_who_does_not_see_it(tmp_path):
    """A folder that is missing, and a copy of it in which an older token lies."""
    ours, copy = tmp_path / "ours", tmp_path / "copy"
    ours.mkdir(), copy.mkdir()
    (copy / ".shared-folder").write_text("of another time")
    for theirs in (copy, tmp_path / "missing"):
        said = looked(ours, ours, theirs)
        assert all(
            "Process 2 on host" in line and "disk that all hosts share" in line for line in said
        )


def test_one_process_alone_asks_nobody(tmp_path, monkeypatch):
    monkeypatch.delenv("WORLD_SIZE", raising=False)
    check_shared_folder(tmp_path / "missing")


def test_a_first_process_that_cannot_write_says_so_to_all(tmp_path):
    missing = tmp_path / "missing"
    assert all("Process 0 on host" in line for line in looked(missing, missing))


def test_the_others_wait_for_the_turn_of_the_first():
    for begins in (True, False):
        words = Words()
        with ThreadPoolExecutor(1) as process:
            waits = process.submit(first_begins, words)
            assert not waits.done()
            tell_others(words, begins)
            assert waits.result(30) is begins
    tell_others(None, True)
    assert first_begins(None)
