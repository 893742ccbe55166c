"""The download process: a kind and a Hub id in, a model folder or a table of reviews under
``BERTSENT_HOME`` out.

    python -m bertsent.data.hub_worker model bert-base-uncased        (what
    ``bertsent.data.hub.start_hub_download`` runs)

The only process that speaks to the Hub. One thread speaks, the main thread watches: it alone writes
the status, it sees a
cancellation and a Hub that fell silent, and it moves what arrived into place as the last thing. So
nothing here can hang.
"""

import json
import os
import shutil
import sys
import threading
import time
import traceback
from dataclasses import asdict
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from filelock import FileLock, Timeout

from bertsent.data.hub import DownloadStatus, HubDownload, find_hub_download
from bertsent.data.hub_listing import DownloadPlan, explain, hub_unreachable, plan_download
from bertsent.errors import BadInput, BertsentError, Cancelled, NotAvailable
from bertsent.settings import LIMITS, hub_answers

ASKING, DOWNLOADING = 10.0, 30.0  # seconds of silence after which the Hub is given up
SPARE_BYTES = 200 * 2**20  # disk that a download leaves free


class Download(threading.Thread):
    """The thread that speaks to the Hub: ``doing``, ``plan`` and ``arrived`` say how far it is,
    ``made`` or ``error`` how it ended.
    """

    def __init__(self, job: HubDownload) -> None:
        super().__init__(daemon=True)
        self.job, self.room = job, job.folder / "partial"
        self.doing, self.plan, self.stopped = "Looking for the Hub.", None, False
        self.made: Path | None = None
        self.error: Exception | None = None

    def run(self) -> None:
        try:
            self.made = self._bring()
        except Exception as error:  # told to the person by the main thread
            traceback.print_exc()
            self.error = error

    def arrived(self) -> int:
        """Bytes that are on disk by now."""
        return sum(_size(path) for path in self.room.rglob("*"))

    def _bring(self) -> Path:
        if not hub_is_there():
            raise hub_unreachable(self.job.kind)
        self.doing = "Asking the Hub what there is to download."
        self.plan = plan_download(self.job.kind, self.job.hub_id)
        check_disk(self.plan, self.room)
        for name in self.plan.files:
            if self.stopped:
                raise Cancelled(f"The download of {self.job.title} was cancelled.")
            self.doing = f"Downloading {name}."
            _download(self.plan, name, self.room)
        if self.job.kind == "dataset":
            self.doing = "Putting the table together."
            return one_table([self.room / name for name in self.plan.files], self.job.hub_id)
        shutil.rmtree(self.room / ".cache", ignore_errors=True)  # the library's own notes
        return self.room


def main(kind: str, name: str) -> int:
    """Bring one thing, report on it all the while; 0 when it arrived, 1 when not."""
    job = find_hub_download(kind, name)
    job.folder.mkdir(parents=True, exist_ok=True)
    try:
        lock = FileLock(job.folder / "lock")
        lock.acquire(timeout=5)
    except Timeout:
        return 1  # another worker has the job
    if hasattr(os, "nice"):
        os.nice(10)
    shutil.rmtree(job.folder / "partial", ignore_errors=True)  # what a killed worker left
    download = Download(job)
    last = _supervise(job, download)
    download.stopped = True
    _clear(job.folder / "partial")
    _write(job, last)
    return 0 if last.state == "done" else 1


