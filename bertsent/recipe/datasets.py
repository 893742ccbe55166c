"""A folder of public data in, the training reviews of each stage and the development sets out.

The files are those of the data table in the model card. Whatever a model is evaluated on is taken
out of what it learns from: IMDb's fold 9 (folds keep the reviews of a film together), the originals
of the development pairs, the development sentences of SST.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path

import pandas as pd

from bertsent.data.examples import Example, Reviews
from bertsent.data.sources import BUILTIN, load_reviews
from bertsent.errors import NotAvailable
from bertsent.recipe.revisions import DENSE, HURRIED, SPARSE, load_revisions, revised_pairs

FILES = (
    "imdb_train",
    "counterfactual_train",
    "counterfactual_dev",
    "contrast_dev",
    "sst_train",
    "sst_dev",
    "sst_phrases_train",
)
HELD_OUT, CONTRAST = "IMDb, held-out films", "IMDb contrast sets"
HELD_OUT_FOLD = 9  # of IMDb
ENDING = 190  # words: about the last 256 tokens
PHRASES = 24_000
ONE_LINERS = BUILTIN.parent / "one-liners.csv"


@dataclass(frozen=True)
class Mixture:
    """What a stage learns from. A number n takes every n-th row or pair of a source, 0 none;
    ``…_times`` is how often each of them is read.
    """

    imdb: tuple[int, int]  # reviews: the first one, and the step
    clipped: bool = False  # of every other one only the last words
    sentences: bool = False  # of SST
    phrases: int = 0  # of SST
    builtin_times: int = 1  # the built-in training part
    lines: int = 0  # pairs of one-liners
    line_times: int = 1
    mock_times: int = 0  # how often more the pairs with mock praise are read
    pairs: int = 0  # counterfactual ones
    pair_times: int = 1
    dense: int = 0  # revisions
    dense_times: int = 1
    sparse: int = 0  # revisions that leave most words standing
    short: int = 0  # both of these, without some of what their sides share
    hurried_times: int = 0  # revisions made in haste


class RecipeData:
    """The data files of a folder, each read when it is asked for.

    Raises:
        NotAvailable: a file is missing; the text names all that are needed.
    """

    def __init__(self, folder: Path) -> None:
        missing = [name for name in FILES if not (folder / f"{name}.parquet").is_file()]
        NotAvailable.raise_if(
            missing,
            f"{folder} does not have {', '.join(f'{name}.parquet' for name in missing)}.",
            f"The recipe needs {', '.join(f'{name}.parquet' for name in FILES)}; the model card "
            "says where they come from.",
        )
        self.folder = folder

    def training_reviews(self, name: str, mixture: Mixture) -> Reviews:
        """The training reviews of the stage ``name``; every row has an id of its own."""
        m, lines, (start, step) = mixture, one_liners("train"), mixture.imdb
        mock = {row.pair for row in lines if row.phenomenon == "sarcasm" and row.label == 0}
        mocking = [row for row in lines if row.pair in mock]
        parts = (
            _repeated(_every_pair(m.lines, lines), m.line_times),
            _repeated(mocking, m.mock_times, done=m.line_times),
            _repeated(_builtin("train"), m.builtin_times),
            self._sentences if m.sentences else [],
            self._phrases[:: m.phrases] if m.phrases else [],
            _repeated(self._revised(DENSE, m.dense), m.dense_times),
            self._revised(SPARSE, m.sparse),
            self._revised(DENSE, m.short, short=True),
            self._revised(SPARSE, m.short, short=True),
            _repeated(self._revised(HURRIED, 1), m.hurried_times),
            _repeated(_every_pair(m.pairs, self._pairs), m.pair_times),
            _rows("imdb", (self._clipped if m.clipped else self._imdb).iloc[start::step]),
        )
        return _reviews(name, parts)

    def validation_reviews(self) -> Reviews:
        """What a run is evaluated on while it trains: some of each development set, with the name
        of the set as ``phenomenon``.
        """
        parts = (
            _rows("imdb", _some(self._held_out, 800)),
            _rows("contrast", self._read("contrast_dev"), pairs=True),
            _rows("revised", self._read("counterfactual_dev").query("kind == 'revised'")),
            _rows("sst", self._read("sst_dev")),
            [replace(row, phenomenon="builtin") for row in _builtin("validation")],
            [replace(row, phenomenon="one-liner") for row in one_liners("validation")],
        )
        return _reviews("validation", parts)

    def ordinary_reviews(self) -> Reviews:
        """All reviews of IMDb that may be learned from."""
        return _reviews("imdb", (_rows("imdb", self._imdb),))

    def held_out(self) -> Reviews:
        """The films of IMDb's fold 9: what the temperature is fitted on."""
        return _reviews(HELD_OUT, (_rows("", self._held_out),))

    def development_sets(self) -> dict[str, Reviews]:
        """The public sets that every choice was made on, in full; slices are in ``phenomenon``."""
        parts = {
            CONTRAST: _rows("pair", self._read("contrast_dev"), pairs=True, by_kind=True),
            "Counterfactual pairs": _rows(
                "pair", self._read("counterfactual_dev"), pairs=True, by_kind=True
            ),
            "SST sentences": _rows("", self._read("sst_dev")),
        }
        return {name: _reviews(name, (rows,)) for name, rows in parts.items()}

    @cached_property
    def _held_out(self) -> pd.DataFrame:
        return self._read("imdb_train").query("fold == @HELD_OUT_FOLD")

    @cached_property
    def _imdb(self) -> pd.DataFrame:
        return self._read("imdb_train").query("fold != @HELD_OUT_FOLD and cf_split != 'dev'")

    @cached_property
    def _clipped(self) -> pd.DataFrame:
        plain = self._imdb["text"].str.replace("<br />", " ", regex=False)
        ending = plain.str.split().str[-ENDING:].str.join(" ")
        even = pd.Series(range(len(plain)), index=plain.index) % 2 == 0
        return self._imdb.assign(text=plain.where(even, ending))

    @cached_property
    def _pairs(self) -> list[Example]:
        return _rows("counterfactual", self._read("counterfactual_train"), pairs=True)

    @cached_property
    def _sentences(self) -> list[Example]:
        return _rows("sst", self._read("sst_train"))

    @cached_property
    def _phrases(self) -> list[Example]:
        phrases = self._read("sst_phrases_train").dropna(subset=["label"])
        return _rows("phrase", _some(phrases[phrases["text"].str.split().str.len() >= 3], PHRASES))

    def _revised(self, path: Path, step: int, *, short: bool = False) -> list[Example]:
        revisions = load_revisions(path)[::step] if step else []
        return revised_pairs(self._imdb, revisions, short=short)

    def _read(self, name: str) -> pd.DataFrame:
        return pd.read_parquet(self.folder / f"{name}.parquet")


