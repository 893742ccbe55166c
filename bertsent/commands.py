"""What each command does: options in, lines or one JSON document out, exit status back."""

import argparse
import json
import platform
import shutil
import sys
import time
from dataclasses import fields
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from bertsent.bulk_commands import bulk, is_bulk
from bertsent.data.examples import UNDECIDED, Example, Reviews
from bertsent.data.hub import download_from_hub
from bertsent.data.sources import load_reviews
from bertsent.data.tables import read_file
from bertsent.errors import BadInput, BertsentError, NotAvailable
from bertsent.lessons.page_links import missing_here
from bertsent.lessons.problems import BadLesson, Problem
from bertsent.lessons.reading import FILE_BYTES, read_lesson
from bertsent.models.backbone import load_backbone
from bertsent.probing.calibration import expected_calibration_error
from bertsent.probing.registry import BUILTIN, NOT_SHIPPED, find_model, shipped
from bertsent.probing.slices import accuracy_by_slice
from bertsent.settings import LIMITS, home, hub_answers, hub_is_on, machine
from bertsent.statistics import majority_class_accuracy
from bertsent.task_commands import (
    check_slices,
    evaluation,
    predictions,
    slice_document,
    slice_lines,
    task_of_model,
)
from bertsent.tasks.catalogue import SENTIMENT, TASKS
from bertsent.tasks.masked_words import MASKED_WORDS, MaskedWords
from bertsent.tasks.mixed import MixedTask
from bertsent.tasks.task import Rating, Task
from bertsent.terminal import bar, follow
from bertsent.training.checkpoints import list_checkpoints
from bertsent.training.config import WORDS_HEAD_LR, TrainingConfig
from bertsent.training.precision import choose_device, choose_precision
from bertsent.training.runs.history import History
from bertsent.training.runs.launcher import launch, prepare_run
from bertsent.training.runs.report import EvaluationReport, evaluation_report, run_report
from bertsent.training.runs.run import Run, find_run, list_runs
from bertsent.training.runs.run_tables import runs_in_words, runs_table

TABLES = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet")
DONE, PAUSED = 0, 130


def predict(options: argparse.Namespace) -> int:
    """What the model says of every text: label and P(positive), or what else its task asks."""
    if is_bulk(options):
        return _say(options, *bulk(options, "predict"))
    BadInput.raise_if(
        len(options.file) > 1, "Several files are answered into a folder.", "Add --out FOLDER."
    )
    options.file = options.file[0]
    if (task := task_of_model(options)) != SENTIMENT:
        return _say(options, *predictions(options, task))
    reviews = _reviews(options.file)
    model, answers, _ = _answers(options, reviews)
    pairs = list(zip(reviews, answers, strict=True))
    rows = [
        {
            "text": review.text,
            "label": answer.label,
            "p_positive": answer.p_positive,
            "tokens": answer.tokens,
            "unknown_tokens": answer.unknown,
            "removed": review.removed,
        }
        for review, answer in pairs
    ]
    lines = (f"{answer.label}\t{answer.p_positive:.4f}\t{review.text}" for review, answer in pairs)
    return _say(options, {"model": model, "predictions": rows}, "\n".join(lines))


def embed(options: argparse.Namespace) -> int:
    """One vector for each text of some tables, as Parquet parts, and a sample for the Map."""
    return _say(options, *bulk(options, "embed"))


