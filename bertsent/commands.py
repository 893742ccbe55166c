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

from bertsent.data.examples import UNDECIDED, Example, Reviews
from bertsent.data.hub import download_from_hub
from bertsent.data.sources import load_reviews
from bertsent.data.tables import read_file
from bertsent.errors import BadInput, BertsentError, NotAvailable
from bertsent.models.backbone import load_backbone
from bertsent.probing.calibration import expected_calibration_error
from bertsent.probing.registry import BUILTIN, NOT_SHIPPED, find_model, shipped
from bertsent.probing.slices import accuracy_by_slice
from bertsent.settings import LIMITS, home, hub_answers, hub_is_on, machine
from bertsent.statistics import majority_class_accuracy
from bertsent.terminal import bar, follow
from bertsent.training.checkpoints import list_checkpoints
from bertsent.training.config import TrainingConfig
from bertsent.training.precision import choose_device, choose_precision
from bertsent.training.runs.history import History
from bertsent.training.runs.launcher import launch, prepare_run
from bertsent.training.runs.overview import runs_table
from bertsent.training.runs.report import evaluation_report, run_report
from bertsent.training.runs.run import Run, find_run, list_runs

TABLES = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet")
SLICES = ("phenomenon", "split", "pair", "label")
DONE, PAUSED = 0, 130


def predict(options: argparse.Namespace) -> int:
    """Label and P(positive) of every text."""
    reviews = _reviews(options.file)
    from bertsent.probing.loaded_model import load

    model = load(options.model, device=choose_device())
    answers = model.predict(
        reviews.texts, progress=bar("Predicting", len(reviews), quiet=options.json)
    )
    if options.json:
        rows = [
            {
                "text": review.text,
                "label": answer.label,
                "p_positive": answer.p_positive,
                "tokens": answer.tokens,
                "unknown_tokens": answer.unknown,
                "removed": review.removed,
            }
            for review, answer in zip(reviews, answers, strict=True)
        ]
        return _document({"model": model.name, "predictions": rows})
    for review, answer in zip(reviews, answers, strict=True):
        print(f"{answer.label}\t{answer.p_positive:.4f}\t{review.text}")
    return DONE


def evaluate(options: argparse.Namespace) -> int:
    """Accuracy, macro-F1, the table per class and per slice; by default on the test split of the
    built-in reviews.
    """
    builtin = options.data == "builtin"
    reviews = load_reviews(
        options.data, contrastive=builtin, drop_incomplete=options.drop_incomplete
    )
    part = options.split or ("test" if builtin else "all")
    if part != "all":
        reviews = reviews.where([e.split == part for e in reviews])
    if not len(reviews):
        raise BadInput(
            f"No review of {options.data} is in the split “{part}”.",
            "Try train, validation, test or all.",
        )
    if options.by and options.by not in SLICES:
        raise BadInput(
            f"Reviews cannot be sliced by “{options.by}”.", f"Use one of {', '.join(SLICES)}."
        )

    from bertsent.probing.loaded_model import load

    model = load(options.model, device=choose_device())
    began = time.perf_counter()
    answers = model.predict(
        reviews.texts, progress=bar("Evaluating", len(reviews), quiet=options.json)
    )
    p_positive = np.array([answer.p_positive for answer in answers])
    seconds = time.perf_counter() - began
    found = evaluation_report(reviews, p_positive)
    slices = accuracy_by_slice(reviews, p_positive, options.by) if options.by else {}
    facts = {
        "model": model.name,
        "n": len(reviews),
        "accuracy": found.accuracy,
        "macro_f1": found.macro_f1,
        "majority_class": majority_class_accuracy(reviews.labels),
        "cleaned": sum(bool(review.removed) for review in reviews),
        "undecided": sum(answer.label == UNDECIDED for answer in answers),
        "seconds": seconds,
    }
    facts["ece"] = expected_calibration_error(p_positive, np.array(reviews.labels))
    if options.json:
        classes = {name: found.table.loc[name].to_dict() for name in found.table.index[:2]}
        shares = {
            s.name: {"n": s.n, "accuracy": s.accuracy, "low": s.interval[0], "high": s.interval[1]}
            for s in slices.values()
        }
        return _document(
            {**facts, "classes": classes, "confusion": found.matrix.tolist(), "slices": shares}
        )
    print(found.text)
    for each in slices.values():
        low, high = each.interval
        print(
            f"{each.name:24} accuracy {each.accuracy:.3f}   95 % interval {low:.3f} to {high:.3f}  "
            f" n {each.n:,}"
        )
    print(
        f"Always answering the more frequent label is right for {facts['majority_class']:.3f}; "
        f"{facts['cleaned']:,} reviews held markup that was removed; {facts['undecided']:,} hold "
        "no word that the model knows."
    )
    print(
        f"{model.name}: {len(reviews):,} reviews in {seconds:.1f} s, expected calibration error "
        f"{facts['ece']:.3f}"
    )
    return DONE


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
        share = options.contrastive_share
        run = prepare_run(
            options.data,
            TrainingConfig(**given),
            model=options.model,
            contrastive_share=_natural_share(options.data) if share is None else share,
            sentinels=tuple(options.sentinel),
            drop_incomplete=options.drop_incomplete,
            name=options.name or "",
        )
    if options.prepare:
        return (
            _document({"run": run.id, "folder": str(run.folder)})
            if options.json
            else _line(str(run.folder))
        )
    launch(run)
    try:
        history = follow(run, quiet=options.json)
    except KeyboardInterrupt:
        run.request("pause")
        print(
            f"\nPausing. Resume with: python -m bertsent train --resume {run.id}", file=sys.stderr
        )
        return PAUSED
    return _outcome(run, history, options.json)


