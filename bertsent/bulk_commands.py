"""What ``predict --out`` and ``embed`` do: tables of any size in, a folder of Parquet parts out, on
this machine or on a Ray cluster.
"""

import argparse
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bertsent.bulk.inputs import InputFile, find_inputs
from bertsent.bulk.job import EMBED, PREDICT, BulkJob, OutputFolder, Written, finish, opened
from bertsent.bulk.ray_cluster import HERE, connected, is_address, work_on_cluster
from bertsent.errors import BadInput
from bertsent.models.folders import local_folder
from bertsent.task_commands import task_of_model
from bertsent.tasks.catalogue import SENTIMENT
from bertsent.terminal import bar

if TYPE_CHECKING:
    from bertsent.probing.loaded_model import LoadedModel

MOST_ROWS = 100_000  # of a part, which lies in memory whole


def is_bulk(options: argparse.Namespace) -> bool:
    """Whether ``predict`` was asked for a folder of parts."""
    return bool(options.out or options.cluster)


def bulk(options: argparse.Namespace, command: str) -> tuple[dict[str, Any], str]:
    """The document and the lines of a job that was done.

    Raises:
        BertsentError: what is wrong, in one sentence; finished parts stay.
        OSError: the disk is full or not writable.
    """
    names, address = _where(options)
    BadInput.raise_if(not options.out, "There is no folder for the answers.", "Add --out FOLDER.")
    BadInput.raise_if(
        options.workers is not None and options.workers < 1,
        "There is no cluster without workers.",
        "Give --workers 1 or more.",
    )
    BadInput.raise_if(
        not 1 <= options.rows <= MOST_ROWS,
        f"A part cannot have {options.rows:,} rows.",
        f"Give --rows from 1 to {MOST_ROWS:,}.",
    )
    task = task_of_model(options) if command == PREDICT else SENTIMENT
    inputs, model = find_inputs(names, task), _model(options, command)
    job, began = _job(options, command, inputs, model), time.perf_counter()
    with opened(Path(options.out).resolve(), job) as output:
        before = output.finished()
        if sum(part.rows + part.bad for part in before.values()) < job.total:
            _work(output, job, address, options, before)
        parts = finish(output, job)
        extra = _sample(output, job, parts, model)
    return _said(job, output, parts, before, time.perf_counter() - began, extra)


def _where(options: argparse.Namespace) -> tuple[list[str], str]:
    """The names of the inputs, and the address of the cluster, empty for none: what follows
    ``--cluster`` may be the first input.
    """
    names, address = list(options.file), options.cluster or ""
    if address and address != HERE and not is_address(address):
        names, address = [address, *names], HERE
    BadInput.raise_if(
        "-" in names or not names,
        "Parts are read from files.",
        "Name tables or folders with tables; standard input cannot be read twice.",
    )
    return names, address


def _model(options: argparse.Namespace, command: str) -> "LoadedModel":
    from bertsent.bulk.answering import check_model
    from bertsent.probing.loaded_model import load

    folder = local_folder(options.model)  # the workers have other current folders
    options.model = str(folder.resolve()) if folder else options.model
    model = load(options.model)
    if part := _part(options):
        model = model.part(part)
    check_model(model, command)
    BadInput.raise_if(
        command == EMBED and not -1 <= options.layer <= model.layers,
        f"There is no layer {getattr(options, 'layer', -1)}.",
        f"Choose from 0 to {model.layers}, or -1 for the last.",
    )
    return model


def _job(
    options: argparse.Namespace, command: str, inputs: list[InputFile], model: "LoadedModel"
) -> BulkJob:
    from bertsent.bulk.answering import key_of

    how: dict[str, Any] = {"part": _part(options)}
    if command == EMBED:
        how = {"pooling": options.pooling, "layer": options.layer}
    return BulkJob(command, options.model, key_of(model), tuple(inputs), options.rows, **how)


def _part(options: argparse.Namespace) -> str:
    """Of a model of several tasks, which of them is asked."""
    return getattr(options, "part", None) or ""


def _work(
    output: OutputFolder,
    job: BulkJob,
    address: str,
    options: argparse.Namespace,
    before: dict[str, Written],
) -> None:
    left = job.total - sum(part.rows + part.bad for part in before.values())
    if before:
        print(f"{job.total - left:,} of {job.total:,} rows are there already.", file=sys.stderr)
    progress = bar("Answering", left, quiet=options.json)
    if address:
        with connected(address):
            work_on_cluster(output, job, progress, workers=options.workers)
        return
    from bertsent.bulk.one_machine import work_here

    work_here(output, job, progress)


def _sample(
    output: OutputFolder, job: BulkJob, parts: list[Written], model: "LoadedModel"
) -> dict[str, Any]:
    from bertsent.bulk.sample import write_sample

    path = write_sample(output, job, parts, model) if job.command == EMBED else None
    return {"sample": str(path)} if path else {}


def _said(
    job: BulkJob,
    output: OutputFolder,
    parts: list[Written],
    before: dict[str, Written],
    seconds: float,
    extra: dict[str, Any],
) -> tuple[dict[str, Any], str]:
    rows, bad = sum(part.rows for part in parts), sum(part.bad for part in parts)
    document = {
        "model": job.model,
        "folder": str(output.folder),
        "rows": rows,
        "bad": bad,
        "parts": len(parts),
        "found": len(before),
        "seconds": seconds,
        **extra,
    }
    lines = [
        f"{job.model}: {rows:,} rows in {len(parts):,} parts, {seconds:.1f} s: {output.folder}"
    ]
    if bad:
        reasons = "row is" if bad == 1 else "rows are"
        lines.append(f"{bad:,} {reasons} in {output.folder / 'bad'}, with the reason.")
    if extra:
        lines.append(
            f"The Map opens {extra['sample']} with its vectors: BERTSENT_DATA={output.folder} "
            "bertsent serve"
        )
    return document, "\n".join(lines)
