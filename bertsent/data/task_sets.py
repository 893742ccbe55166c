"""The name of a task in, the small CC0 set that ships for it out (``assets/tasks``)."""

import hashlib
from dataclasses import replace
from functools import lru_cache

from bertsent.data.examples import Origin, Reviews
from bertsent.data.tables import read_cells
from bertsent.data.task_columns import TaskColumns, reviews_of_task
from bertsent.errors import BadInput
from bertsent.settings import ASSETS
from bertsent.tasks.catalogue import ASPECTS, FEELINGS, FIVE_STEPS, PARAPHRASE, SIMILARITY

FOLDER = ASSETS / "tasks"
_EIGHT = replace(FEELINGS, labels=FEELINGS.labels[:8])  # Plutchik's own, without dyads
_FILES = {
    FIVE_STEPS.name: ("five-steps.csv", TaskColumns(FIVE_STEPS, "text", label="label")),
    ASPECTS.name: ("aspects.csv", TaskColumns(ASPECTS, "text", "aspect", "label")),
    FEELINGS.name: ("feelings.csv", TaskColumns(_EIGHT, "text", flags=_EIGHT.labels)),
    SIMILARITY.name: ("pairs.csv", TaskColumns(SIMILARITY, "text1", "text2", "score")),
    PARAPHRASE.name: ("pairs.csv", TaskColumns(PARAPHRASE, "text1", "text2", "label")),
}
SMALL_SETS = tuple(_FILES)


@lru_cache(maxsize=len(_FILES))
def small_set(task: str) -> Reviews:
    """The rows that were written for that task, with their own split.

    Raises:
        BadInput: none were.
    """
    BadInput.raise_if(
        task not in _FILES,
        "No reviews ship with this program for that task.",
        f"Bring a file of your own, or choose one of {', '.join(_FILES)}.",
    )
    name, columns = _FILES[task]
    data = (FOLDER / name).read_bytes()
    reviews = reviews_of_task(read_cells(data, name), name, columns)
    return replace(reviews, origin=Origin("builtin", name, hashlib.sha256(data).hexdigest()))
