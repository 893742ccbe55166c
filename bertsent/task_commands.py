"""What ``predict`` and ``evaluate`` do with models of other tasks than sentiment in two labels."""

import argparse
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from bertsent.data.asked_columns import key_of
from bertsent.data.examples import Reviews
from bertsent.data.sources import load_reviews
from bertsent.data.task_files import read_for_task
from bertsent.data.task_lines import reviews_of_lines
from bertsent.errors import BadInput, NotAvailable
from bertsent.masked_commands import filled_gaps, refuse_evaluation
from bertsent.probing.registry import BACKBONE, find_model, task_of
from bertsent.probing.slices import Slice, right_by_slice
from bertsent.tasks.catalogue import SENTIMENT
from bertsent.tasks.masked_words import MaskedWords
from bertsent.tasks.mixed import MixedTask
from bertsent.tasks.task import SHARE, OneLabel, Rating, SeveralLabels, Task
from bertsent.terminal import bar
from bertsent.training.runs.report import EvaluationReport, task_report
from bertsent.training.runs.several_report import SeveralReport

SLICES = ("phenomenon", "split", "pair", "label")
TABLES = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet")


def task_of_model(options: argparse.Namespace) -> Task:
    """What the chosen model answers; of several tasks at once the one that ``--part`` names.

    Raises:
        BertsentError: there is no such model, or it is not said which of its tasks is meant.
    """
    if options.model == BACKBONE:
        return SENTIMENT
    task = task_of(find_model(options.model)) or SENTIMENT
    if not isinstance(task, MixedTask):
        BadInput.raise_if(options.part, f"{options.model} has one task only.", "Leave out --part.")
        return task
    names = ", ".join(part.name for part in task.parts)
    BadInput.raise_if(
        not options.part, f"{options.model} learned several tasks.", f"Add --part: one of {names}."
    )
    return task.parts[task.place(options.part)]


def predictions(options: argparse.Namespace, task: Task) -> tuple[dict[str, Any], str]:
    """The document and the lines of ``predict``."""
    reviews = _asked(options.file, task)
    if isinstance(task, MaskedWords):
        return filled_gaps(options, reviews)
    name, answers, _ = _answers(options, reviews, task)
    rows, lines = [], []
    for example, answer in zip(reviews, answers, strict=True):
        texts = {"text": example.text} | ({"second": example.second} if example.second else {})
        found = _answer(task, answer)
        rows.append({**texts, **found, "removed": example.removed})
        lines.append("\t".join((_in_words(found), example.text, *filter(None, [example.second]))))
    return {"model": name, "task": task.name, "predictions": rows}, "\n".join(lines)


def evaluation(options: argparse.Namespace, task: Task) -> tuple[dict[str, Any], str]:
    """The document and the lines of ``evaluate``; by default on the test part of the small set that
    ships for the task.
    """
    if isinstance(task, MaskedWords):
        refuse_evaluation(options.model)
    _check_slices(options.by, task)
    builtin = options.data == "builtin"
    reviews = (
        load_reviews("builtin", task=key_of(task))
        if builtin
        else read_for_task(Path(options.data), task, drop_incomplete=options.drop_incomplete)
    )
    reviews, columns = _in_terms_of(task, reviews)
    part = options.split or ("test" if builtin else "all")
    if part != "all":
        reviews = reviews.where([example.split == part for example in reviews])
    BadInput.raise_if(
        not len(reviews),
        f"No row of {options.data} is in the split “{part}”.",
        "Try train, validation, test or all.",
    )
    name, answers, seconds = _answers(options, reviews, task)
    answers = answers[:, columns] if columns else answers
    found = task_report(reviews, reviews.task.kept(answers))
    document = {
        "model": name,
        "task": task.name,
        "n": len(reviews),
        **found.metrics,
        "seconds": seconds,
        "cleaned": sum(bool(example.removed) for example in reviews),
    }
    if isinstance(found, EvaluationReport):
        document["confusion"] = found.matrix.tolist()
    if isinstance(found, EvaluationReport | SeveralReport):
        labels = list(reviews.task.output_names)
        document["classes"] = {label: found.table.loc[label].to_dict() for label in labels}
    slices: Mapping[str, Slice] = {}
    if options.by:
        slices = right_by_slice(reviews, answers.argmax(1) == np.array(reviews.labels), options.by)
        document["slices"] = slice_document(slices)
    measures = ", ".join(f"{key.replace('_', ' ')} {x:.3f}" for key, x in found.metrics.items())
    last = f"{name}: {len(reviews):,} rows in {seconds:.1f} s, {measures}"
    return document, "\n".join([found.text, *slice_lines(slices), last])