def evaluate(options: argparse.Namespace) -> int:
    """Accuracy, macro-F1, the table per class and per slice; by default on the test split of the
    built-in reviews.
    """
    if (task := task_of_model(options)) != SENTIMENT:
        BadInput.raise_if(
            options.subgroups,
            f"{options.model} does not answer with NEGATIVE or POSITIVE.",
            "Leave out --subgroups for it.",
        )
        return _say(options, *evaluation(options, task))
    if options.subgroups:
        return _say(options, *_subgroups(options))
    builtin = options.data == "builtin"
    reviews = load_reviews(
        options.data, contrastive=builtin, drop_incomplete=options.drop_incomplete
    )
    part = options.split or ("test" if builtin else "all")
    if part != "all":
        reviews = reviews.where([e.split == part for e in reviews])
    BadInput.raise_if(
        not len(reviews),
        f"No review of {options.data} is in the split “{part}”.",
        "Try train, validation, test or all.",
    )
    check_slices(options.by)
    model, answers, seconds = _answers(options, reviews)
    p_positive = np.array([answer.p_positive for answer in answers])
    found = evaluation_report(reviews, p_positive)
    slices = accuracy_by_slice(reviews, p_positive, options.by) if options.by else {}
    facts = {
        "model": model,
        "n": len(reviews),
        "accuracy": found.accuracy,
        "macro_f1": found.macro_f1,
        "majority_class": majority_class_accuracy(reviews.labels),
        "cleaned": sum(bool(review.removed) for review in reviews),
        "undecided": sum(answer.label == UNDECIDED for answer in answers),
        "seconds": seconds,
        "ece": expected_calibration_error(p_positive, np.array(reviews.labels)),
    }
    classes = {name: found.table.loc[name].to_dict() for name in found.table.index[:2]}
    document = {
        **facts,
        "classes": classes,
        "confusion": found.matrix.tolist(),
        "slices": slice_document(slices),
    }
    text = (
        f"Always answering the more frequent label has an accuracy of "
        f"{facts['majority_class']:.3f}; markup was removed from {facts['cleaned']:,} reviews; "
        f"{facts['undecided']:,} contain no word that the model knows.\n"
        f"{model}: {len(reviews):,} reviews in {seconds:.1f} s, expected calibration error "
        f"{facts['ece']:.3f}"
    )
    return _say(options, document, "\n".join([found.text, *slice_lines(slices), text]))


