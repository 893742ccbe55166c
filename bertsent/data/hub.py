"""A Hub id in, a local path out; between the two a download that everybody can watch and anybody
can cancel.

The app never contacts the Hub. It starts ``bertsent.data.hub_worker``, a process of its own, and
reads what that process writes, so a viewer's click needs no network and a restarted app finds its
downloads again. A download is a folder:

    $BERTSENT_HOME/hub/jobs/<slug>/
      status.json   written before the process starts, then by the process
      lock          held by the process through filelock: alive
      cancel        touched to cancel the download
      partial/      what has arrived so far; moved into place at the end
      log           the output of the process
"""

import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from filelock import FileLock, Timeout

from bertsent.errors import BadInput, Cancelled, NotAvailable
from bertsent.files import write_atomically
from bertsent.settings import PROJECT, home

KINDS = ("model", "dataset")
SLOWEST_START = 60.0  # seconds after which a process that never spoke counts as dead
IMDB_ID = "stanfordnlp/imdb"  # also known as imdb
_PART = r"[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?"
# at most 96 characters, and nothing that could be a path, an address or an escape
_HUB_ID = re.compile(rf"(?!.*(?:\.\.|--|\.git$))(?=.{{1,96}}$)(?:{_PART}/)?{_PART}")
_DIED = "The download process died. Start the download again."
_CHILD = {  # plain HTTP: one host to allow, bytes that can be counted
    "HF_HUB_OFFLINE": "0",
    "TRANSFORMERS_OFFLINE": "0",
    "HF_HUB_ETAG_TIMEOUT": "5",
    "HF_HUB_DOWNLOAD_TIMEOUT": "10",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    "HF_HUB_DISABLE_XET": "1",
}


def hub_id(text: str) -> str:
    """Check the name of a model or data set of the Hub: ``owner/name``, or an old bare name such as
    ``bert-base-uncased``.

    Raises:
        BadInput: that is no such name.
    """
    BadInput.raise_if(
        not is_hub_id(text),
        f"“{str(text)[:60]}” is not a Hub id.",
        "It looks like owner/name, or like bert-base-uncased.",
    )
    return text.strip()


def is_hub_id(text: object) -> bool:
    """True when ``hub_id`` accepts the text."""
    return isinstance(text, str) and bool(_HUB_ID.fullmatch(text.strip()))


def model_path(name: str) -> Path:
    """The folder of a Hub model once it is downloaded.

    Raises:
        BadInput: not the form of a Hub id.
    """
    return home() / "hub" / "models" / hub_id(name).replace("/", "--")


def dataset_path(name: str) -> Path:
    """The training table of a Hub data set once it is downloaded; ``imdb`` means
    ``stanfordnlp/imdb``.

    Raises:
        BadInput: not the form of a Hub id.
    """
    known = IMDB_ID if name == "imdb" else hub_id(name)
    return home() / "hub" / "datasets" / f"{known.replace('/', '--')}.parquet"


def downloaded_ids(kind: str) -> list[str]:
    """The Hub ids of all models, or of all data sets, on this machine."""
    found = sorted((home() / "hub" / f"{kind}s").glob("[!.]*"))
    return [path.name.removesuffix(".parquet").replace("--", "/") for path in found]


@dataclass(frozen=True)
class DownloadStatus:
    """How far a download is. ``what`` names it with its size, ``message`` is a sentence for the
    screen.
    """

    state: str  # "absent", "starting", "running", "done", "failed" or "cancelled"
    what: str
    done_bytes: int = 0
    total_bytes: int = 0
    message: str = ""

    @property
    def over(self) -> bool:
        return self.state in ("done", "failed", "cancelled")

    @property
    def fraction(self) -> float:
        """From 0 to 1; 0 until the size is known."""
        return 1.0 if self.state == "done" else self.done_bytes / max(self.total_bytes, 1)


