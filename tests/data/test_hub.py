"""Bringing models and data sets from the Hub: every test speaks to a fake Hub on this machine, or
to a closed port.
"""

import hashlib
import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

import pandas as pd
import pytest

from bertsent.data import hub, sources
from bertsent.errors import BadInput, Cancelled, NotAvailable

COMMIT = "a" * 40
MODEL = {
    "config.json": b'{"model_type": "bert"}',
    "model.safetensors": os.urandom(300_000),
    "vocab.txt": b"[PAD]\n[UNK]\n",
}
EXTRAS = {
    "pytorch_model.bin": b"pickle",
    "onnx/model.onnx": b"onnx",
    "tf_model.h5": b"h5",
    "README.md": b"# a model",
}
BAD_IDS = [
    "../secret",
    "/etc",
    "..%2f",
    "%2e%2e%2fetc",
    "~",
    "~/model",
    "\\\\host\\x",
    "a b/c d",
    "a/b/c",
    "a/",
    "/a",
    ".",
    "..",
    "a/..",
    "",
    " ",
    "a--b/c",
    "-a/b",
    "a/b.",
    ".a/b",
    "a/b\x00",
    "a/b\nc",
    "https://x/y",
    "é/b",
    "C:\\x",
    "x" * 97,
    "a/b.git",
    None,
]


def wait_until(what, seconds=120.0):
    """The first true answer of ``what()``; it is asked often, so a test lasts no longer than what
    it waits for.
    """
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if answer := what():
            return answer
        time.sleep(0.02)
    raise AssertionError(f"not within {seconds} s")


def end_of(job, seconds=120.0):
    return wait_until(lambda: job.status() if job.status().over else None, seconds)


def left_behind(home):
    """Files of ``hub`` that are neither fetched things nor a job's own records."""
    records = {"status.json", "lock", "start.lock", "cancel", "log"}
    return [
        path
        for path in (home / "hub").rglob("*")
        if not (path.parent.parent.name == "jobs" and path.name in records) and path.is_file()
    ]


def parquet(rows):
    return pd.DataFrame(rows, columns=["text", "label"]).to_parquet(index=False)


