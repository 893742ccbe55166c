"""A folder of public data in, the reviews of each stage and of each development set out.

The files are those of the data table in the model card. Whatever judges is taken out of what is
learned from: IMDb's fold 9
(folds keep the reviews of a film together), the originals of the development pairs, the development
sentences of SST.
"""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pandas as pd

from bertsent.data.examples import Example, Reviews
from bertsent.data.sources import BUILTIN, load_reviews
from bertsent.errors import NotAvailable
from bertsent.recipe.mixtures import MIXTURES
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
JUDGES = 9  # the fold of IMDb that is never learned from
ENDING = 190  # words: about the last 256 tokens
PHRASES = 24_000
ONE_LINERS = BUILTIN.parent / "one-liners.csv"


class RecipeData:
    """The data files of a folder, each read when it is asked for.

    Raises:
        NotAvailable: a file is missing; the text names all that are needed.
    """

    def __init__(self, folder: Path) -> None:
        missing = [name for name in FILES if not (folder / f"{name}.parquet").is_file()]
        if missing:
            needed = ", ".join(f"{name}.parquet" for name in FILES)
            raise NotAvailable(
                f"{folder} has no {missing[0]}.parquet.",
                f"Needed are {needed}; the model card says where they come from.",
            )
        self.folder = folder

    def general(self) -> Reviews:
        """Stage one, sentiment at large: IMDb (openings and endings in turn), all pairs, sentences
        and phrases.
        """
        imdb = self._imdb()
        plain = imdb["text"].str.replace("<br />", " ", regex=False)
        ending = plain.str.split().str[-ENDING:].str.join(" ")
        imdb["text"] = plain.where(pd.Series(range(len(imdb)), index=imdb.index) % 2 == 0, ending)
        return _reviews(
            "general", (_rows("imdb", imdb), self._pairs(1), self._sentences(), self._phrases())
        )

    def hard(self) -> Reviews:
        """Stage two, whole reviews and hard cases: IMDb as it is, pairs twice, sentences, the
        built-in training part four times.
        """
        return _reviews(
            "hard",
            (
                _rows("imdb", self._imdb()),
                self._pairs(2),
                self._sentences(),
                self._builtin("train", 4),
            ),
        )

    def polish(self) -> Reviews:
        """Stage three, mostly what is hard: the built-in training part four times, pairs,
        sentences, some phrases, a quarter of IMDb.
        """
        parts = (
            self._builtin("train", 4),
            self._pairs(1),
            self._sentences(),
            self._phrases()[::2],
            _rows("imdb", self._imdb().iloc[::4]),
        )
        return _reviews("polish", parts)

    def turned(self) -> Reviews:
        """Stage four, verdicts that a few words turn: the revisions written for this project twice,
        pairs, the built-in training part
        twice, sentences, some phrases, a sixth of IMDb."""
        again = [_repeated(row, turn) for turn in range(2) for row in self._revised(DENSE, 1)]
        parts = (
            again,
            self._pairs(1),
            self._builtin("train", 2),
            self._sentences(),
            self._phrases()[::4],
        )
        return _reviews("turned", (*parts, _rows("imdb", self._imdb().iloc[3::6])))

    def mixed(self, name: str) -> Reviews:
        """The stages after these, as the table of mixtures has them."""
        mixture, own = MIXTURES[name], one_liners("train")
        start, step = mixture.imdb
        lines = [
            _repeated(row, turn)
            for turn in range(mixture.times)
            for row in _pairs_every(mixture.lines, own)
        ]
        mock = {row.pair for row in own if row.phenomenon == "sarcasm" and row.label == 0}
        more = [
            _repeated(row, mixture.times + turn)
            for turn in range(mixture.mock)
            for row in own
            if row.pair in mock
        ]
        whole = self._revised(DENSE, mixture.dense) + self._revised(SPARSE, mixture.sparse)
        short = [
            row
            for path in (DENSE, SPARSE)
            for row in self._revised(path, mixture.short, short=True)
        ]
        hurried = [
            _repeated(row, turn)
            for turn in range(mixture.hurried)
            for row in self._revised(HURRIED, 1)
        ]
        turned = (whole, short, hurried, _pairs_every(mixture.pairs, self._pairs(1)))
        sentences = self._sentences() if mixture.sentences else []
        parts = (
            lines,
            more,
            self._builtin("train", 1),
            sentences,
            *turned,
            _rows("imdb", self._imdb().iloc[start::step]),
        )
        return _reviews(name, parts)

    def judges(self) -> Reviews:
        """What a run is judged on while it learns: some of each development set, told apart by
        ``phenomenon``.
        """
        imdb = _some(self._held_out(), 800)
        revised = self._read("counterfactual_dev").query("kind == 'revised'")
        parts = (
            _rows("imdb", imdb),
            _rows("contrast", self._read("contrast_dev"), pairs=True),
            _rows("revised", revised),
            _rows("sst", _labelled(self._read("sst_dev"))),
            self._builtin("validation", 1, name="builtin"),
            [replace(row, phenomenon="one-liner") for row in one_liners("validation")],
        )
        return _reviews("judges", parts)

    def held_out(self) -> Reviews:
        """The films of IMDb's fold 9: what the temperature is fitted on."""
        return _reviews(HELD_OUT, (_rows("", self._held_out()),))

    def development_sets(self) -> dict[str, Reviews]:
        """The public sets that every choice was made on, in full; slices are in ``phenomenon``."""
        contrast, revised = self._read("contrast_dev"), self._read("counterfactual_dev")
        parts = {
            CONTRAST: _by_kind(contrast),
            "Counterfactual pairs": _by_kind(revised),
            "SST sentences": _rows("", _labelled(self._read("sst_dev"))),
        }
        return {name: _reviews(name, (rows,)) for name, rows in parts.items()}

    def _held_out(self) -> pd.DataFrame:
        return self._read("imdb_train").query("fold == @JUDGES")

    def _imdb(self) -> pd.DataFrame:
        return self._read("imdb_train").query("fold != @JUDGES and cf_split != 'dev'").copy()

    def _pairs(self, times: int) -> list[Example]:
        rows = _rows("counterfactual", self._read("counterfactual_train"), pairs=True)
        return [_repeated(row, turn) for turn in range(times) for row in rows]

    def _sentences(self) -> list[Example]:
        return _rows("sst", _labelled(self._read("sst_train")))

    def _phrases(self) -> list[Example]:
        phrases = _labelled(self._read("sst_phrases_train"))
        long = phrases[phrases["text"].str.split().str.len() >= 3]
        return _rows("phrase", _some(long, PHRASES))

    def _revised(self, path: Path, step: int, *, short: bool = False) -> list[Example]:
        return (
            revised_pairs(self._imdb(), load_revisions(path)[::step], short=short) if step else []
        )

    def _builtin(self, split: str, times: int, name: str = "") -> list[Example]:
        own = [e for e in load_reviews("builtin", contrastive=True) if e.split == split]
        rows = [Example(e.id, e.text, e.label, name or e.phenomenon, e.pair) for e in own]
        return [_repeated(row, turn) for turn in range(times) for row in rows]

    def _read(self, name: str) -> pd.DataFrame:
        return pd.read_parquet(self.folder / f"{name}.parquet")


