"""The files of ``assets/checks`` in, the texts of the subgroup check out.

A template is a sentence whose verdict on a film is plain, with a slot for a word that says who a
person is, or for a name; only that word is swapped. After the invariance test of CheckList (Ribeiro
et al. 2020) and the Equity Evaluation Corpus (Kiritchenko and Mohammad 2018), whose idea of names
that are common in one group is that of Caliskan et al. (2017). For varieties of English the whole
sentence is swapped for one that says the same.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import pandas as pd

from bertsent.data.table_columns import LABEL_WORDS
from bertsent.data.tables import read_cells
from bertsent.settings import ASSETS

FOLDER = ASSETS / "checks"
VARIETY, STANDARD = "variety of English", "standard English"


@dataclass(frozen=True)
class Swap:
    """One text: what is ``swapped`` into the template of that name stands for ``group``, one of the
    groups that differ in ``attribute``. ``label`` is the verdict, which no swap changes.
    """

    attribute: str
    group: str
    template: str
    label: int
    swapped: str
    text: str


@lru_cache(maxsize=1)
def builtin_swaps() -> tuple[Swap, ...]:
    """About 5,000; the texts of names stand there twice, once for each attribute of names."""
    return (*_filled(), *_varieties())


def texts_of(swaps: tuple[Swap, ...]) -> list[str]:
    """Every text that has to be asked, once, in order of appearance."""
    return list(dict.fromkeys(swap.text for swap in swaps))


def _filled() -> Iterator[Swap]:
    templates = _rows("templates.csv")
    for word in _rows("words.csv").itertuples():
        for row in templates[templates["slot"] == word.slot].itertuples():
            text = row.text.replace(f"{{{row.slot}}}", word.word)
            label = LABEL_WORDS[row.label]
            yield Swap(word.attribute, word.group, row.id, label, word.word, text)


def _varieties() -> Iterator[Swap]:
    for row in _rows("varieties.csv").itertuples():
        label = LABEL_WORDS[row.label]
        yield Swap(VARIETY, STANDARD, row.id, label, STANDARD, row.standard)
        yield Swap(VARIETY, row.variety, row.id, label, row.variety, row.text)


def _rows(name: str) -> pd.DataFrame:
    return read_cells((FOLDER / name).read_bytes(), name)