@dataclass(frozen=True)
class HubDownload:
    """One download, whether it was ever started or not. Its state is on disk, so any process may
    hold one of these for the same download.
    """

    kind: str
    hub_id: str

    @property
    def folder(self) -> Path:
        return home() / "hub" / "jobs" / f"{self.kind}--{self.hub_id.replace('/', '--')}"

    @property
    def path(self) -> Path:
        """Where the model folder or the table is when the download is done."""
        return model_path(self.hub_id) if self.kind == "model" else dataset_path(self.hub_id)

    @property
    def title(self) -> str:
        return f"the model {self.hub_id}" if self.kind == "model" else f"the data set {self.hub_id}"

    def status(self) -> DownloadStatus:
        """How far the download is now; ``absent`` when nobody asked for it, or when what it brought
        was removed. Costs no network and at most about 30 ms, and leaves nothing on disk.
        """
        found = self._read()
        if found and not found.over and not self._is_alive():
            found = self._read()  # its last word may have come before it let go of the lock
            if found and not found.over and not self._may_still_start(found):
                return replace(found, state="failed", message=_DIED)
        if found is None or (found.state == "done" and not self.path.exists()):
            return DownloadStatus("done" if self.path.exists() else "absent", self.title)
        return found

    def write(self, status: DownloadStatus) -> None:
        """Replace the status that everybody reads."""
        write_atomically(self.folder / "status.json", json.dumps(asdict(status)))

    def written_ns(self) -> int:
        """When the status was last replaced, in nanoseconds."""
        return (self.folder / "status.json").stat().st_mtime_ns

    def cancel(self) -> None:
        """Ask the download to stop; within a second or two its state is ``cancelled`` and nothing
        half-made is kept.
        """
        if self.folder.is_dir():
            (self.folder / "cancel").touch()

    def _read(self) -> DownloadStatus | None:
        try:
            return DownloadStatus(**json.loads((self.folder / "status.json").read_bytes()))
        except (OSError, ValueError, TypeError):
            return None

    def _is_alive(self) -> bool:
        try:
            with FileLock(self.folder / "lock", timeout=0.02, poll_interval=0.01):
                return False
        except Timeout:
            return True

    def _may_still_start(self, found: DownloadStatus) -> bool:
        age = time.time() - self.written_ns() / 1e9
        return found.state == "starting" and age < SLOWEST_START


def find_hub_download(kind: str, name: str) -> HubDownload:
    """The download of that model or data set, whether it was ever started or not.

    Raises:
        BadInput: an unknown kind, or not the form of a Hub id.
    """
    BadInput.raise_if(
        kind not in KINDS, f"The Hub has no “{kind[:20]}”.", f"Choose one of {', '.join(KINDS)}."
    )
    return HubDownload(kind, IMDB_ID if (kind, name) == ("dataset", "imdb") else hub_id(name))


def start_hub_download(kind: str, name: str) -> HubDownload:
    """Start to download a model or a data set from the Hub, in a process of its own, unless it is
    here or on its way.

    Raises:
        BadInput: an unknown kind, or not the form of a Hub id.
        NotAvailable: this machine cannot start the process.
    """
    job = find_hub_download(kind, name)
    try:
        job.folder.mkdir(parents=True, exist_ok=True)
        with FileLock(job.folder / "start.lock", timeout=10):
            # a download may end while others wait for the lock, or between these two questions
            if job.status().state not in ("starting", "running") and not job.path.exists():
                _start(job)
    except (OSError, Timeout) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise NotAvailable(
            f"The download of {job.title} could not be started: {reason}.",
            "Check that the disk has free space and is writable, then try again.",
        ) from None
    return job


def download_from_hub(
    kind: str, name: str, progress: Callable[[DownloadStatus], None] = lambda status: None
) -> Path:
    """Download a model or a data set from the Hub unless it is here, and return its path.

    Args:
        kind: ``model`` or ``dataset``.
        name: its Hub id.
        progress: called a few times a second with the status. What it raises (``Cancelled``,
            Ctrl-C) cancels the download.

    Raises:
        BadInput: an unknown kind, or not the form of a Hub id.
        NotAvailable: the download failed; the text says why and what else can be done.
        Cancelled: somebody cancelled the download.
    """
    job = find_hub_download(kind, name)
    if job.path.exists():
        return job.path
    start_hub_download(kind, name)
    try:
        progress(status := job.status())
        while not status.over:
            time.sleep(0.2)
            progress(status := job.status())
    except BaseException:
        job.cancel()
        raise
    Cancelled.raise_if(status.state == "cancelled", status.message)
    NotAvailable.raise_if(status.state == "failed", status.message)
    return job.path


def _start(job: HubDownload) -> None:
    (job.folder / "cancel").unlink(missing_ok=True)
    job.write(DownloadStatus("starting", job.title, message="The download process is starting."))
    written = job.written_ns()
    try:
        with (job.folder / "log").open("wb") as log:
            worker = subprocess.Popen(
                [sys.executable, "-m", "bertsent.data.hub_worker", job.kind, job.hub_id],
                cwd=PROJECT,
                env={**os.environ, **_CHILD, "BERTSENT_HOME": str(home())},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
    except OSError:
        (job.folder / "status.json").unlink(missing_ok=True)
        raise
    threading.Thread(target=_await_end, args=(worker, job, written), daemon=True).start()


def _await_end(worker: subprocess.Popen[bytes], job: HubDownload, written: int) -> None:
    """Reap the ended process; one that never replaced the status ``written`` for it has failed.
    A later start may have written its own by now, and is left alone.
    """
    worker.wait()
    with FileLock(job.folder / "start.lock"):
        found = job._read()
        if found and job.written_ns() == written:
            job.write(replace(found, state="failed", message=_DIED))
