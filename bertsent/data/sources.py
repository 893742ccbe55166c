"""One function that turns whatever names a set of reviews into ``Reviews``: ``builtin``, ``imdb``, a file, a Hub id."""

import re
from pathlib import Path

import pandas as pd

from bertsent.data.examples import Example, Reviews
from bertsent.data.splits import imdb_recipe
from bertsent.data.tables import read_file
from bertsent.errors import BadInput, NotAvailable
from bertsent.settings import ASSETS, home

BUILTIN = ASSETS / "reviews" / "reviews.csv"
IMDB = ("imdb", "stanfordnlp/imdb")
_HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")


def load_reviews(source: str | Path | Reviews, *, contrastive: bool = True, drop_incomplete: bool = False, need_labels: bool = True) -> Reviews:
    """Find and read a set of reviews.

    Args:
        source: ``builtin``, ``imdb`` (the published recipe's 5,008 rows), a CSV/TSV/JSONL/Parquet file, the id of a Hub
            data set that was fetched before, or ready ``Reviews``.
        contrastive: put the eight handcrafted contrastive reviews in front of a set that has none of its own.
        drop_incomplete: leave out rows without text or label instead of refusing the file.
        need_labels: refuse a file without a label column.

    Raises:
        NotAvailable: nothing of that name is here; the text says how to get it.
        BadInput: the file is of no use as it is.
    """
    if isinstance(source, Reviews):
        return source
    custom = contrastive_reviews() if contrastive else ()
    if str(source) == "builtin":
        own = read_file(BUILTIN)
        return own if contrastive else own.where([not e.contrastive for e in own])
    if str(source) in IMDB:
        return imdb_recipe(pd.read_parquet(_fetched("stanfordnlp/imdb")), custom)
    on_hub = not Path(source).is_file() and _HUB_ID.fullmatch(str(source))
    path = _fetched(str(source)) if on_hub else Path(source)
    found = read_file(path, drop_incomplete=drop_incomplete, need_labels=need_labels)
    return Reviews(found.name, (*custom, *found.examples))


def contrastive_reviews() -> tuple[Example, ...]:
    """The eight handcrafted reviews, four negative and four positive (row 000-07)."""
    return tuple(example for example in read_file(BUILTIN) if example.contrastive)


def dataset_path(hub_id: str) -> Path:
    """Where a Hub data set's training table is kept once it was fetched.

    Raises:
        BadInput: that is not the form of a Hub id.
    """
    if not _HUB_ID.fullmatch(hub_id) or ".." in hub_id:
        raise BadInput(f"“{hub_id[:60]}” is not a Hub id.", "It looks like owner/name.")
    return home() / "hub" / "datasets" / f"{hub_id.replace('/', '--')}.parquet"


def _fetched(hub_id: str) -> Path:
    path = dataset_path(hub_id)
    if not path.is_file():
        raise NotAvailable(
            f"The data set {hub_id} is not on this machine.",
            f"Fetch it once with `python -m bertsent fetch dataset {hub_id}`, or bring it as a CSV or Parquet file.",
        )
    return path
