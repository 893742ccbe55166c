"""A Hub id in, a local path out; between the two a download job that everybody can watch and
anybody can cancel.

This page never speaks to the Hub. It starts ``bertsent.data.hub_worker``, a process of its own, and
reads what that one
writes, so a viewer's click costs no network and a restarted app finds its downloads again. A job is
a folder:

    $BERTSENT_HOME/hub/jobs/<slug>/
      status.json   replaced by the worker, read by everyone     lock     held by the worker through
      filelock: alive
      asked         touched when the job is started              cancel   touched by whoever wants
      it stopped
      partial/      what has arrived so far; moved at the end    log      the worker's output
"""

import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from bertsent.errors import BadInput, Cancelled, NotAvailable
from bertsent.settings import PROJECT, home

KINDS = ("model", "dataset")
LONGEST_ID = 96
SLOWEST_START = 60.0  # seconds after which a worker that never spoke counts as dead
_PART = r"[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?"
_HUB_ID = re.compile(rf"(?:{_PART}/)?{_PART}")
_NICKNAMES = {("dataset", "imdb"): "stanfordnlp/imdb"}


def hub_id(text: str) -> str:
    """Check the name of a model or data set of the Hub: ``owner/name``, or an old bare name such as
    ``bert-base-uncased``.

    Raises:
        BadInput: that is no such name; nothing that could be a path, an address or an escape
            passes.
    """
    name = text.strip() if isinstance(text, str) else ""
    if (
        len(name) > LONGEST_ID
        or ".." in name
        or "--" in name
        or name.endswith(".git")
        or not _HUB_ID.fullmatch(name)
    ):
        raise BadInput(
            f"“{str(text)[:60]}” is not a Hub id.",
            "It looks like owner/name, or like bert-base-uncased.",
        )
    return name


def is_hub_id(text: str) -> bool:
    """True when ``hub_id`` would take that text."""
    try:
        return bool(hub_id(text))
    except BadInput:
        return False


def model_path(name: str) -> Path:
    """The folder where a Hub model is kept once it was fetched.

    Raises:
        BadInput: that is not the form of a Hub id.
    """
    return home() / "hub" / "models" / hub_id(name).replace("/", "--")


def dataset_path(name: str) -> Path:
    """Where a Hub data set's training table is kept once it was fetched; ``imdb`` means
    ``stanfordnlp/imdb``.

    Raises:
        BadInput: that is not the form of a Hub id.
    """
    known = _NICKNAMES.get(("dataset", name), name)
    return home() / "hub" / "datasets" / f"{hub_id(known).replace('/', '--')}.parquet"


def downloaded_ids(kind: str) -> list[str]:
    """The Hub ids of all models, or of all data sets, that are on this machine."""
    folder = home() / "hub" / f"{_kind(kind)}s"
    found = sorted(folder.iterdir()) if folder.is_dir() else []
    return [
        path.name.removesuffix(".parquet").replace("--", "/")
        for path in found
        if not path.name.startswith(".")
    ]


@dataclass(frozen=True)
class DownloadStatus:
    """How far a download is. ``what`` names it with its size, ``message`` is a sentence for the
    screen.
    """

    state: str  # "starting", "running", "done", "failed" or "cancelled"
    what: str
    done_bytes: int = 0
    total_bytes: int = 0
    message: str = ""
    seconds: float = 0.0

    @property
    def over(self) -> bool:
        return self.state in ("done", "failed", "cancelled")

    @property
    def fraction(self) -> float:
        """From 0 to 1; 0 as long as the size is not known."""
        return (
            1.0
            if self.state == "done"
            else min(self.done_bytes / self.total_bytes, 1.0)
            if self.total_bytes
            else 0.0
        )


@dataclass(frozen=True)
class HubDownload:
    """One download job: its state is on disk, so any process may hold one of these for the same
    job.
    """

    kind: str
    hub_id: str

    @property
    def folder(self) -> Path:
        return home() / "hub" / "jobs" / f"{self.kind}--{self.hub_id.replace('/', '--')}"

    @property
    def path(self) -> Path:
        """Where the model folder or the table is when the job is done."""
        return model_path(self.hub_id) if self.kind == "model" else dataset_path(self.hub_id)

    @property
    def title(self) -> str:
        return f"the model {self.hub_id}" if self.kind == "model" else f"the data set {self.hub_id}"

    def status(self) -> DownloadStatus:
        """How far the job is now. Costs no network and at most about 30 ms."""
        before = self._written()
        if before and before.over:
            return before
        alive = self._is_alive()
        now = (
            self._written()
        )  # a worker that ended meanwhile wrote its last word before it let go of the lock
        if now and (now.over or alive or not before):
            return now
        if now is None and (alive or self._asked_just_now()):
            return DownloadStatus(
                "starting", self.title, message="The download process is starting."
            )
        done, total, seconds = (
            (now.done_bytes, now.total_bytes, now.seconds) if now else (0, 0, 0.0)
        )
        what = now.what if now else self.title
        return DownloadStatus(
            "failed",
            what,
            done,
            total,
            "The download process died. Start the download again.",
            seconds,
        )

    def cancel(self) -> None:
        """Ask the job to stop; within a second or two its state is ``cancelled`` and nothing
        half-made is kept.
        """
        if self.folder.is_dir():
            (self.folder / "cancel").touch()

    def _written(self) -> DownloadStatus | None:
        try:
            return DownloadStatus(
                **json.loads((self.folder / "status.json").read_text(encoding="utf-8"))
            )
        except (OSError, ValueError, TypeError):
            return None

    def _is_alive(self) -> bool:
        try:
            with FileLock(self.folder / "lock", timeout=0.02, poll_interval=0.01):
                return False
        except Timeout:
            return True
        except OSError:
            return False  # no such job

    def _asked_just_now(self) -> bool:
        try:
            return time.time() - (self.folder / "asked").stat().st_mtime < SLOWEST_START
        except OSError:
            return False


