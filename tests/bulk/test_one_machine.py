"""``predict --out`` and ``embed`` on one machine: what ``predict`` says of each row, every row
once, and one sentence where something is wrong.
"""

import errno
import json
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bertsent.__main__ import main
from bertsent.bulk.job import OutputFolder
from bertsent.bulk.ray_cluster import Worker, is_address
from bertsent.probing.loaded_model import load
from tests.bulk.conftest import parts, short_reviews

ROWS = ["--rows", "16"]


@pytest.fixture(autouse=True)
def here(lab: Path) -> Path:
    return lab


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict:
    assert main([*map(str, arguments), "--json"]) == 0, capsys.readouterr().err
    return json.loads(capsys.readouterr().out)


def refused(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    assert main([*map(str, arguments), "--json"]) == 2
    streams = capsys.readouterr()
    assert not streams.out and len(streams.err.strip().splitlines()) == 1
    return streams.err


def test_every_row_is_answered_as_predict_answers_it_or_told_why_not(
    tiny_model, tables, tmp_path, capsys
):
    out = tmp_path / "out"
    found = run(capsys, "predict", *tables, "--out", out, "--model", tiny_model, *ROWS)
    assert (found["rows"], found["bad"], found["parts"]) == (86, 4, 6)
    answers, bad = parts(out), parts(out, "bad")
    both = pd.concat([answers[["file", "row"]], bad[["file", "row"]]])
    wanted = {(file, row) for file in ("a.parquet", "b.csv", "c.jsonl") for row in range(1, 31)}
    assert len(both) == 90 and set(both.itertuples(index=False, name=None)) == wanted
    assert dict(zip(bad["row"].astype(str) + bad["file"], bad["id"].fillna(""), strict=True)) == {
        "6b.csv": "row 35",
        "5c.jsonl": "row 64",
        "10c.jsonl": "row 69",
        "30c.jsonl": "",
    }
    assert bad["reason"].str.len().gt(5).all() and bad["reason"].nunique() == 4
    lines = tmp_path / "lines.txt"
    lines.write_text("\n".join(answers["text"]), encoding="utf-8")
    alone = pd.DataFrame(run(capsys, "predict", lines, "--model", tiny_model)["predictions"])
    assert alone["label"].tolist() == answers["label"].tolist()
    assert np.abs(alone["p_positive"] - answers["p_positive"]).max() < 1e-5
    assert alone["tokens"].tolist() == answers["tokens"].tolist()
    assert answers["p_positive"].nunique() > 40  # not one answer for all
    assert answers["tokens"].max() == 22  # the rest is cut


def test_what_is_finished_is_not_computed_again(tiny_model, tables, tmp_path, capsys, monkeypatch):
    """One part is lost and one is damaged; those two alone are written again, and then they are as
    they were.
    """
    out = tmp_path / "out"
    command = ("predict", *tables, "--out", out, "--model", tiny_model, *ROWS)
    run(capsys, *command)
    before, files = parts(out), sorted((out / "parts").iterdir())
    files[1].unlink()
    files[4].write_bytes(files[4].read_bytes()[:-9])
    written, write = [], OutputFolder.write
    monkeypatch.setattr(
        OutputFolder, "write", lambda self, name, *t: written.append(name) or write(self, name, *t)
    )
    found = run(capsys, *command)
    assert written == [files[1].stem, files[4].stem] and found["found"] == 4
    after = parts(out)
    numbers = ["p_positive"]
    assert after.drop(columns=numbers).equals(before.drop(columns=numbers))
    assert np.abs(after["p_positive"] - before["p_positive"]).max() < 1e-6
    assert run(capsys, *command)["found"] == 6 and len(written) == 2


def test_vectors_are_those_of_the_model(tiny_model, tables, tmp_path, capsys):
    out = tmp_path / "vectors"
    run(capsys, "embed", *tables, "--out", out, "--model", tiny_model, "--pooling", "mean", *ROWS)
    found = parts(out)
    expected = load(str(tiny_model)).embed(found["text"].tolist(), pooling="mean")
    assert np.abs(np.stack(found["vector"]) - expected).max() < 1e-5


def broken(folder: Path, name: str, content: bytes) -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("d.parquet", b"PAR1 but no more", "d.parquet is not a readable Parquet file"),
        ("d.csv", b"id,review\n1,good\n", "the column “review”"),
        ("d.csv", b"text\ngood\n", "no column"),
        ("d.csv", b"id,words\n1,good\n", "has no text column (found: id, words)"),
        ("d.csv", b"id,text\n1,good,3,4\n", "cannot be read as a table"),
        ("d.csv", b"id,text\n", "has no rows"),
        ("d.jsonl", b"good\n", "is not JSON Lines"),
        ("d.txt", b"good\n", "is not in a supported format"),
        ("d.csv", b"", "is empty"),
    ],
)
def test_a_part_that_does_not_fit_stops_the_job_before_it_begins(
    tiny_model, tables, tmp_path, capsys, name, content, said
):
    more, out = broken(tmp_path, name, content), tmp_path / "out"
    error = refused(capsys, "predict", *tables, more, "--out", out, "--model", tiny_model)
    assert said in error and name in error and not out.exists()


def test_a_column_of_numbers_is_no_text(tiny_model, tmp_path, capsys):
    pd.DataFrame({"text": [1, 2]}).to_parquet(tmp_path / "n.parquet")
    command = ("predict", tmp_path / "n.parquet", "--out", tmp_path / "o", "--model", tiny_model)
    assert "holds int64, not text" in refused(capsys, *command)