def _subgroups(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    """The document and the lines of ``evaluate --subgroups``."""
    from bertsent.probing.loaded_model import load
    from bertsent.probing.subgroups import summary
    from bertsent.probing.subgroups.check import check_subgroups
    from bertsent.probing.subgroups.swaps import builtin_swaps, texts_of

    BadInput.raise_if(
        options.by or options.split or options.data != "builtin",
        "The subgroup check has texts of its own.",
        "Leave out --data, --by and --split, or --subgroups.",
    )
    model = load(options.model, device=choose_device())
    model = model.part(options.part) if options.part else model
    count, began = len(texts_of(builtin_swaps())), time.perf_counter()
    found = check_subgroups(model, progress=bar("Predicting", count, quiet=options.json))
    seconds, said = time.perf_counter() - began, summary.sentence(found, model.name)
    document = {"model": model.name, "n": count, "seconds": seconds, "finding": said}
    text = "\n".join([*summary.group_lines(found), said])
    return {**document, **summary.document(found)}, text


def train(options: argparse.Namespace) -> int:
    """Fine-tune in a worker process and follow it; Ctrl-C pauses."""
    if options.resume:
        run = find_run(options.resume)
    else:
        given = {
            f.name: getattr(options, f.name)
            for f in fields(TrainingConfig)
            if hasattr(options, f.name)
        }
        if options.task == MASKED_WORDS.name:
            given.setdefault("head_lr", WORDS_HEAD_LR)
        share = options.contrastive_share
        run = prepare_run(
            options.data,
            TrainingConfig(**given),
            model=options.model,
            contrastive_share=_natural_share(options) if share is None else share,
            sentinels=tuple(options.sentinel),
            drop_incomplete=options.drop_incomplete,
            name=options.name or "",
            task=options.task or "",
        )
    print(f"{run.id} learns: {_learned(run.config.task)}", file=sys.stderr)
    if options.prepare:
        return _say(options, {"run": run.id, "folder": str(run.folder)}, str(run.folder))
    launch(run)
    try:
        history = follow(run, quiet=options.json)
    except KeyboardInterrupt:
        run.request("pause")
        print(
            f"\nPausing. Resume with: python -m bertsent train --resume {run.id}", file=sys.stderr
        )
        return PAUSED
    return _outcome(run, history, options)


def _learned(task: Task) -> str:
    """A task, with its labels or its range where those are a person's own."""
    if task.name in TASKS or isinstance(task, MixedTask | MaskedWords):
        return task.title
    if isinstance(task, Rating):
        return f"{task.title} from {task.low:g} to {task.high:g}"
    return f"{task.title}: {', '.join(task.output_names)}"


def runs(options: argparse.Namespace) -> int:
    """All runs, newest first."""
    table = runs_table()
    shown = runs_in_words(table).to_string(index=False)
    none = "There are no runs yet. Start one: python -m bertsent train --data builtin"
    return _say(options, json.loads(table.to_json(orient="records")), shown if len(table) else none)


def export(options: argparse.Namespace) -> int:
    """Write a run's model, or the built-in one, as a Hugging Face folder with a model card."""
    from bertsent.models.export import export_head, export_whole
    from bertsent.training.runs.run_export import export_run

    run, _, step = options.run.partition("/step-")
    folder = Path(options.folder)
    if run == BUILTIN:
        folder = export_whole(find_model(BUILTIN).folder, folder)
    elif run.startswith(f"{BUILTIN}/"):
        found = find_model(run)
        folder = export_head(found.folder, found.head, folder)
    elif step and not step.isdecimal():
        raise BadInput(f"“{options.run}” is not run/step-N.", "Give the step as a number.")
    else:
        folder = export_run(find_run(run), folder, int(step) if step else None)
    return _say(options, {"folder": str(folder)}, f"Exported to {folder}")


def fetch(options: argparse.Namespace) -> int:
    """Download a model or a data set from the Hub in a process of its own."""
    path = download_from_hub(
        options.kind,
        options.id,
        progress=lambda status: print(
            f"\r{status.what} {status.fraction:4.0%}", end="", file=sys.stderr
        ),
    )
    print(f"\nReady: {path}")
    return DONE


def doctor(options: argparse.Namespace) -> int:
    """What this machine can do, and what is missing."""
    try:
        backbone = f"ok, {load_backbone('builtin').shape.layers} layers, weights as published"
    except BertsentError as error:
        backbone = str(error)
    device = choose_device()
    precision = choose_precision("auto", device)
    hub = "switched off (BERTSENT_HUB=1 turns it on)"
    if hub_is_on():
        hub = "reachable" if hub_answers() else "switched on, but it cannot be reached"
    disk = next(path for path in (home(), *home().parents) if path.exists())
    facts = {
        "machine": machine().sentence(),
        "device": device,
        "precision": precision.precision,
        "precision_reason": precision.reason,
        "python": platform.python_version(),
        "torch": version("torch"),
        "built_in_backbone": backbone,
        "shipped_model": "ok" if shipped() else NOT_SHIPPED,
        "hub": hub,
        "home": str(home()),
        "free_disk_gb": round(shutil.disk_usage(disk).free / 1e9, 1),
        "runs": len(list_runs()),
    }
    lines = (f"{name.replace('_', ' '):18} {value}" for name, value in facts.items())
    return _say(options, facts, "\n".join(lines))


def lesson(options: argparse.Namespace) -> int:
    """Everything that is wrong with lesson files, as ``file:line: message``."""
    found = {name: _problems(Path(name)) for name in options.file}
    rows = [
        {"file": name, "line": problem.line, "message": problem.message}
        for name, problems in found.items()
        for problem in problems
    ]
    lines = [f"{row['file']}:{row['line']}: {row['message']}" for row in rows]
    good = [f"{name}: no problems" for name, problems in found.items() if not problems]
    _say(options, {"problems": rows}, "\n".join(lines + good))
    return 1 if rows else DONE


def _problems(path: Path) -> list[Problem]:
    NotAvailable.raise_if(not path.is_file(), f"There is no file {path}.", "Check the path.")
    try:
        with path.open("rb") as file:
            return missing_here(read_lesson(file.read(FILE_BYTES + 1), path.stem))
    except BadLesson as error:
        return error.problems


def _reviews(name: str) -> Reviews:
    """The reviews of a table, or of a text with one review per line."""
    if Path(name).suffix.lower() in TABLES:
        return read_file(Path(name), need_labels=False)
    NotAvailable.raise_if(
        name != "-" and not Path(name).is_file(), f"There is no file {name}.", "Check the path."
    )
    try:
        whole = sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise BadInput(
            f"{'The input' if name == '-' else name} is not UTF-8 text.",
            "Save it as UTF-8, one review per line.",
        ) from None
    lines, most, each = whole.strip("\n").split("\n"), LIMITS.row_chars, "Give one review per line."
    BadInput.raise_if(not whole.strip(), "There is nothing to classify.", each)
    for number, line in enumerate(lines, start=1):
        BadInput.raise_if(not line.strip(), f"Line {number} is empty.", each)
        BadInput.raise_if(
            len(line) > most,
            f"Line {number} has {len(line):,} characters; the limit is {most:,}.",
            "Shorten it.",
        )
    BadInput.raise_if(
        len(lines) > LIMITS.rows,
        f"There are {len(lines):,} lines; the limit is {LIMITS.rows:,}.",
        "Use fewer of them.",
    )
    return Reviews("lines", tuple(Example(f"line-{n}", line) for n, line in enumerate(lines, 1)))


def _natural_share(options: argparse.Namespace) -> float:
    """The share as the source has it: only the built-in set and IMDb have handcrafted rows."""
    handcrafted = options.data in ("builtin", "imdb", "stanfordnlp/imdb")
    return 0.001 if handcrafted and options.task in (None, SENTIMENT.name) else 0.0


def _answers(options: argparse.Namespace, reviews: Reviews) -> tuple[str, list[Any], float]:
    """The name of the model, its answers, and the seconds that they took."""
    from bertsent.probing.loaded_model import load

    model = load(options.model, device=choose_device())
    began = time.perf_counter()
    progress = bar("Predicting", len(reviews), quiet=options.json)
    answers = model.predict(reviews.texts, progress=progress)
    return model.name, answers, time.perf_counter() - began


def _outcome(run: Run, history: History, options: argparse.Namespace) -> int:
    state = run.status(history).state
    resume = f"Resume with: python -m bertsent train --resume {run.id}"
    if history.failure:
        print(f"bertsent: {history.failure.reason} {history.failure.remedy}", file=sys.stderr)
    elif state == "interrupted":
        print(f"bertsent: The worker of {run.id} died. {resume}", file=sys.stderr)
    scored = any(run.scores(evaluation.step) is not None for evaluation in history.evaluations)
    found = run_report(run) if scored else None
    checkpoints = list_checkpoints(run.checkpoints)
    facts = {
        "run": run.id,
        "state": state,
        "steps": history.step,
        "seconds": history.seconds,
        "train_loss": history.steps[-1].loss if history.steps else None,
        "accuracy": None,
        "macro_f1": None,
        **(found.metrics if found else {}),
        "validation_rows": found and found.rows,
        "confusion": found.matrix.tolist() if isinstance(found, EvaluationReport) else None,
        "sentinels": history.sentinels[-1].scores if history.sentinels else {},
        "guesses": history.sentinels[-1].guesses if history.sentinels else {},
        "checkpoint": str(checkpoints[-1]) if checkpoints else None,
    }
    report = f"\nValidation at step {found.step}:\n{found.text}\n" if found else ""
    _say(
        options,
        facts,
        f"{report}{run.id}: {state} at step {history.step}. Try it: python -m bertsent predict "
        f"--model {run.id}",
    )
    return DONE if state in ("finished", "stopped", "paused") else 1


def _say(options: argparse.Namespace, document: object, text: str) -> int:
    print(json.dumps(document, ensure_ascii=False, indent=2) if options.json else text)
    return DONE
