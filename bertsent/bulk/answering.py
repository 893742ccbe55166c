"""A part of the rows in, two tables out: the answers, and the rows that could not be answered with
the reason. One model answers part after part; within one, texts of like length go together.
"""

from collections.abc import Callable

import numpy as np
import pyarrow as pa

from bertsent.bulk.inputs import InputPart
from bertsent.bulk.job import PREDICT, BulkJob
from bertsent.data.cache import cache_key
from bertsent.data.examples import Example, Reviews
from bertsent.errors import NotAvailable, OtherTask
from bertsent.probing.loaded_model import LoadedModel, load
from bertsent.space.embedding import model_key
from bertsent.tasks.catalogue import SENTIMENT
from bertsent.tasks.masked_words import MaskedWords
from bertsent.tasks.task import SHARE, OneLabel, Rating, Reads, aspect_is_in

PLACE = [("file", pa.string()), ("row", pa.int64()), ("id", pa.string())]
_SECOND: dict[Reads, str] = {"two texts": "second", "aspect": "aspect"}  # as a column of answers
BAD_ROWS = pa.schema([*PLACE, ("reason", pa.string())])

Answer = Callable[[InputPart], tuple[pa.Table, pa.Table]]


def key_of(model: LoadedModel) -> str:
    """A hash of all of a model that its answers depend on."""
    return cache_key("bulk model", *model_key(model), model.temperature)


def answerer(job: BulkJob, device: str) -> Answer:
    """Load the model of a job; what comes back answers its parts.

    Raises:
        BertsentError: the model is not here, or another one bears its name.
    """
    model = load(job.model, device=device)
    model = model.part(job.part) if job.part else model
    NotAvailable.raise_if(
        key_of(model) != job.model_key,
        f"{job.model} is another model here than where the command was given.",
        "Put the same model on every machine.",
    )
    return lambda part: answered(model, part, job)


def check_model(model: LoadedModel, command: str) -> None:
    """Check that a model can do what is asked.

    Raises:
        BertsentError: it cannot.
    """
    if command == PREDICT:
        OtherTask.raise_if(
            isinstance(model.task, MaskedWords),
            f"{model.name} learned to fill in words and has no opinion on reviews yet.",
            "Leave out --out: then it fills in the gaps of your lines.",
        )
        NotAvailable.raise_if(
            "answer" not in model.gives,
            f"{model.name} was not fine-tuned: it answers nothing.",
            "Choose a fine-tuned model, or fine-tune it first.",
        )
    else:
        NotAvailable.raise_if(
            "embedding" not in model.gives or model.task.reads != "text",
            f"{model.name} gives no embeddings of single texts.",
            "Choose a model that reads one text.",
        )


def answered(model: LoadedModel, part: InputPart, job: BulkJob) -> tuple[pa.Table, pa.Table]:
    """The answers to a part and its bad rows; each row is in one of the two."""
    reads: Reads = model.task.reads if job.command == PREDICT else "text"
    rows = [
        Example("", text or "", second=second or "")
        for text, second in zip(part.texts, part.seconds, strict=True)
    ]
    reasons = [
        problem or _lack(row, reads) for row, problem in zip(rows, part.problems, strict=True)
    ]
    good = [place for place, reason in enumerate(reasons) if not reason]
    bad = [place for place, reason in enumerate(reasons) if reason]
    chosen = [rows[place] for place in good]
    read = {"text": pa.array([row.text for row in chosen], pa.string())}
    if reads != "text":
        read[_SECOND[reads]] = pa.array([row.second for row in chosen], pa.string())
    answers = pa.table({**_place(part, good), **read, **_columns(model, chosen, job)})
    return answers, pa.table(
        {**_place(part, bad), "reason": [reasons[place] for place in bad]}, BAD_ROWS
    )


def _lack(row: Example, reads: Reads) -> str:
    """Why a row cannot be asked about; empty where it can."""
    if not row.text:
        return "there is no text"
    if reads != "text" and not row.second:
        return f"there is no {'aspect' if reads == 'aspect' else 'second text'}"
    absent = reads == "aspect" and not aspect_is_in(row.second, row.text)
    return "the aspect is not in its text" if absent else ""


def _place(part: InputPart, places: list[int]) -> dict[str, pa.Array]:
    return {
        "file": pa.array([part.file] * len(places), pa.string()),
        "row": pa.array([part.first + place for place in places], pa.int64()),
        "id": pa.array([part.ids[place] for place in places], pa.string()),
    }


def _columns(model: LoadedModel, rows: list[Example], job: BulkJob) -> dict[str, pa.Array]:
    if job.command != PREDICT:
        return _vectors(model, [row.text for row in rows], job)
    if model.task == SENTIMENT:
        return _predictions(model, [row.text for row in rows])
    return _task_answers(model, rows)


def _predictions(model: LoadedModel, texts: list[str]) -> dict[str, pa.Array]:
    answers = model.predict(texts) if texts else []
    return {
        "label": pa.array([answer.label for answer in answers], pa.string()),
        "p_positive": pa.array([answer.p_positive for answer in answers], pa.float64()),
        "tokens": pa.array([answer.tokens for answer in answers], pa.int32()),
        "unknown_tokens": pa.array([answer.unknown for answer in answers], pa.int32()),
    }


def _task_answers(model: LoadedModel, rows: list[Example]) -> dict[str, pa.Array]:
    """A number, or the label or labels and the probability of each."""
    task = model.task
    asked = Reviews("part", tuple(rows), task=task).inputs
    answers = model.answers(asked) if rows else np.empty((0, task.outputs))
    if isinstance(task, Rating):
        return {task.measure: pa.array(answers.ravel(), pa.float64())}
    names = np.array(task.output_names, dtype=object)
    if isinstance(task, OneLabel):
        given = {"label": pa.array(names[answers.argmax(1)].tolist(), pa.string())}
    else:
        labels = [names[row > SHARE].tolist() for row in answers]
        given = {"labels": pa.array(labels, pa.list_(pa.string()))}
    shares = zip(task.output_names, answers.T, strict=True)
    return given | {f"p_{name}": pa.array(share, pa.float64()) for name, share in shares}


def _vectors(model: LoadedModel, texts: list[str], job: BulkJob) -> dict[str, pa.Array]:
    vectors, chances = model.embed_and_answer(texts, pooling=job.pooling, layer=job.layer)
    flat = pa.array(vectors.ravel(), pa.float32())
    found: dict[str, pa.Array] = {"vector": pa.FixedSizeListArray.from_arrays(flat, model.width)}
    if chances is not None:
        found["p_positive"] = pa.array(chances[:, 1], pa.float64())
    return found
