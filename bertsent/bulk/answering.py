"""A part of the rows in, two tables out: the answers, and the rows that could not be answered with
the reason. One model answers part after part; within one, texts of like length go together.
"""

from collections.abc import Callable

import pyarrow as pa

from bertsent.bulk.inputs import InputPart
from bertsent.bulk.job import BulkJob
from bertsent.data.cache import cache_key
from bertsent.data.cleaning import clean_text
from bertsent.errors import NotAvailable
from bertsent.probing.loaded_model import LoadedModel, load
from bertsent.space.embedding import model_key

PREDICT, EMBED = "predict", "embed"
PLACE = [("file", pa.string()), ("row", pa.int64()), ("id", pa.string())]
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
        model.require_head()
    else:
        NotAvailable.raise_if(
            "embedding" not in model.gives or model.task.reads != "text",
            f"{model.name} gives no embeddings of single texts.",
            "Choose a model that reads one text.",
        )


def answered(model: LoadedModel, part: InputPart, job: BulkJob) -> tuple[pa.Table, pa.Table]:
    """The answers to a part and its bad rows; each row is in one of the two."""
    texts = [clean_text(text) if text is not None else "" for text in part.texts]
    reasons = [
        problem or ("" if text else "there is no text")
        for text, problem in zip(texts, part.problems, strict=True)
    ]
    good = [place for place, reason in enumerate(reasons) if not reason]
    bad = [place for place, reason in enumerate(reasons) if reason]
    chosen = [texts[place] for place in good]
    columns = (
        _predictions(model, chosen) if job.command == PREDICT else _vectors(model, chosen, job)
    )
    answers = pa.table({**_place(part, good), "text": pa.array(chosen, pa.string()), **columns})
    return answers, pa.table(
        {**_place(part, bad), "reason": [reasons[place] for place in bad]}, BAD_ROWS
    )


def _place(part: InputPart, places: list[int]) -> dict[str, pa.Array]:
    return {
        "file": pa.array([part.file] * len(places), pa.string()),
        "row": pa.array([part.first + place for place in places], pa.int64()),
        "id": pa.array([part.ids[place] for place in places], pa.string()),
    }


def _predictions(model: LoadedModel, texts: list[str]) -> dict[str, pa.Array]:
    answers = model.predict(texts) if texts else []
    return {
        "label": pa.array([answer.label for answer in answers], pa.string()),
        "p_positive": pa.array([answer.p_positive for answer in answers], pa.float64()),
        "tokens": pa.array([answer.tokens for answer in answers], pa.int32()),
        "unknown_tokens": pa.array([answer.unknown for answer in answers], pa.int32()),
    }


def _vectors(model: LoadedModel, texts: list[str], job: BulkJob) -> dict[str, pa.Array]:
    vectors, chances = model.embed_and_answer(texts, pooling=job.pooling, layer=job.layer)
    flat = pa.array(vectors.ravel(), pa.float32())
    found: dict[str, pa.Array] = {"vector": pa.FixedSizeListArray.from_arrays(flat, model.width)}
    if chances is not None:
        found["p_positive"] = pa.array(chances[:, 1], pa.float64())
    return found