class FakeHub(BaseHTTPRequestHandler):
    """As much of the Hub as ``huggingface_hub`` asks for: the listing with sizes, HEAD and GET of a
    file, renamed repositories.
    """

    def log_message(self, *args):
        pass

    def do_HEAD(self):
        self.answer(body=False)

    def do_GET(self):
        self.answer(body=True)

    def answer(self, *, body):
        path = self.path.split("?")[0]
        self.server.asked.append(f"{self.command} {self.path}")
        if path.startswith("/api/"):
            repo, tree, _ = path.removeprefix("/api/").partition("/tree/")
            return self.tree(repo, body) if tree else self.listing(path.removeprefix("/api/"), body)
        repo, _, file = path.lstrip("/").partition(f"/resolve/{COMMIT}/")
        repo = repo if repo.startswith("datasets/") else f"models/{repo}"
        branches = [
            files for name, files in self.server.repos.items() if name.split("@")[0] == repo
        ]
        data = next((files[file] for files in branches if file in files), 404)
        if isinstance(data, int):
            return self.reply(data, b"", {"X-Error-Code": "GatedRepo"} if data == 403 else {}, body)
        self.reply(
            200,
            data,
            {"ETag": f'"{hashlib.sha256(data).hexdigest()}"', "X-Repo-Commit": COMMIT},
            body,
        )

    def tree(self, repo, body):
        """The files of a repository as ``snapshot_download`` asks for them."""
        branches = {name.split("@")[0]: files for name, files in self.server.repos.items()}
        files = [
            {
                "type": "file",
                "path": file,
                "size": 9 if isinstance(data, int) else len(data),
                "oid": "b" * 40,
            }
            for file, data in branches[repo].items()
        ]
        self.reply(200, json.dumps(files).encode(), {"Content-Type": "application/json"}, body)

    def listing(self, path, body):
        repo, _, revision = path.partition("/revision/")
        found = self.server.repos.get(f"{repo}@{revision}" if revision else repo)
        if isinstance(found, str):
            return self.reply(307, b"", {"Location": f"/api/{found}?blobs=true"}, body)
        if isinstance(found, bytes):
            return self.reply(200, found, {"Content-Type": "text/html"}, body)
        if isinstance(found, int):
            return self.reply(
                found, b"", {"X-Error-Code": "RepoNotFound"} if found == 401 else {}, body
            )
        if found is None:
            return self.reply(
                404, b"", {"X-Error-Code": "RevisionNotFound" if revision else "RepoNotFound"}, body
            )
        sizes = {
            file: len(data) if isinstance(data, bytes) else 9 for file, data in found.items()
        } | self.server.sizes.get(repo, {})
        files = [
            {"rfilename": file, "size": size, "blobId": "b" * 40} for file, size in sizes.items()
        ]
        about = {
            "id": repo.partition("/")[2],
            "sha": COMMIT,
            "private": False,
            "tags": [],
            "downloads": 0,
            "likes": 0,
            "siblings": files,
        }
        self.reply(200, json.dumps(about).encode(), {"Content-Type": "application/json"}, body)

    def reply(self, code, data, headers, body):
        self.send_response(code)
        for name, value in {**headers, "Content-Length": str(len(data))}.items():
            self.send_header(name, value)
        self.end_headers()
        if body:
            self.send(data)

    def send(self, data):
        """The first half at once; a slow Hub then drips until it is closed."""
        step = 20_000
        for start in range(0, len(data), step):
            slow = self.server.slow and start >= len(data) // 2
            if slow and self.server.closing.wait(0.2):
                return
            try:
                self.wfile.write(data[start : start + (100 if slow else step)])
                self.wfile.flush()
            except OSError:
                return  # the client left


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty BERTSENT_HOME, and no way out of this machine."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "BERTSENT_HUB", "HF_TOKEN"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    monkeypatch.setenv("BERTSENT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")  # the job turns it on for itself alone
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{_closed_port()}")
    yield tmp_path / "home"
    for folder in (tmp_path / "home" / "hub" / "jobs").glob("*--*"):
        kind, _, name = folder.name.partition("--")
        job = hub.HubDownload(kind, name.replace("--", "/"))
        job.cancel()
        wait_until(lambda job=job: job.status().state not in ("starting", "running"))