def slice_document(slices: Mapping[str, Slice]) -> dict[str, dict[str, float]]:
    """Rows, accuracy and 95 % interval of each slice, by its name."""
    return {
        s.name: {"n": s.n, "accuracy": s.accuracy, "low": s.interval[0], "high": s.interval[1]}
        for s in slices.values()
    }


def slice_lines(slices: Mapping[str, Slice]) -> list[str]:
    """The same, a line each."""
    return [
        f"{s.name:24} accuracy {s.accuracy:.3f}   95 % interval {s.interval[0]:.3f} to "
        f"{s.interval[1]:.3f}   n {s.n:,}"
        for s in slices.values()
    ]


def check_slices(by: str | None) -> None:
    """Check that rows can be grouped by that.

    Raises:
        BadInput: they cannot.
    """
    BadInput.raise_if(
        by and by not in SLICES,
        f"There are no slices by “{str(by)[:40]}”.",
        f"Use one of {', '.join(SLICES)}.",
    )


def _check_slices(by: str | None, task: Task) -> None:
    BadInput.raise_if(
        by and not isinstance(task, OneLabel),
        "Slices count right answers, and this model gives no single label that is right or wrong.",
        "Leave out --by for it.",
    )
    check_slices(by)


def _in_terms_of(task: Task, reviews: Reviews) -> tuple[Reviews, list[int]]:
    """Reviews that a model of that task can be judged by, and which of its outputs they are about:
    of several labels those that the reviews know, [] for all.
    """
    own = reviews.task
    if isinstance(task, SeveralLabels) and set(own.output_names) < set(task.output_names):
        return reviews, [task.output_names.index(name) for name in own.output_names]
    BadInput.raise_if(
        own != task,
        f"{reviews.name} has the labels {', '.join(own.output_names[:8])}.",
        f"This model gives {', '.join(task.output_names[:8])}.",
    )
    return reviews, []


def _answers(
    options: argparse.Namespace, reviews: Reviews, task: Task
) -> tuple[str, np.ndarray, float]:
    """The name of the model, its answers, and the seconds that they took."""
    from bertsent.probing.loaded_model import load
    from bertsent.training.precision import choose_device

    model = load(options.model, device=choose_device())
    model = model.part(task.name) if options.part else model
    began = time.perf_counter()
    progress = bar("Predicting", len(reviews), quiet=options.json)
    answers = model.answers(reviews.inputs, progress=progress)
    return model.name, answers, time.perf_counter() - began


def _answer(task: Task, answer: np.ndarray) -> dict[str, Any]:
    if isinstance(task, Rating):
        return {task.measure: float(answer)}
    shares = dict(zip(task.output_names, map(float, answer), strict=True))
    if isinstance(task, OneLabel):
        return {"label": max(shares, key=lambda name: shares[name]), "probabilities": shares}
    given = [name for name, share in shares.items() if share > SHARE]
    return {"labels": given, "probabilities": shares}


def _in_words(found: dict[str, Any]) -> str:
    if "label" in found:
        return f"{found['label']}\t{found['probabilities'][found['label']]:.4f}"
    if "labels" in found:
        shares = found["probabilities"]
        return ", ".join(f"{name} {shares[name]:.2f}" for name in found["labels"]) or "none"
    return f"{next(iter(found.values())):.3f}"


def _asked(name: str, task: Task) -> Reviews:
    """The texts of a table, or of lines."""
    if Path(name).suffix.lower() in TABLES:
        return read_for_task(Path(name), task, need_truth=False)
    NotAvailable.raise_if(
        name != "-" and not Path(name).is_file(), f"There is no file {name}.", "Check the path."
    )
    try:
        whole = sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise BadInput("The input is not UTF-8 text.", "Save it as UTF-8.") from None
    return reviews_of_lines(whole, task)