def one_liners(split: str) -> list[Example]:
    """Those of ``one-liners.csv`` to learn from (``train``) or to evaluate on (``validation``)."""
    return [row for row in _read_one_liners(ONE_LINERS) if row.split == split]


@lru_cache(maxsize=1)
def _read_one_liners(path: Path) -> Reviews:
    return load_reviews(path, contrastive=False)


def _builtin(split: str) -> list[Example]:
    return [replace(row, split="") for row in load_reviews("builtin") if row.split == split]


def _some(table: pd.DataFrame, rows: int) -> pd.DataFrame:
    return table.sample(min(rows, len(table)), random_state=1)


def _every_pair(step: int, rows: list[Example]) -> list[Example]:
    """Both sides of every ``step``-th pair."""
    kept = set(list(dict.fromkeys(row.pair for row in rows))[::step] if step else ())
    return [row for row in rows if row.pair in kept]


def _rows(
    source: str, table: pd.DataFrame, *, pairs: bool = False, by_kind: bool = False
) -> list[Example]:
    """The labelled rows of a table; ``by_kind`` puts original and edited sides in slices."""
    table = table.dropna(subset=["label"])
    names = [f"{source} {pair}" for pair in table["pair_id"]] if pairs else [""] * len(table)
    kinds = table["kind"] if by_kind else [source] * len(table)
    rows = zip(table["text"], table["label"], kinds, names, strict=True)
    return [
        Example(f"{source}-{number}", text, int(label), kind, pair)
        for number, (text, label, kind, pair) in enumerate(rows)
    ]


def _repeated(rows: list[Example], times: int, done: int = 0) -> list[Example]:
    """The rows ``times`` times; each repeat is a review and a pair of its own. ``done`` is how
    often they were read before.
    """
    marks = [f"~{turn + 1}" if turn else "" for turn in range(done, done + times)]
    return [
        replace(row, id=row.id + mark, pair=row.pair and row.pair + mark) if mark else row
        for mark in marks
        for row in rows
    ]


def _reviews(name: str, parts: Iterable[list[Example]]) -> Reviews:
    return Reviews(name, tuple(row for part in parts for row in part))