def one_liners(split: str) -> list[Example]:
    """Those of ``one-liners.csv`` that are learned from (``train``) or judge (``validation``)."""
    return [e for e in load_reviews(ONE_LINERS, contrastive=False) if e.split == split]


def _by_kind(table: pd.DataFrame) -> list[Example]:
    """Pairs whose slices are the original and the edited side."""
    rows = _rows("pair", table, pairs=True)
    return [replace(row, phenomenon=kind) for row, kind in zip(rows, table["kind"], strict=True)]


def _some(table: pd.DataFrame, rows: int) -> pd.DataFrame:
    return table.sample(min(rows, len(table)), random_state=1)


def _pairs_every(step: int, rows: list[Example]) -> list[Example]:
    names = list(dict.fromkeys(row.pair for row in rows))
    kept = set(names[::step] if step else ())
    return [row for row in rows if row.pair in kept]


def _labelled(table: pd.DataFrame) -> pd.DataFrame:
    return table.dropna(subset=["label"])


def _rows(source: str, table: pd.DataFrame, *, pairs: bool = False) -> list[Example]:
    names = [f"{source} {pair}" for pair in table["pair_id"]] if pairs else [""] * len(table)
    rows = zip(table["text"], table["label"], names, strict=True)
    return [
        Example(f"{source}-{number}", text, int(label), source, pair)
        for number, (text, label, pair) in enumerate(rows)
    ]


def _repeated(row: Example, turn: int) -> Example:
    mark = f"~{turn + 1}" if turn else ""
    return replace(row, id=row.id + mark, pair=row.pair and row.pair + mark)


def _reviews(name: str, parts: Iterable[list[Example]]) -> Reviews:
    return Reviews(name, tuple(row for part in parts for row in part))