def list_hub_downloads() -> list[HubDownload]:
    """All download jobs that this machine remembers, the last active first."""
    folders = sorted(
        (home() / "hub" / "jobs").glob("*--*"), key=lambda path: path.stat().st_mtime, reverse=True
    )
    names = [folder.name.partition("--")[::2] for folder in folders]
    return [
        HubDownload(kind, rest.replace("--", "/"))
        for kind, rest in names
        if kind in KINDS and is_hub_id(rest.replace("--", "/"))
    ]


def find_hub_download(kind: str, name: str) -> HubDownload:
    """The job that brings that model or data set, whether it was ever started or not.

    Raises:
        BadInput: no kind that is known, or not the form of a Hub id.
    """
    return HubDownload(_kind(kind), _NICKNAMES.get((kind, hub_id(name)), hub_id(name)))


def start_hub_download(kind: str, name: str) -> HubDownload:
    """Start to bring a model or a data set from the Hub, in a process of its own; one that runs
    already is returned.

    Raises:
        BadInput: no kind that is known, or not the form of a Hub id.
        NotAvailable: this machine cannot start the process.
    """
    job = find_hub_download(kind, name)
    try:
        job.folder.mkdir(parents=True, exist_ok=True)
        with FileLock(job.folder / "start.lock", timeout=10):
            if job.status().state not in ("starting", "running"):
                _start(job)
    except (OSError, Timeout) as error:
        (job.folder / "asked").unlink(missing_ok=True)
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise NotAvailable(
            f"The download of {job.title} could not be started: {reason}.",
            "See to the disk, then try again.",
        ) from None
    return job


def download_from_hub(
    kind: str, name: str, progress: Callable[[DownloadStatus], None] | None = None
) -> Path:
    """Bring a model or a data set from the Hub, wait for it and return where it is; one that is
    here costs nothing.

    Args:
        kind: ``model`` or ``dataset``.
        name: its Hub id.
        progress: called a few times a second with the status. What it raises (``Cancelled``,
            Ctrl-C) cancels the job.

    Raises:
        BadInput: no kind that is known, or not the form of a Hub id.
        NotAvailable: it did not come; the text says why and what else can be done.
        Cancelled: somebody cancelled the job.
    """
    job = find_hub_download(kind, name)
    if job.path.exists():
        return job.path
    start_hub_download(kind, name)
    status = _follow(job, progress or (lambda status: None))
    if status.state == "cancelled":
        raise Cancelled(status.message)
    if status.state == "failed":
        raise NotAvailable(status.message)
    return job.path


def _follow(job: HubDownload, progress: Callable[[DownloadStatus], None]) -> DownloadStatus:
    try:
        while True:
            status = job.status()
            progress(status)
            if status.over:
                return status
            time.sleep(0.2)
    except BaseException:
        job.cancel()
        raise


def _kind(kind: str) -> str:
    if kind not in KINDS:
        raise BadInput(
            f"“{str(kind)[:20]}” is no kind of thing that is fetched.",
            f"Choose one of {', '.join(KINDS)}.",
        )
    return kind


def _start(job: HubDownload) -> None:
    for left in ("status.json", "cancel"):
        (job.folder / left).unlink(missing_ok=True)
    (job.folder / "asked").touch()
    hub_on = {
        "HF_HUB_OFFLINE": "0",
        "TRANSFORMERS_OFFLINE": "0",
        "HF_HUB_ETAG_TIMEOUT": "5",
        "HF_HUB_DOWNLOAD_TIMEOUT": "10",
    }
    quiet = {
        "HF_HUB_DISABLE_PROGRESS_BARS": "1",
        "HF_HUB_DISABLE_XET": "1",
    }  # plain HTTP: one host to allow, bytes that can be counted
    with (job.folder / "log").open("wb") as log:
        worker = subprocess.Popen(
            [sys.executable, "-m", "bertsent.data.hub_worker", job.kind, job.hub_id],
            cwd=PROJECT,
            env={**os.environ, **hub_on, **quiet, "BERTSENT_HOME": str(home())},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    threading.Thread(target=_await_end, args=(worker, job), daemon=True).start()


def _await_end(worker: subprocess.Popen, job: HubDownload) -> None:
    """Take the ended process off the system's list; one that never wrote a word is not waited for
    any longer.
    """
    worker.wait()
    if not (job.folder / "status.json").exists():
        (job.folder / "asked").unlink(missing_ok=True)
