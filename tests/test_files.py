"""Files and folders appear whole or not at all."""

import os

import pytest

from bertsent.files import atomic_path, write_atomically


def disk_full(*_, **__):
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize("content", ["grün\n", b"\x00\xff"])
def test_a_file_is_written_and_replaced(tmp_path, content):
    path = tmp_path / "file"
    path.write_text("old")
    write_atomically(path, content)
    assert path.read_bytes() == (content.encode() if isinstance(content, str) else content)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("step", ["replace", "write"])
def test_a_write_that_fails_keeps_the_old_file_and_leaves_nothing(tmp_path, monkeypatch, step):
    path = tmp_path / "file"
    path.write_text("old")
    monkeypatch.setattr(
        *((os, "replace") if step == "replace" else (type(path), "write_bytes")), disk_full
    )
    with pytest.raises(OSError, match="No space"):
        write_atomically(path, "new")
    assert path.read_text() == "old" and list(tmp_path.iterdir()) == [path]


def test_a_folder_that_is_there_is_replaced_only_when_asked(tmp_path):
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "old").touch()
    with pytest.raises(OSError, match="not empty"), atomic_path(folder) as unfinished:
        unfinished.mkdir()
    assert [file.name for file in folder.iterdir()] == ["old"]
    with atomic_path(folder, replace_folder=True) as unfinished:
        unfinished.mkdir()
        (unfinished / "new").touch()
    assert [file.name for file in folder.iterdir()] == ["new"]
    assert list(tmp_path.iterdir()) == [folder]


def test_a_small_file_does_not_bring_back_a_folder_that_was_deleted(tmp_path):
    with pytest.raises(FileNotFoundError):
        write_atomically(tmp_path / "deleted run" / "note.json", "{}")
    assert list(tmp_path.iterdir()) == []


def test_an_error_inside_the_block_keeps_the_old_folder(tmp_path):
    folder = tmp_path / "model"
    folder.mkdir()
    with pytest.raises(KeyError), atomic_path(folder, replace_folder=True) as unfinished:
        unfinished.mkdir()
        raise KeyError
    assert list(tmp_path.iterdir()) == [folder]
