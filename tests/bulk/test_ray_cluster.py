"""The same job on a Ray cluster: equal to ``predict``, whatever dies in the middle."""

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bertsent.__main__ import main
from bertsent.errors import NotAvailable
from tests.bulk.conftest import parts, short_reviews
from tests.bulk.test_one_machine import job_of, refused, run
from tests.conftest import wait_until
from tests.process_tree import children

ray = pytest.importorskip(
    "ray", reason="Ray is an optional extra: pip install 'bertsent[cluster]' to run these"
)
from bertsent.bulk.job import finish, opened  # noqa: E402
from bertsent.bulk.ray_cluster import HERE, connected, work_on_cluster  # noqa: E402

pytestmark = [pytest.mark.machines, pytest.mark.timeout(900)]
MANY = 4_000


@pytest.fixture(autouse=True)
def here(lab: Path) -> Path:
    return lab


@pytest.fixture
def many(tmp_path: Path) -> list[Path]:
    """Two files that make 250 parts of 16 rows."""
    folder = tmp_path / "many"
    folder.mkdir()
    table = pd.DataFrame({"text": short_reviews(MANY)})
    table[: MANY // 2].to_parquet(folder / "a.parquet")
    table[MANY // 2 :].to_csv(folder / "b.csv", index=False)
    return sorted(folder.iterdir())


def test_a_cluster_of_this_machine_answers_as_predict_does(tiny_model, tables, tmp_path, capsys):
    """Bad rows, an address left out before the first input, and a second time without work."""
    here, there = tmp_path / "here", tmp_path / "there"
    options = ["--model", tiny_model, "--rows", "16"]
    run(capsys, "predict", *tables, "--out", here, *options)
    command = ("predict", "--cluster", *tables, "--out", there, *options, "--workers", "2")
    found = run(capsys, *command)
    assert (found["rows"], found["bad"], found["parts"]) == (86, 4, 6)
    assert not ray.is_initialized()
    own, theirs = parts(here), parts(there)
    assert own.drop(columns="p_positive").equals(theirs.drop(columns="p_positive"))
    assert np.abs(own["p_positive"] - theirs["p_positive"]).max() < 1e-5
    assert parts(here, "bad").equals(parts(there, "bad"))
    assert json.loads((there / "manifest.json").read_text())["state"] == "finished"
    assert run(capsys, *command)["found"] == 6
    embed = ("embed", *tables, "--out", tmp_path / "vectors", "--cluster", *options)
    assert run(capsys, *embed)["rows"] == 86


def test_aspects_travel_with_their_texts(tmp_path, capsys):
    """The heads that ship, and a row whose aspect is not in its text."""
    table, here, there = (tmp_path / name for name in ("rows.csv", "here", "there"))
    rows = ["soup,Good soup but slow service", "service,Good soup but slow service", "film,No"]
    table.write_text("\n".join(["aspect,text", *rows]) + "\n", encoding="utf-8")
    command = ("predict", table, "--model", "builtin/aspects", "--out")
    run(capsys, *command, here)
    assert run(capsys, *command, there, "--cluster", "--workers", "1")["bad"] == 1
    own, theirs = parts(here), parts(there)
    numbers = [name for name in own if name.startswith("p_")]
    assert own["label"].tolist() == ["positive", "negative"] and len(numbers) == 3
    assert own.drop(columns=numbers).equals(theirs.drop(columns=numbers))
    assert np.abs(own[numbers] - theirs[numbers]).max(axis=None) < 1e-5
    assert parts(here, "bad").equals(parts(there, "bad"))


def in_background(work) -> tuple[threading.Thread, list[BaseException]]:
    failures: list[BaseException] = []

    def guarded() -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001 - told to the test
            failures.append(error)

    thread = threading.Thread(target=guarded, daemon=True)
    thread.start()
    return thread, failures


def check_all_there(out: Path, source: list[Path]) -> None:
    """Every row once, with its own text."""
    texts = [*pd.read_parquet(source[0])["text"], *pd.read_csv(source[1])["text"]]
    answers = parts(out)
    assert len(answers) == MANY and not answers.duplicated(["file", "row"]).any()
    assert answers["text"].tolist() == texts
    assert not list(out.rglob(".*"))


def test_a_worker_killed_in_the_middle_loses_nothing(tiny_model, many, tmp_path, capsys):
    out = tmp_path / "out"
    job = job_of(many, tiny_model, out)
    with connected(HERE), opened(out, job) as output:
        thread, failures = in_background(lambda: work_on_cluster(output, job, workers=2))
        wait_until(lambda: len(list((out / "parts").glob("part-*"))) >= 20, 500)
        workers = [pid for pid, what in children(os.getpid()).items() if "MapWorker" in what]
        os.kill(workers[0], signal.SIGKILL)
        killed_at = len(list((out / "parts").glob("part-*")))
        thread.join(600)
        assert not failures and not thread.is_alive() and killed_at < 250
        finish(output, job)
    check_all_there(out, many)
    assert not capsys.readouterr().out, "Ray says what it repeats where the answers go"


def test_a_whole_machine_lost_in_the_middle_loses_nothing(tiny_model, many, tmp_path):
    """Ray's own cluster utility: two nodes of one core beside a head without any."""
    from ray.cluster_utils import Cluster

    out = tmp_path / "out"
    job = job_of(many, tiny_model, out)
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0})
    try:
        cluster.add_node(num_cpus=1)
        second = cluster.add_node(num_cpus=1)
        with connected(cluster.address), opened(out, job) as output:
            thread, failures = in_background(lambda: work_on_cluster(output, job))
            wait_until(lambda: len(list((out / "parts").glob("part-*"))) >= 20, 500)
            cluster.remove_node(second, allow_graceful=False)
            killed_at = len(list((out / "parts").glob("part-*")))
            thread.join(600)
            assert not failures and not thread.is_alive() and killed_at < 250
            finish(output, job)
    finally:
        cluster.shutdown()
    check_all_there(out, many)


