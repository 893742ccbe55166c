"""One function that turns whatever names a set of reviews into ``Reviews``: ``builtin``, ``imdb``,
a file, a Hub id.
"""

import hashlib
import os
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Literal

import pandas as pd

from bertsent.data.examples import Example, Origin, Reviews
from bertsent.data.hub import IMDB_ID, dataset_path, is_hub_id
from bertsent.data.splits import imdb_recipe
from bertsent.data.tables import FORMATS, is_file, read_file
from bertsent.errors import BadInput, NotAvailable
from bertsent.settings import ASSETS, home

BUILTIN = ASSETS / "reviews" / "reviews.csv"
IMDB = ("imdb", IMDB_ID)


def load_reviews(
    source: str | Path | Reviews,
    *,
    contrastive: bool = True,
    drop_incomplete: bool = False,
    need_labels: bool = True,
) -> Reviews:
    """Find and read a set of reviews.

    Args:
        source: ``builtin``, ``imdb`` (the published recipe's 5,008 rows), a CSV/TSV/JSONL/Parquet
            file, the id of a Hub
            data set that was downloaded before, or ready ``Reviews``.
        contrastive: put the eight handcrafted contrastive reviews in front of a set that has none
            of its own.
        drop_incomplete: leave out rows without text or label instead of refusing the file.
        need_labels: refuse a file without a label column.

    Raises:
        NotAvailable: nothing of that name is here; the text says how to get it.
        BadInput: the file is of no use as it is.
    """
    custom = contrastive_reviews() if contrastive else ()
    if isinstance(source, Reviews):
        own = () if any(example.contrastive for example in source) else custom
        return replace(source, examples=(*own, *source.examples))
    if str(source) == "builtin":
        found = _read_builtin(BUILTIN)
        return found if contrastive else found.where([not e.contrastive for e in found])
    if str(source) in IMDB:
        path = _downloaded(IMDB_ID)
        origin = Origin("hub", IMDB_ID, hashlib.sha256(path.read_bytes()).hexdigest())
        return replace(imdb_recipe(_imdb(path), custom), origin=origin)
    name = str(source)
    on_hub = (
        is_hub_id(name)
        and Path(name).suffix.lower() not in FORMATS
        and not is_file(Path(name))
        and ("/" in name or dataset_path(name).is_file())  # a bare name may be a mistyped file
    )
    path = _downloaded(name) if on_hub else Path(source)
    found = read_file(path, drop_incomplete=drop_incomplete, need_labels=need_labels)
    if on_hub:
        found = _originating(found, "hub", name)
    return load_reviews(found, contrastive=contrastive)


def contrastive_reviews() -> tuple[Example, ...]:
    """The eight handcrafted reviews, four negative and four positive (row 000-07)."""
    return tuple(example for example in _read_builtin(BUILTIN) if example.contrastive)


def _imdb(path: Path) -> pd.DataFrame:
    from pyarrow import ArrowException

    try:
        return pd.read_parquet(path)
    except (ArrowException, OSError, ValueError) as error:
        raise BadInput(
            "The downloaded IMDb table is damaged.", f"Delete {path} and download it again."
        ) from error


@lru_cache(maxsize=1)
def _read_builtin(path: Path) -> Reviews:
    return _originating(read_file(path), "builtin", "builtin")


def _originating(reviews: Reviews, kind: Literal["builtin", "hub"], name: str) -> Reviews:
    return replace(reviews, origin=replace(reviews.origin, kind=kind, name=name))


def _downloaded(hub_id: str) -> Path:
    path = dataset_path(hub_id)
    if not path.is_file():
        raise NotAvailable(
            f"The data set {hub_id} is not on this machine.",
            f"Fetch it once with `python -m bertsent fetch dataset {hub_id}`, or bring it as a CSV "
            "or Parquet file.",
        )
    return path


def host_files() -> dict[str, Path]:
    """Review files the host offers to everybody, by name: those in ``BERTSENT_HOME/data`` and in
    the folders of ``BERTSENT_DATA``.

    A viewer chooses among these; a path that a viewer types is never opened.
    """
    folders = [
        home() / "data",
        *(Path(p).expanduser() for p in os.environ.get("BERTSENT_DATA", "").split(os.pathsep) if p),
    ]
    return {
        file.name: file
        for folder in folders
        for file in sorted(folder.glob("*"))
        if file.suffix.lower() in FORMATS
    }
