"""A folder of public data in, what may be learned from and the development sets out.

The files are those of the data table in the model card. Whatever a model is evaluated on is taken
out of what it learns from: IMDb's fold 9 (folds keep the reviews of a film together), the originals
of the development pairs, the development sentences of SST.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from pathlib import Path

import pandas as pd

from bertsent.data.examples import Example, Reviews
from bertsent.data.sources import BUILTIN, load_reviews
from bertsent.errors import NotAvailable
from bertsent.recipe.revisions import load_revisions, revised_pairs

FILES = (
    "imdb_train",
    "counterfactual_train",
    "counterfactual_dev",
    "contrast_dev",
    "sst_train",
    "sst_dev",
    "sst_phrases_train",
    "rt_polarity",
    "goemotions_train",
)
HELD_OUT, CONTRAST = "IMDb, held-out films", "IMDb contrast sets"
SNIPPETS = "Rotten Tomatoes snippets"
HELD_OUT_FOLD = 9  # of IMDb
ENDING = 90  # words: about the last 128 tokens
SHORTEST_PHRASE = 3  # words
ONE_LINERS, REGISTER = BUILTIN.parent / "one-liners.csv", BUILTIN.parent / "register.csv"


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
            SNIPPETS: _rows("", self._read("rt_polarity").query("sst_split == 'dev'")),
        }
        return {name: _reviews(name, (rows,)) for name, rows in parts.items()}

    def imdb(self) -> list[Example]:
        """The reviews of IMDb that may be learned from."""
        return _rows("imdb", self._imdb)

    def endings(self) -> list[Example]:
        """The last words of each of them, where the verdict usually stands."""
        plain = self._imdb["text"].str.replace("<br />", " ", regex=False)
        ending = plain.str.split().str[-ENDING:].str.join(" ")
        return _rows("ending", self._imdb.assign(text=ending))

    def counterfactual_pairs(self) -> list[Example]:
        """Reviews and the same ones edited so that their verdict is reversed."""
        return _rows("counterfactual", self._read("counterfactual_train"), pairs=True)

    def revised(self, path: Path) -> list[Example]:
        """IMDb reviews and their revisions in a file of this project."""
        return revised_pairs(self._imdb, load_revisions(path))

    def passages(self, path: Path) -> list[Example]:
        """Both without some of what they share, where no more than an ending is left."""
        rows = revised_pairs(self._imdb, load_revisions(path), short=True)
        long = {row.pair for row in rows if len(row.text.split()) > ENDING}
        return [row for row in rows if row.pair not in long]

    def sentences(self) -> pd.DataFrame:
        """SST's, with ``label5``."""
        return self._read("sst_train")

    def phrases(self) -> pd.DataFrame:
        """SST's phrases of at least three words, with ``label5``."""
        phrases = self._read("sst_phrases_train")
        return phrases[phrases["text"].str.split().str.len() >= SHORTEST_PHRASE]

    def snippets(self) -> list[Example]:
        """Those of Rotten Tomatoes that are not in SST's development part."""
        return _rows("snippet", self._read("rt_polarity").query("sst_split != 'dev'"))

    def comments(self) -> pd.DataFrame:
        """People's comments on anything, with the names of their ``emotions``."""
        return self._read("goemotions_train")

    def texts(self, name: str, columns: Sequence[str]) -> list[str]:
        """All texts in these columns of one further file.

        Raises:
            NotAvailable: it is missing.
        """
        path = self.folder / f"{name}.parquet"
        NotAvailable.raise_if(
            not path.is_file(),
            f"{self.folder} does not have {path.name}.",
            "The README of the recipe says what is needed.",
        )
        table = self._read(name)
        return [str(text) for column in columns for text in table[column].dropna()]

    @cached_property
    def _held_out(self) -> pd.DataFrame:
        return self._read("imdb_train").query("fold == @HELD_OUT_FOLD")

    @cached_property
    def _imdb(self) -> pd.DataFrame:
        return self._read("imdb_train").query("fold != @HELD_OUT_FOLD and cf_split != 'dev'")

    def _read(self, name: str) -> pd.DataFrame:
        return pd.read_parquet(self.folder / f"{name}.parquet")


def one_liners(split: str) -> list[Example]:
    """Those of ``one-liners.csv`` to learn from (``train``) or to evaluate on (``validation``)."""
    return [row for row in _read_own(ONE_LINERS) if row.split == split]


def register(split: str) -> list[Example]:
    """The comments of ``register.csv`` to learn from (``train``) or to evaluate on
    (``validation``).
    """
    return [row for row in _read_own(REGISTER) if row.split == split]


def builtin(split: str) -> list[Example]:
    """A part of the built-in reviews."""
    return [replace(row, split="") for row in load_reviews("builtin") if row.split == split]


@lru_cache(maxsize=2)
def _read_own(path: Path) -> Reviews:
    return load_reviews(path, contrastive=False)


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


def _reviews(name: str, parts: Iterable[list[Example]]) -> Reviews:
    return Reviews(name, tuple(row for part in parts for row in part))