def test_a_command_killed_in_the_middle_goes_on_where_it_was(tiny_model, many, tmp_path, capsys):
    """The whole command, with kill -9; its cluster notices and ends as well."""
    out = tmp_path / "out"
    command = ["predict", "--cluster", *many, "--out", out, "--model", tiny_model, "--rows", "16"]
    words = [str(word) for word in command]
    first = subprocess.Popen([sys.executable, "-m", "bertsent", *words], stderr=subprocess.PIPE)
    wait_until(lambda: len(list((out / "parts").glob("part-*"))) >= 20, 500)
    first.kill()
    first.wait()
    left = len(list((out / "parts").glob("part-*")))
    assert 20 <= left < 250
    found = run(capsys, *command)
    assert left <= found["found"] < 250 and found["rows"] == MANY
    check_all_there(out, many)


def test_troubles_of_a_cluster_are_one_sentence_each(tiny_model, many, tmp_path, capsys):
    """A worker without the model, a file that is gone, a disk that is full; what was finished
    stays.
    """
    import shutil

    own = shutil.copytree(tiny_model, tmp_path / "own")
    job = job_of(many, own, tmp_path / "a")
    with connected(HERE):
        shutil.rmtree(own)
        with (
            opened(tmp_path / "a", job) as output,
            pytest.raises(NotAvailable, match="has no usable model"),
        ):
            work_on_cluster(output, job, workers=1)
        job = job_of(many, tiny_model, tmp_path / "b")
        many[1].unlink()
        with (
            opened(tmp_path / "b", job) as output,
            pytest.raises(NotAvailable, match="cannot read b.csv"),
        ):
            work_on_cluster(output, job, workers=1)


def test_a_full_disk_on_a_node_ends_with_a_sentence(tiny_model, many, tmp_path, capsys):
    """A disk of 300 kB, which the parts fill."""
    out = tmp_path / "out"
    out.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", str(out)],
        capture_output=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip("a disk can be mounted by root alone")
    try:
        command = ["predict", "--cluster", *many, "--out", out, "--model", tiny_model]
        said = refused(capsys, *command, "--rows", "16")
        assert "cannot write: No space left on device. Free space" in said
        whole = [pd.read_parquet(path) for path in (out / "parts").glob("part-*")]
        assert whole and all(len(part) == 16 for part in whole)
        assert json.loads((out / "manifest.json").read_text())["state"] == "unfinished"
    finally:
        subprocess.run(["umount", str(out)], check=True)


def test_no_cluster_at_an_address(tiny_model, many, tmp_path, capsys):
    command = ["predict", *many, "--out", tmp_path / "o", "--model", tiny_model]
    assert main([*map(str, command), "--cluster", "127.0.0.1:9"]) == 2
    assert "No Ray cluster answers at 127.0.0.1:9" in capsys.readouterr().err
