"""Texts that judge nothing, which ship with this program, as the middle one of five steps."""

import hashlib
from dataclasses import replace

from bertsent.data.examples import Example, Origin, Reviews, Splits
from bertsent.data.splits import unseen
from bertsent.data.tables import read_cells
from bertsent.data.task_sets import FOLDER
from bertsent.tasks.catalogue import FIVE_STEPS

FILE = "no-opinion.csv"


def no_opinion() -> Reviews:
    """Plots told flatly, questions, facts and messages, each labelled neutral, with their split."""
    data = (FOLDER / FILE).read_bytes()
    neutral = FIVE_STEPS.labels.index("neutral")
    rows = read_cells(data, FILE).to_dict("records")
    examples = tuple(Example(r["id"], r["text"], neutral, split=r["split"]) for r in rows)
    origin = Origin("builtin", FILE, hashlib.sha256(data).hexdigest())
    return Reviews(FILE, examples, origin, task=FIVE_STEPS)


def with_no_opinion(splits: Splits) -> Splits:
    """Add their training part to the training rows of five steps; validation stays as it is."""
    train = splits.train
    added = [replace(e, id=f"{FILE}/{e.id}") for e in unseen(no_opinion(), splits.validation)]
    return replace(splits, train=replace(train, examples=(*train.examples, *added)))