def one_table(files: list[Path], name: str) -> Path:
    """Make one Parquet file of the shards of a training split, and check that it is one which is
    read here.

    Raises:
        BadInput: too many rows, or no Parquet at all.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        rows = sum(pq.read_metadata(file).num_rows for file in files)
        if rows > LIMITS.rows:
            raise BadInput(
                f"The training split of {name} has {rows:,} rows; the limit is {LIMITS.rows:,}.",
                "Bring a sample as a file.",
            )
        if len(files) == 1:
            return files[0]
        whole = files[0].with_name("whole.parquet")  # shards are called train…
        pq.write_table(
            pa.concat_tables([pq.read_table(file) for file in files], promote_options="default"),
            whole,
            compression="zstd",
        )
    except pa.ArrowException:
        raise BadInput(
            f"The training split of {name} is not readable as Parquet.",
            "Bring the reviews as a file.",
        ) from None
    return whole


def hub_is_there() -> bool:
    """True when one connection says so, or behind a proxy, where only the request itself can
    tell.
    """
    address = urlsplit(os.environ.get("HF_ENDPOINT", "https://huggingface.co"))
    proxied = address.scheme in getproxies() and not proxy_bypass(address.hostname or "")
    return proxied or hub_answers(3.0)


def check_disk(plan: DownloadPlan, room: Path) -> None:
    """Refuse a download that would fill the disk.

    Raises:
        NotAvailable: how much it needs and how much is free.
    """
    needed = plan.total * (2 if plan.kind == "dataset" else 1) + SPARE_BYTES
    free = shutil.disk_usage(room).free
    if free < needed:
        raise NotAvailable(
            f"{plan.hub_id} needs {needed / 2**20:,.0f} MB of disk, but only {free / 2**20:,.0f} "
            "MB are free.",
            "Make room, then try again.",
        )


def _supervise(job: HubDownload, download: Download) -> DownloadStatus:
    began = heard = time.monotonic()
    sign: tuple[str, int] = ("", 0)

    def status(state: str, message: str) -> DownloadStatus:
        plan = download.plan
        total = plan.total if plan else 0
        done = total if state == "done" else min(sign[1], total)
        what = f"{job.title}: {plan.sentence()}" if plan else job.title
        return DownloadStatus(state, what, done, total, message, round(time.monotonic() - began, 1))

    if job.path.exists():
        return status("done", f"It is on this machine already: {job.title}.")
    download.room.mkdir(parents=True, exist_ok=True)
    download.start()
    while download.is_alive() and not _cancel_asked(job):
        now = (download.doing, download.arrived())
        heard, sign = (heard, sign) if now == sign else (time.monotonic(), now)
        if time.monotonic() - heard > (DOWNLOADING if download.plan else ASKING):
            return status("failed", str(hub_unreachable(job.kind, answered=True)))
        _write(job, status("running", download.doing))
        download.join(0.2)
    if _cancel_asked(job):
        return status(
            "cancelled", f"The download of {job.title} was cancelled; nothing of it was kept."
        )
    return status(*_settle(job, download))


def _settle(job: HubDownload, download: Download) -> tuple[str, str]:
    """Move what arrived into place; the state and the sentence it ends with."""
    try:
        if download.error:
            raise download.error
        job.path.parent.mkdir(parents=True, exist_ok=True)
        os.replace(download.made, job.path)
    except Exception as error:
        told = error if isinstance(error, BertsentError) else explain(error, job.kind, job.hub_id)
        return "failed", str(told)
    return "done", f"Now on this machine: {job.title}."


def _cancel_asked(job: HubDownload) -> bool:
    return (job.folder / "cancel").exists()


def _write(job: HubDownload, status: DownloadStatus) -> None:
    new = job.folder / "status.json.new"
    try:
        new.write_text(json.dumps(asdict(status)), encoding="utf-8")
        os.replace(new, job.folder / "status.json")
    except OSError:
        traceback.print_exc()  # a full disk must not end the watch


def _clear(room: Path) -> None:
    """Remove what is left; the other thread may still be adding to it."""
    for _ in range(5):
        shutil.rmtree(room, ignore_errors=True)
        if not room.exists():
            return


def _download(plan: DownloadPlan, name: str, room: Path) -> None:
    from huggingface_hub import constants, hf_hub_download

    constants.DOWNLOAD_CHUNK_SIZE = 2**18  # 10 MB at a time would look like silence on a slow line
    hf_hub_download(
        plan.hub_id,
        name,
        repo_type=plan.kind,
        revision=plan.revision,
        local_dir=room,
        etag_timeout=5,
    )


def _size(path: Path) -> int:
    try:
        return path.stat().st_size if path.is_file() else 0
    except OSError:
        return 0  # moved while we looked


if __name__ == "__main__":
    code = main(*sys.argv[1:3])
    sys.stdout.flush()
    os._exit(code)  # the network thread may hang in a call that has no end