def runs(options: argparse.Namespace) -> int:
    """All runs, newest first."""
    table = runs_table()
    if options.json:
        return _document(json.loads(table.to_json(orient="records")))
    table = table.drop(columns="note").fillna({"title": ""})
    print(
        table.to_string(index=False)
        if len(table)
        else "There are no runs yet. Start one: python -m bertsent train --data builtin"
    )
    return DONE


def export(options: argparse.Namespace) -> int:
    """Write a run's model, or the built-in one, as a Hugging Face folder with a model card."""
    from bertsent.models.export import export_whole
    from bertsent.training.runs.run_export import export_run

    run, _, step = options.run.partition("/step-")
    folder = Path(options.folder)
    if run == BUILTIN:
        folder = export_whole(find_model(BUILTIN).folder, folder)
    elif step and not step.isdecimal():
        raise BadInput(f"“{options.run}” is not run/step-N.", "Give the step as a number.")
    else:
        folder = export_run(find_run(run), folder, int(step) if step else None)
    return _document({"folder": str(folder)}) if options.json else _line(f"Exported to {folder}")


def fetch(options: argparse.Namespace) -> int:
    """Bring a model or a data set from the Hub with a process of its own."""
    path = download_from_hub(
        options.kind,
        options.id,
        progress=lambda status: print(
            f"\r{status.what} {status.fraction:4.0%}", end="", file=sys.stderr
        ),
    )
    return _line(f"\nReady: {path}")


def doctor(options: argparse.Namespace) -> int:
    """What this machine can do, and what is missing."""
    facts = _diagnosis()
    if options.json:
        return _document(facts)
    for name, value in facts.items():
        print(f"{name.replace('_', ' '):18} {value}")
    return DONE


def _diagnosis() -> dict[str, Any]:

    try:
        backbone = f"ok, {load_backbone('builtin').shape.layers} layers, weights as published"
    except BertsentError as error:
        backbone = str(error)
    device = choose_device()
    precision = choose_precision("auto", device)
    hub = "switched off (BERTSENT_HUB=1 turns it on)"
    if hub_is_on():
        hub = "reachable" if hub_answers() else "switched on, but it cannot be reached"
    return {
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
        "free_disk_gb": round(
            shutil.disk_usage(next(p for p in (home(), *home().parents) if p.exists())).free / 1e9,
            1,
        ),
        "runs": len(list_runs()),
    }


def _reviews(name: str) -> Reviews:
    """The reviews of a table, or of a text with one review a line."""
    if Path(name).suffix.lower() in TABLES:
        return read_file(Path(name), need_labels=False)
    if name != "-" and not Path(name).is_file():
        raise NotAvailable(f"There is no file {name}.", "Check the path.")
    try:
        whole = sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise BadInput(
            f"{'The input' if name == '-' else name} is not UTF-8 text.",
            "Save it as UTF-8, one review a line.",
        ) from None
    return _lines(whole.strip("\n"))


def _lines(whole: str) -> Reviews:

    if not whole.strip():
        raise BadInput("There is nothing to classify.", "Give one review a line.")
    lines = whole.split("\n")
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            raise BadInput(f"Line {number} is empty.", "Give one review a line.")
        if len(line) > LIMITS.row_chars:
            raise BadInput(
                f"Line {number} has {len(line):,} characters; the limit is {LIMITS.row_chars:,}.",
                "Cut it.",
            )
    if len(lines) > LIMITS.rows:
        raise BadInput(
            f"There are {len(lines):,} lines; the limit is {LIMITS.rows:,}.", "Take a part of them."
        )
    return Reviews("lines", tuple(Example(f"line-{n}", line) for n, line in enumerate(lines, 1)))


def _natural_share(source: str) -> float:
    """What a source comes with: the built-in set and the recipe have handcrafted rows, a file of
    somebody's own has not.
    """
    return 0.001 if source in ("builtin", "imdb", "stanfordnlp/imdb") else 0.0


def _outcome(run: Run, history: History, as_json: bool) -> int:

    state = run.status(history).state
    if history.failure:
        print(f"bertsent: {history.failure.reason} {history.failure.remedy}", file=sys.stderr)
    elif state == "interrupted":
        print(
            f"bertsent: The worker of {run.id} died. "
            f"Resume with: python -m bertsent train --resume {run.id}",
            file=sys.stderr,
        )
    found = (
        run_report(run)
        if any(run.scores(e.step) is not None for e in history.evaluations)
        else None
    )
    checkpoint = next(iter(reversed(list_checkpoints(run.checkpoints))), None)
    if as_json:
        _document(
            {
                "run": run.id,
                "state": state,
                "steps": history.step,
                "seconds": history.seconds,
                "train_loss": history.steps[-1].loss if history.steps else None,
                "accuracy": found and found.accuracy,
                "macro_f1": found and found.macro_f1,
                "validation_rows": found and found.rows,
                "confusion": found and found.matrix.tolist(),
                "sentinels": history.sentinels[-1].scores if history.sentinels else {},
                "checkpoint": checkpoint and str(checkpoint),
            }
        )
    else:
        if found:
            print(f"\nValidation at step {found.step}:\n{found.text}")
        print(
            f"{run.id}: {state} at step {history.step}. Try it: python -m bertsent predict --model "
            f"{run.id}"
        )
    return DONE if state in ("finished", "stopped", "paused") else 1


def _document(value: object) -> int:
    print(json.dumps(value, ensure_ascii=False, indent=2))
    return DONE


def _line(text: str) -> int:
    print(text)
    return DONE
