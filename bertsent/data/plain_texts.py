"""Reviews of any task in, their texts alone out: what masked words are learned from."""

import hashlib
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from bertsent.data.examples import Origin, Reviews
from bertsent.data.tables import read_bytes
from bertsent.settings import ASSETS
from bertsent.tasks.masked_words import MASKED_WORDS

COMMENTS = "comments"
_COMMENTS_FILE = ASSETS / "reviews" / "register.csv"


def as_texts(reviews: Reviews) -> Reviews:
    """The same texts without what is true of them; of two texts the first. They keep their split,
    so that what a model is judged by later is not read in pretraining.
    """
    examples = tuple(
        replace(example, label=None, scores=(), second="", part="") for example in reviews
    )
    return replace(reviews, examples=examples, task=MASKED_WORDS)


@lru_cache(maxsize=1)
def comments(path: Path = _COMMENTS_FILE) -> Reviews:
    """The short comments in everyday language that ship with bertsent."""
    data = path.read_bytes()
    origin = Origin("builtin", path.name, hashlib.sha256(data).hexdigest())
    found = read_bytes(data, path.name, need_labels=False)
    return as_texts(replace(found, name=COMMENTS, origin=origin))
