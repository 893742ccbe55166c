"""The name of a set of reviews in (``builtin``, ``imdb``, a file, a Hub id), ``Reviews`` out."""

import hashlib
import os
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import pandas as pd

from bertsent.data.examples import Example, Origin, Reviews
from bertsent.data.hub import IMDB_ID, dataset_path, is_hub_id
from bertsent.data.plain_texts import COMMENTS, as_texts, comments
from bertsent.data.splits import imdb_recipe
from bertsent.data.tables import FORMATS, is_file, read_file
from bertsent.data.task_files import read_task_file
from bertsent.data.task_sets import small_set
from bertsent.errors import BadInput, NotAvailable
from bertsent.settings import ASSETS, home
from bertsent.tasks.catalogue import SENTIMENT
from bertsent.tasks.masked_words import MASKED_WORDS

BUILTIN = ASSETS / "reviews" / "reviews.csv"
IMDB = ("imdb", IMDB_ID)


def load_reviews(
    source: str | Path | Reviews,
    *,
    contrastive: bool = True,
    drop_incomplete: bool = False,
    need_labels: bool = True,
    task: str = SENTIMENT.name,
) -> Reviews:
    """Find and read a set of reviews.

    Args:
        source: ``builtin``, ``imdb`` (the published recipe's 5,008 rows), a CSV/TSV/JSONL/Parquet
            file, the id of a downloaded Hub data set, or ready ``Reviews``.
        contrastive: put the eight handcrafted contrastive reviews in front of a set without any.
        drop_incomplete: leave out rows without text or label instead of refusing the file.
        need_labels: refuse a file without a label column.
        task: what they are for, one of ``asked_columns.KEYS``; empty for what a file itself says.
            ``builtin`` is then the small set of that task. For masked words, which need no labels,
            ``builtin`` are the texts of the built-in reviews, and ``comments`` short comments.

    Raises:
        NotAvailable: the source is not here; the text says how to get it.
        BadInput: the file cannot be used as it is.
    """
    if task == MASKED_WORDS.name and not isinstance(source, Reviews):
        return _texts(source, drop_incomplete=drop_incomplete)
    custom = contrastive_reviews() if contrastive else ()
    if isinstance(source, Reviews):
        has_own = any(example.contrastive for example in source) or source.task != SENTIMENT
        own = () if has_own else custom
        return replace(source, examples=(*own, *source.examples))
    name, path = str(source), Path(source)
    if name == "builtin" and task not in ("", SENTIMENT.name):
        return small_set(task)
    if name == "builtin":
        found = _read_builtin(BUILTIN)
        return found if contrastive else found.where([not e.contrastive for e in found])
    if name in IMDB:
        BadInput.raise_if(
            task not in ("", SENTIMENT.name),
            "IMDb has two labels.",
            "Learn sentiment in two labels from it, or choose other reviews.",
        )
        path = _downloaded(IMDB_ID)
        origin = Origin("hub", IMDB_ID, hashlib.sha256(path.read_bytes()).hexdigest())
        return replace(imdb_recipe(_imdb(path), custom), origin=origin)
    on_hub = (
        is_hub_id(name)
        and path.suffix.lower() not in FORMATS
        and not is_file(path)
        and ("/" in name or dataset_path(name).is_file())  # a bare name may be a mistyped file
    )
    path = _downloaded(name) if on_hub else path
    if need_labels and task != SENTIMENT.name:
        found = read_task_file(path, task, drop_incomplete=drop_incomplete)
    else:
        found = read_file(path, drop_incomplete=drop_incomplete, need_labels=need_labels)
    if on_hub:
        found = replace(found, origin=replace(found.origin, kind="hub", name=name))
    return load_reviews(found, contrastive=contrastive)


def _texts(source: str | Path, *, drop_incomplete: bool) -> Reviews:
    """What masked words are learned from: the texts of a source, whatever is true of them."""
    name = str(source)
    if name == COMMENTS:
        return comments()
    if name == "builtin" or name in IMDB:
        return as_texts(load_reviews(name, contrastive=False))
    path = dataset_path(name) if is_hub_id(name) and dataset_path(name).is_file() else Path(source)
    found = read_task_file(path, MASKED_WORDS.name, drop_incomplete=drop_incomplete)
    if path != Path(source):
        found = replace(found, origin=replace(found.origin, kind="hub", name=name))
    return found


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
    found = read_file(path)
    return replace(found, origin=replace(found.origin, kind="builtin", name="builtin"))


def _downloaded(hub_id: str) -> Path:
    path = dataset_path(hub_id)
    NotAvailable.raise_if(
        not path.is_file(),
        f"The data set {hub_id} is not on this machine.",
        f"Download it once with `python -m bertsent fetch dataset {hub_id}`, or use a CSV or "
        "Parquet file.",
    )
    return path


def host_files() -> dict[str, Path]:
    """Review files the host offers to everybody, by name: those in ``BERTSENT_HOME/data`` and in
    the folders of ``BERTSENT_DATA``.

    A viewer chooses among these; a path that a viewer types is never opened.
    """
    offered = os.environ.get("BERTSENT_DATA", "").split(os.pathsep)
    folders = (home() / "data", *(Path(folder).expanduser() for folder in offered if folder))
    return {
        file.name: file
        for folder in folders
        for file in sorted(folder.glob("*"))
        if file.suffix.lower() in FORMATS
    }