def test_a_key_without_a_name_is_not_read(tiny_model, tmp_path, capsys):
    """As tables with an unnamed index come out of pandas."""
    table, out = tmp_path / "rows.jsonl", tmp_path / "out"
    table.write_text('{"": 3, "text": "a fine film"}\n', encoding="utf-8")
    assert run(capsys, "predict", table, "--out", out, "--model", tiny_model)["rows"] == 1
    assert parts(out)["id"].isna().all()


def test_a_folder_of_somebody_else_s_is_left_alone(tiny_model, tables, tmp_path, capsys):
    out, other = tmp_path / "out", tmp_path / "other"
    run(capsys, "predict", *tables, "--out", out, "--model", tiny_model)
    before = {path: path.stat().st_mtime_ns for path in out.rglob("*.parquet")}
    for command in (
        ("predict", *tables, "--out", out, "--model", "builtin"),
        ("predict", tables[0], "--out", out, "--model", tiny_model),
        ("predict", *tables, "--out", out, "--model", tiny_model, "--rows", "7"),
        ("embed", *tables, "--out", out, "--model", tiny_model),
    ):
        assert "holds the answers of another job" in refused(capsys, *command)
    assert before == {path: path.stat().st_mtime_ns for path in out.rglob("*.parquet")}
    other.mkdir()
    (other / "letter.txt").write_text("mine")
    command = ("predict", *tables, "--out", other, "--model", tiny_model)
    assert "holds other things" in refused(capsys, *command) and len(list(other.iterdir())) == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--out", "OUT", "--cluster", "127.0.0.1:9"], "No Ray cluster answers at 127.0.0.1:9"),
        (["--cluster"], "Add --out FOLDER"),
        ([], "Add --out FOLDER"),
        (["--out", "OUT", "--rows", "0"], "A part cannot have 0 rows"),
        (["--out", "OUT", "--workers", "0"], "Give --workers 1 or more"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(tiny_model, tables, tmp_path, capsys, arguments, said):
    pytest.importorskip("ray") if "127.0.0.1:9" in arguments else None
    given = [str(tmp_path / "out") if each == "OUT" else each for each in arguments]
    assert said in refused(capsys, "predict", *tables, "--model", tiny_model, *given)


def test_an_address_is_told_from_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "auto").mkdir()
    addresses = ("head:6379", "10.0.0.1:6379", "ray://head:10001", "ray://[::1]:10001")
    assert all(map(is_address, addresses))
    assert not any(map(is_address, ("auto", "reviews.parquet", "folder/part:1.csv", "here")))
    (tmp_path / "auto").rmdir()
    assert is_address("auto")


def job_of(tables, tiny_model, out):
    """A folder that is opened, and its job."""
    from bertsent.bulk.answering import key_of
    from bertsent.bulk.inputs import find_inputs
    from bertsent.bulk.job import BulkJob, opened

    inputs = find_inputs([str(table) for table in tables])
    job = BulkJob("predict", str(tiny_model), key_of(load(str(tiny_model))), tuple(inputs), 16)
    with opened(out, job):
        return job


def test_a_full_disk_leaves_no_part_behind(tiny_model, tables, tmp_path, monkeypatch, capsys):
    """What a worker says of it is a row, not an exception, which Ray would repeat."""
    from bertsent.bulk.inputs import parts_of
    from bertsent.bulk.ray_cluster import _row

    out = tmp_path / "out"
    job = job_of(tables, tiny_model, out)
    row = _row(next(parts_of(job.inputs[0], 0, 16)))

    def full(table, file, **_):
        file.write(b"PAR1 half of it")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("bertsent.bulk.job.pq.write_table", full)
    (said,) = Worker(str(out), job, False)(row).to_pylist()
    assert "cannot write: No space left on device" in said["trouble"] and said["rows"] == 0
    assert not list((out / "parts").iterdir())
    command = ("predict", *tables, "--out", out, "--model", tiny_model, *ROWS)
    assert "No space left on device" in refused(capsys, *command)
    assert not list((out / "parts").iterdir())
    monkeypatch.undo()
    (said,) = Worker(str(out), job, False)(row).to_pylist()
    assert said == {"part": "part-00000-000000", "rows": 16, "bad": 0, "trouble": ""}


def test_a_worker_without_model_or_folder_says_so(tiny_model, tables, tmp_path):
    import shutil

    from bertsent.bulk.inputs import parts_of
    from bertsent.bulk.ray_cluster import _row

    own = shutil.copytree(tiny_model, tmp_path / "own")
    job = job_of(tables, own, tmp_path / "out")
    row = _row(next(parts_of(job.inputs[0], 0, 16)))
    shutil.rmtree(own)
    (said,) = Worker(str(tmp_path / "out"), job, False)(row).to_pylist()
    assert "has no usable model" in said["trouble"]
    (said,) = Worker(str(tmp_path / "elsewhere"), job, False)(row).to_pylist()
    assert "on a disk that all machines share" in said["trouble"]


def test_a_file_that_changed_meanwhile_is_not_called_finished(tiny_model, tmp_path, capsys):
    table, out = tmp_path / "t.csv", tmp_path / "out"
    pd.DataFrame({"text": short_reviews(40)}).to_csv(table, index=False)
    job = job_of([table], tiny_model, out)
    from bertsent.bulk.job import finish, opened
    from bertsent.bulk.one_machine import work_here

    with opened(out, job) as output:
        work_here(output, job)
        (out / "parts" / "part-00000-000001.parquet").unlink()
        with pytest.raises(Exception, match="has 40 rows, but 24 were written"):
            finish(output, job)
    assert json.loads((out / "manifest.json").read_text())["state"] == "unfinished"
