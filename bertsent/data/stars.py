"""A file of reviews with stars in, ``Reviews`` whose scores are the stars out."""

from dataclasses import replace

import numpy as np

from bertsent.data.examples import Reviews
from bertsent.data.table_columns import TEXT_NAMES
from bertsent.data.tables import column_names, read_columns
from bertsent.data.task_columns import TaskColumns, first_of, rating_of
from bertsent.data.task_files import reviews_of_bytes
from bertsent.errors import BadInput

STARS_NAMES = ("stars", "star_rating", "rating", "score")


def read_stars(data: bytes, name: str, *, drop_incomplete: bool = False) -> Reviews:
    """Turn the bytes of a table into reviews with their stars as scores.

    Args:
        data: the whole file.
        name: its name, for its ending and for messages.
        drop_incomplete: leave out rows without a text or stars instead of refusing the file.

    Raises:
        BadInput: what is wrong, in which row, and how to correct it.
    """
    names = column_names(data, name)
    text, stars = first_of(TEXT_NAMES, names), first_of(STARS_NAMES, names)
    BadInput.raise_if(not text, f"{name} has no column for the text.", "Call it “text”.")
    BadInput.raise_if(
        not stars, f"{name} has no column for the stars.", "Call it “stars” or “rating”."
    )
    table = read_columns(data, name, {text, stars})
    task = replace(rating_of(table[stars], name, reads="text"), title="Stars")
    columns = TaskColumns(task, text, label=stars)
    found = reviews_of_bytes(data, name, table, columns, drop_incomplete=drop_incomplete)
    BadInput.raise_if(
        len({example.scores for example in found}) < 2,
        f"All reviews of {name} have the same stars.",
        "A comparison needs at least two kinds.",
    )
    return found


def drawn(reviews: Reviews, most: int, seed: int = 42) -> Reviews:
    """At most ``most`` of the rows, drawn at random, in their order."""
    if len(reviews) <= most:
        return reviews
    rows = np.random.default_rng(seed).choice(len(reviews), most, replace=False)
    return reviews.take(sorted(map(int, rows)))
