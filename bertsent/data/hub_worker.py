"""The download process: a kind and a Hub id in, a model folder or a table of reviews under
``BERTSENT_HOME`` out.

    python -m bertsent.data.hub_worker model bert-base-uncased

The only process that contacts the Hub (``bertsent.data.hub.start_hub_download`` starts it). One
thread downloads, the main thread watches: it alone writes the status, notices a cancellation or a
silent Hub, and at the end moves what arrived into place. So nothing here can hang.
"""

import glob
import os
import shutil
import sys
import threading
import time
import traceback
from contextlib import suppress
from pathlib import Path

from filelock import FileLock, Timeout

from bertsent.data.hub import DownloadStatus, HubDownload, find_hub_download
from bertsent.data.hub_listing import DownloadPlan, explain, hub_unreachable, plan_download
from bertsent.errors import BadInput, NotAvailable
from bertsent.settings import LIMITS

ASKING, DOWNLOADING = 10.0, 30.0  # seconds of silence after which the Hub is given up
SPARE_BYTES = 200 * 2**20  # disk that a download leaves free


class DownloadThread(threading.Thread):
    """The thread that downloads: ``plan`` and ``arrived`` say how far it is, ``made`` or
    ``error`` how it ended.
    """

    def __init__(self, job: HubDownload) -> None:
        super().__init__(daemon=True)
        self.job, self.room = job, job.folder / "partial"
        self.plan: DownloadPlan | None = None
        self.made: Path | None = None
        self.error: Exception | None = None

    def run(self) -> None:
        try:
            self.plan = plan_download(self.job.kind, self.job.hub_id)
            check_disk(self.plan, self.room)
            _download(self.plan, self.room)
            files = [self.room / name for name in self.plan.files]
            self.made = (
                one_table(files, self.job.hub_id) if self.job.kind == "dataset" else self.room
            )
        except Exception as error:  # the main thread explains it
            traceback.print_exc()
            self.error = error

    def arrived(self) -> int:
        """Bytes that are on disk by now; files and folders may vanish at the same time."""
        return sum(
            _size(os.path.join(top, name)) for top, _, names in os.walk(self.room) for name in names
        )

    def status(self, state: str, message: str) -> DownloadStatus:
        total = self.plan.total if self.plan else 0
        done = total if state == "done" else min(self.arrived(), total)
        what = f"{self.job.title}: {self.plan.sentence()}" if self.plan else self.job.title
        return DownloadStatus(state, what, done, total, message)


def main(kind: str, name: str) -> int:
    """Download one thing and report on it; 0 when it arrived, 1 when not."""
    job = find_hub_download(kind, name)
    job.folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(job.folder / "lock")
    try:
        lock.acquire(timeout=5)
    except Timeout:
        return 1  # another process has the download
    if hasattr(os, "nice"):
        os.nice(10)
    download = DownloadThread(job)
    _clear(download.room)  # what a killed process left
    download.room.mkdir()
    last = _watch(download)
    _clear(download.room)
    _write(job, last)
    return 0 if last.state == "done" else 1


def one_table(files: list[Path], name: str) -> Path:
    """Make one Parquet file of the shards of a training split, and check it.

    Raises:
        BadInput: too many rows, or not Parquet.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        rows = sum(pq.read_metadata(file).num_rows for file in files)
        BadInput.raise_if(
            rows > LIMITS.rows,
            f"The training split of {name} has {rows:,} rows; the limit is {LIMITS.rows:,}.",
            "Use a sample of it as a file.",
        )
        if len(files) == 1:
            return files[0]
        whole = files[0].with_name("whole.parquet")  # shards are called train…
        table = pa.concat_tables(map(pq.read_table, files), promote_options="default")
        pq.write_table(table, whole, compression="zstd")
    except pa.ArrowException:
        raise BadInput(
            f"The training split of {name} is not readable as Parquet.",
            "Use a file with its reviews.",
        ) from None
    return whole


def check_disk(plan: DownloadPlan, room: Path) -> None:
    """Refuse a download that would fill the disk.

    Raises:
        NotAvailable: how much it needs and how much is free.
    """
    needed = plan.total * (2 if plan.kind == "dataset" else 1) + SPARE_BYTES
    free = shutil.disk_usage(room).free
    NotAvailable.raise_if(
        free < needed,
        f"{plan.hub_id} needs {needed / 2**20:,.0f} MB of disk space, but only "
        f"{free / 2**20:,.0f} MB are free.",
        "Free some space, then try again.",
    )


def _watch(download: DownloadThread) -> DownloadStatus:
    """Write the status until the thread ends, is cancelled or hears nothing any more; the last
    status.
    """
    job, heard, sign = download.job, time.monotonic(), (False, 0)
    download.start()
    while download.is_alive() and not (job.folder / "cancel").exists():
        now = (download.plan is not None, download.arrived())
        heard, sign = (heard, sign) if now == sign else (time.monotonic(), now)
        if time.monotonic() - heard > (DOWNLOADING if download.plan else ASKING):
            return download.status("failed", str(hub_unreachable(job.kind, answered=True)))
        doing = "Downloading." if download.plan else "Asking the Hub for its files."
        _write(job, download.status("running", doing))
        download.join(0.2)
    if (job.folder / "cancel").exists():
        return download.status(
            "cancelled", f"The download of {job.title} was cancelled; nothing of it was kept."
        )
    try:
        if download.made is None:
            raise download.error or RuntimeError("nothing arrived")
        job.path.parent.mkdir(parents=True, exist_ok=True)
        os.replace(download.made, job.path)
    except Exception as error:
        return download.status("failed", str(explain(error, job.kind, job.hub_id)))
    return download.status("done", f"Now on this machine: {job.title}.")


def _download(plan: DownloadPlan, room: Path) -> None:
    from huggingface_hub import constants, snapshot_download

    constants.DOWNLOAD_CHUNK_SIZE = 2**18  # 10 MB at a time would look like silence on a slow line
    snapshot_download(
        plan.hub_id,
        repo_type=plan.kind,
        revision=plan.revision,
        allow_patterns=[glob.escape(name) for name in plan.files],
        local_dir=room,
        max_workers=2,
    )
    shutil.rmtree(room / ".cache", ignore_errors=True)  # the library's own notes


def _write(job: HubDownload, status: DownloadStatus) -> None:
    with suppress(OSError):  # a full disk must not end the watch
        job.write(status)


def _clear(room: Path) -> None:
    """Remove what is left; the other thread may still be adding to it."""
    for _ in range(5):
        shutil.rmtree(room, ignore_errors=True)


def _size(path: str) -> int:
    try:
        return os.path.getsize(path)
    except OSError:
        return 0  # moved while we looked


if __name__ == "__main__":
    code = main(*sys.argv[1:3])
    sys.stdout.flush()
    os._exit(code)  # the network thread may hang in a call that has no end