def _closed_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture
def fake(here, monkeypatch):
    """A fake Hub that is on; tests put what it offers into ``repos``."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), FakeHub)
    server.daemon_threads = True
    server.repos, server.sizes, server.asked, server.slow, server.closing = (
        {},
        {},
        [],
        False,
        threading.Event(),
    )
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{server.server_port}")
    yield server
    server.closing.set()
    server.shutdown()
    server.server_close()


@pytest.fixture
def workers(monkeypatch):
    """The processes that were started, in order."""
    started, popen = [], subprocess.Popen
    monkeypatch.setattr(
        hub.subprocess,
        "Popen",
        lambda *args, **options: started.append(popen(*args, **options)) or started[-1],
    )
    return started


@pytest.mark.parametrize("bad", BAD_IDS)
def test_a_name_that_is_no_hub_id_is_refused_before_anything_is_touched(bad, here):
    for refuse in (
        hub.hub_id,
        hub.model_path,
        lambda name: hub.start_hub_download("model", name),
        lambda name: hub.download_from_hub("dataset", name),
    ):
        with pytest.raises(BadInput, match="not a Hub id"):
            refuse(bad)
    assert not hub.is_hub_id(bad)
    assert not here.exists()


@pytest.mark.parametrize(
    "good",
    [
        "bert-base-uncased",
        "prajjwal1/bert-tiny",
        "google/bert_uncased_L-2_H-128_A-2",
        "a/b.c",
        "imdb",
        " a/b ",
    ],
)
def test_a_hub_id_names_one_place_under_home(good, here):
    assert hub.model_path(good) == here / "hub" / "models" / good.strip().replace("/", "--")


def test_only_models_and_datasets_are_fetched(here):
    with pytest.raises(BadInput, match="model, dataset"):
        hub.start_hub_download("space", "a/b")


def test_the_table_is_kept_where_reviews_are_looked_for(here):
    assert (
        hub.dataset_path("stanfordnlp/imdb")
        == sources.dataset_path("stanfordnlp/imdb")
        == hub.dataset_path("imdb")
    )


def test_with_the_hub_away_a_download_fails_and_names_the_ways_out(here):
    jobs = {kind: hub.start_hub_download(kind, "owner/name") for kind in hub.KINDS}
    for kind, way in (("model", "built-in backbone"), ("dataset", "built-in reviews")):
        status = end_of(jobs[kind])
        assert status.state == "failed"
        assert "cannot be reached from this machine" in status.message and way in status.message
        assert not jobs[kind].path.exists()
    assert left_behind(here) == []


def test_a_hub_that_connects_and_stays_silent_is_given_up(here, monkeypatch):
    monkeypatch.setitem(hub._CHILD, "HF_HUB_ETAG_TIMEOUT", "1")
    with socket.create_server(("127.0.0.1", 0)) as deaf:  # connections are queued, never answered
        monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{deaf.getsockname()[1]}")
        status = end_of(hub.start_hub_download("model", "owner/name"))
    assert status.state == "failed" and "does not answer" in status.message


def test_a_model_arrives_complete_and_without_what_is_not_read_here(fake, here):
    fake.repos["models/owner/name"] = {**MODEL, **EXTRAS}
    seen = []
    path = hub.download_from_hub("model", "owner/name", seen.append)
    assert path == hub.model_path("owner/name")
    assert {file.name: file.read_bytes() for file in path.rglob("*")} == {
        **MODEL,
        "README.md": EXTRAS["README.md"],
    }
    assert seen[-1].state == "done" and seen[-1].fraction == 1.0
    assert seen[-1].what == "the model owner/name: 4 files, 0.3 MB"
    assert (
        seen[-1].done_bytes
        == seen[-1].total_bytes
        == sum(map(len, MODEL.values())) + len(EXTRAS["README.md"])
    )
    assert hub.downloaded_ids("model") == ["owner/name"] and hub.downloaded_ids("dataset") == []
    assert set(left_behind(here)) == set(path.iterdir())
    assert not any("onnx" in line or "pytorch" in line for line in fake.asked)


def test_what_is_here_is_not_asked_for_again(fake):
    fake.repos["models/owner/name"] = MODEL
    hub.download_from_hub("model", "owner/name")
    fake.asked.clear()
    assert hub.download_from_hub("model", "owner/name").is_dir()
    assert hub.start_hub_download("model", "owner/name").status().state == "done"
    assert fake.asked == []


def test_looking_at_a_download_that_nobody_asked_for_says_so_and_leaves_nothing(here):
    """The page said "The download process died" of every id that somebody typed, and left a folder
    for each.
    """
    for kind in hub.KINDS:
        status = hub.find_hub_download(kind, "owner/name").status()
        assert (status.state, status.message, status.over) == ("absent", "", False)
    assert not here.exists()


def test_a_model_that_was_removed_is_absent_and_can_be_brought_again(fake):
    """Its status stayed "done" for ever."""
    fake.repos["models/owner/name"] = MODEL
    shutil.rmtree(hub.download_from_hub("model", "owner/name"))
    job = hub.find_hub_download("model", "owner/name")
    assert job.status().state == "absent"
    assert hub.download_from_hub("model", "owner/name").is_dir()
    assert job.status().state == "done"


def test_whoever_waited_while_a_download_was_started_and_ended_starts_no_other(fake, workers):
    """On a busy machine the last of eight who started the same got their turn when the download
    was over, and started it once more.
    """
    fake.repos["models/owner/name"] = MODEL
    hub.download_from_hub("model", "owner/name")
    assert hub.start_hub_download("model", "owner/name").status().state == "done"
    assert len(workers) == 1


def test_an_old_bare_name_is_followed_to_its_new_owner(fake):
    fake.repos |= {
        "models/bert-tiny": "models/google-bert/bert-tiny",
        "models/google-bert/bert-tiny": MODEL,
    }
    assert hub.download_from_hub("model", "bert-tiny") == hub.model_path("bert-tiny")
    assert (hub.model_path("bert-tiny") / "model.safetensors").read_bytes() == MODEL[
        "model.safetensors"
    ]


def test_a_training_split_arrives_as_one_table(fake):
    one, two = [("good", 1), ("bad", 0)], [("fine", 1)]
    shards = {
        "plain_text/train-00000-of-00002.parquet": parquet(one),
        "plain_text/train-00001-of-00002.parquet": parquet(two),
    }
    fake.repos["datasets/stanfordnlp/imdb"] = {
        **shards,
        "plain_text/test-00000-of-00001.parquet": parquet(one),
        "README.md": b"#",
    }
    path = hub.download_from_hub("dataset", "imdb")
    assert path == sources.dataset_path("stanfordnlp/imdb")
    assert [tuple(row) for row in pd.read_parquet(path).to_numpy()] == one + two
    assert hub.downloaded_ids("dataset") == ["stanfordnlp/imdb"]
    assert not any("test-" in line for line in fake.asked)


def test_a_csv_data_set_comes_from_the_hubs_own_parquet_copy_and_is_read_as_reviews(fake):
    fake.repos["datasets/owner/csv"] = {"reviews.csv": b"text,label"}
    fake.repos["datasets/owner/csv@refs%2Fconvert%2Fparquet"] = {
        "default/train/0000.parquet": parquet([("good", 1), ("bad", 0)])
    }
    hub.download_from_hub("dataset", "owner/csv")
    assert [review.text for review in sources.load_reviews("owner/csv", contrastive=False)] == [
        "good",
        "bad",
    ]


REFUSED = {
    "pickled": (
        {"config.json": b"{}", "vocab.txt": b"", "pytorch_model.bin": b""},
        "are pickles, which is not supported",
    ),
    "sharded": (
        {"config.json": b"{}", "vocab.txt": b"", "model.safetensors.index.json": b""},
        "split over several files",
    ),
    "wordless": ({"config.json": b"{}", "model.safetensors": b""}, "no tokenizer"),
    "huge": (MODEL, "the limit is 5 GB"),
    "missing": (None, "The Hub has no public model owner/missing"),
    "hidden": (401, "no public model owner/hidden"),
    "private": (403, "gated or private"),
    "gated": ({**MODEL, "config.json": 403}, "gated or private"),
    "broken": (500, "error 500"),
    "portal": (b"<html>Sign in</html>", "not come from the Hub"),
}


def test_what_cannot_be_had_is_refused_in_kind_words_and_leaves_nothing(fake, here):
    fake.repos |= {
        f"models/owner/{name}": repo for name, (repo, _) in REFUSED.items() if repo is not None
    }
    fake.sizes["models/owner/huge"] = {"model.safetensors": 6 * 2**30}
    for some in (list(REFUSED)[:5], list(REFUSED)[5:]):
        for name, job in {
            name: hub.start_hub_download("model", f"owner/{name}") for name in some
        }.items():
            status = end_of(job)
            assert status.state == "failed", name
            assert REFUSED[name][1] in status.message, name
            assert not job.path.exists()
    assert left_behind(here) == []
    assert not any(
        line.startswith("GET /owner") and "/gated/" not in line for line in fake.asked
    ), "nothing was downloaded before it was judged"


def test_a_data_set_too_big_to_be_read_is_refused_before_it_is_downloaded(fake):
    fake.repos["datasets/owner/big"] = {"data/train-00000-of-00001.parquet": b""}
    fake.sizes["datasets/owner/big"] = {"data/train-00000-of-00001.parquet": 60 * 2**20}
    with pytest.raises(NotAvailable, match="60 MB; the limit is 50 MB"):
        hub.download_from_hub("dataset", "owner/big")


def test_what_is_no_parquet_in_spite_of_its_name_is_refused(fake, here):
    fake.repos["datasets/owner/odd"] = {"train.parquet": b"hello, I am a text"}
    with pytest.raises(NotAvailable, match="not readable as Parquet"):
        hub.download_from_hub("dataset", "owner/odd")
    assert left_behind(here) == []


@pytest.fixture
def running(fake, workers):
    """A download from a slow Hub that has something on disk already."""
    fake.slow = True
    fake.repos["models/owner/slow"] = {**MODEL, "model.safetensors": os.urandom(3_000_000)}
    job = hub.start_hub_download("model", "owner/slow")
    wait_until(lambda: job.status().done_bytes > 500_000)
    return job


def test_every_viewer_sees_the_same_job_and_cancelling_leaves_nothing(running, here):
    assert hub.start_hub_download("model", "owner/slow") == running
    assert hub.find_hub_download("model", "owner/slow").status().state == "running"
    status = running.status()
    assert status.state == "running" and status.what == "the model owner/slow: 3 files, 2.9 MB"
    assert 0 < status.fraction < 1
    running.cancel()
    status = end_of(running)
    assert status.state == "cancelled" and "nothing of it was kept" in status.message
    assert not running.path.exists()
    assert left_behind(here) == []


def test_many_who_start_the_same_at_once_get_one_download(fake, workers):
    fake.repos["models/owner/name"] = MODEL
    with ThreadPoolExecutor(8) as people:
        jobs = set(people.map(lambda _: hub.start_hub_download("model", "owner/name"), range(8)))
    assert len(jobs) == len(workers) == 1
    assert end_of(jobs.pop()).state == "done"


def test_a_killed_process_reads_as_failed_and_can_be_started_again(running, fake, workers):
    workers[0].kill()
    status = end_of(running)
    assert status.state == "failed" and "process died" in status.message
    assert not running.path.exists()
    fake.slow = False
    assert hub.download_from_hub("model", "owner/slow").is_dir()
    assert not (running.folder / "partial").exists()


def test_the_late_end_of_a_killed_process_leaves_the_start_after_it_alone(running, workers):
    killed = SimpleNamespace(wait=lambda: None)
    hub._await_end(killed, running, written=running.written_ns() - 1)
    assert running.status().state == "running"


def test_one_who_stops_following_cancels_the_job(fake):
    fake.slow = True
    fake.repos["models/owner/slow"] = {**MODEL, "model.safetensors": os.urandom(3_000_000)}

    def enough(status):
        if status.state == "running":
            raise Cancelled("The person pressed Ctrl-C.")

    with pytest.raises(Cancelled, match="Ctrl-C"):
        hub.download_from_hub("model", "owner/slow", enough)
    assert end_of(hub.find_hub_download("model", "owner/slow")).state == "cancelled"


def test_a_worker_that_cannot_even_start_reads_as_failed(here, monkeypatch):
    monkeypatch.setattr(hub.sys, "executable", "/bin/false")
    job = hub.start_hub_download("model", "owner/name")
    assert end_of(job).state == "failed"
    monkeypatch.setattr(hub.sys, "executable", str(here / "no-such-program"))
    with pytest.raises(NotAvailable, match="could not be started"):
        hub.start_hub_download("model", "owner/other")


def test_a_torn_status_is_no_status(here):
    job = hub.HubDownload("model", "a/b")
    job.folder.mkdir(parents=True)
    for text in ("{", "[]", '{"state": "done"}', '{"other": 1}'):
        (job.folder / "status.json").write_text(text)
        assert job.status().state == "absent"


def test_looking_at_jobs_loads_no_hub_client():
    """``HF_HUB_OFFLINE`` is read when the client is imported: the app must be able to look without
    doing so.
    """
    look = (
        "import sys, bertsent.data.hub as hub; hub.find_hub_download('model', 'a/b').status(); "
        "print(sorted({'huggingface_hub', 'torch', 'pandas'} & set(sys.modules)))"
    )
    assert (
        subprocess.run(
            [sys.executable, "-c", look], capture_output=True, text=True, check=True
        ).stdout.strip()
        == "[]"
    )
