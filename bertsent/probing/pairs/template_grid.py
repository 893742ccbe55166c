"""A template and two lists of words in, P(negative) of every combination out: where does irony
begin?

After the templates of CheckList (Ribeiro et al. 2020, section 2.2), as a grid that is seen as a
whole. Each sentence, and the opener and the rest by themselves, go through the model alone, so that
a cell is to the last bit what the same sentence gets when it is typed: in a batch 32-bit sums
differ from the sixth digit on.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from bertsent.data.cleaning import typed_review
from bertsent.errors import BadInput
from bertsent.probing.loaded_model import LoadedModel
from bertsent.progress import Progress, no_progress

MOST_WORDS, MOST_CELLS, LONGEST = 24, 300, 60
SLOTS = ("opener", "adj", "noun")
COLUMNS = (
    "template",
    "noun",
    "opener",
    "adj",
    "text",
    "p_negative",
    "p_opener_alone",
    "p_rest_alone",
)
_SLOT = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True)
class GridTemplate:
    """What is asked. Checked when made.

    Raises:
        BadInput: a slot is missing or unknown, a list is empty, too long or has a word twice.
    """

    template: str
    openers: tuple[str, ...]
    adjectives: tuple[str, ...]
    noun: str = "movie"

    def __post_init__(self) -> None:
        slots = _SLOT.findall(self.template)
        BadInput.raise_if(
            set(slots) - set(SLOTS) or re.search(r"[{}]", _SLOT.sub("", self.template)),
            "The template has an unknown slot.",
            "Use {opener}, {adj} and {noun}.",
        )
        BadInput.raise_if(
            {"opener", "adj"} - set(slots),
            "The template needs {opener} and {adj}.",
            "For example: {opener}, another {adj} {noun}.",
        )
        BadInput.raise_if(
            len(self.template) > 5 * LONGEST or len(self.noun) > LONGEST,
            "The template or the noun is too long.",
            f"Use at most {5 * LONGEST} and {LONGEST} characters.",
        )
        BadInput.raise_if(
            "noun" in slots and not self.noun.strip(),
            "The template has a {noun}, but there is none.",
            "Type one.",
        )
        _check_words("openers", self.openers)
        _check_words("adjectives", self.adjectives)
        BadInput.raise_if(
            len(self.openers) * len(self.adjectives) > MOST_CELLS,
            f"The grid has more than {MOST_CELLS} cells.",
            "Use fewer openers or adjectives.",
        )

    def fill(self, opener: str, adjective: str) -> str:
        """The sentence of one cell."""
        words = {"opener": opener, "adj": adjective, "noun": self.noun}
        return _SLOT.sub(lambda slot: words[slot[1]], self.template)

    def rest(self, adjective: str) -> str:
        """The sentence without its opener."""
        left = re.sub(r"\s+", " ", self.fill("", adjective)).strip()
        return re.sub(r"^[\s,;:.!?–—-]+", "", left) or adjective

    @property
    def texts(self) -> list[str]:
        """All sentences, row by row: a row an opener, a column an adjective."""
        return [
            self.fill(opener, adjective) for opener in self.openers for adjective in self.adjectives
        ]


@dataclass(frozen=True)
class IronyGrid:
    """The answers: P(negative) of each sentence (n, m), of each opener alone (n,), of each sentence
    without its opener (m,).
    """

    plan: GridTemplate
    p_negative: np.ndarray
    openers_alone: np.ndarray
    rest_alone: np.ndarray

    @property
    def against_opener(self) -> np.ndarray:
        """(n, m): where the answer goes against the opener alone."""
        return (self.p_negative >= 0.5) != (self.openers_alone >= 0.5)[:, None]

    @property
    def against_both(self) -> np.ndarray:
        """(n, m): where neither the opener alone nor the rest alone gets the answer of both."""
        rest = (self.rest_alone >= 0.5)[None, :]
        return self.against_opener & ((self.p_negative >= 0.5) != rest)

    def parts_sentence(self, row: int, column: int) -> str:
        """What the model says to the parts of one sentence, and whether the whole differs."""
        opener, rest = self.openers_alone[row], self.rest_alone[column]
        said = (
            f"The opener alone is negative with {100 * opener:.1f} %, the rest alone with "
            f"{100 * rest:.1f} %."
        )
        if self.against_both[row, column]:
            return f"{said} Together they get the answer that neither gets alone."
        return f"{said} The opener is overruled." if self.against_opener[row, column] else said

    def sentence(self) -> str:
        """In how many sentences the answer goes against the opener."""
        against = self.against_opener
        count, both = int(against.sum()), int(self.against_both.sum())
        if not count:
            return f"In none of the {against.size} sentences does the answer go against the opener."
        rows = against.sum(axis=1)
        most = self.plan.openers[int(rows.argmax())]
        said = (
            f"In {count} of {against.size} sentences the answer goes against the opener alone (*), "
            f"most often after “{most}” ({int(rows.max())})."
        )
        neither = f" In {both} neither part alone gets the answer that both together get."
        return said + neither if both else said

    def frame(self) -> pd.DataFrame:
        """One row per cell, columns ``COLUMNS``; ``grid_from_table`` reads it back."""
        plan, (n, m) = self.plan, self.p_negative.shape
        values = (
            plan.template,
            plan.noun,
            [opener for opener in plan.openers for _ in range(m)],
            plan.adjectives * n,
            plan.texts,
            self.p_negative.ravel(),
            np.repeat(self.openers_alone, m),
            np.tile(self.rest_alone, n),
        )
        return pd.DataFrame(dict(zip(COLUMNS, values, strict=True)))


def irony_grid(
    model: LoadedModel, plan: GridTemplate, *, progress: Progress = no_progress
) -> IronyGrid:
    """Ask for every cell, every opener and every rest.

    Args:
        model: the model that answers.
        plan: the template and its words.
        progress: called with a fraction from 0 to 1; may raise ``Cancelled``.

    Raises:
        NotAvailable: the model has no trained head.
    """
    n, m = len(plan.openers), len(plan.adjectives)
    texts = [*plan.texts, *plan.openers, *map(plan.rest, plan.adjectives)]
    p = np.empty(len(texts))
    for place, text in enumerate(texts):
        progress(place / len(texts))
        p[place] = model.probabilities([text])[0, 0]
    return IronyGrid(plan, p[: n * m].reshape(n, m), p[n * m : n * m + n], p[n * m + n :])


def grid_from_table(table: pd.DataFrame) -> IronyGrid:
    """A grid back from its table, as ``frame`` or a download of it gives it.

    Raises:
        BadInput: it is not a grid, or incomplete.
    """
    BadInput.raise_if(
        set(COLUMNS) - set(table) or not len(table),
        "This is not an irony grid.",
        f"It needs the columns {', '.join(COLUMNS)} and one row per cell.",
    )
    # a download writes an apostrophe before what a spreadsheet would take for a formula
    words = table[list(COLUMNS[:4])].map(lambda cell: re.sub(r"^'(?=[=+\-@])", "", str(cell)))
    openers, adjectives = (tuple(words[name].unique()) for name in ("opener", "adj"))
    plan = GridTemplate(words["template"].iloc[0], openers, adjectives, words["noun"].iloc[0])
    whole = list(zip(words["opener"], words["adj"], strict=True)) == [
        (o, a) for o in openers for a in adjectives
    ]
    values = table[list(COLUMNS[5:])].apply(pd.to_numeric, errors="coerce").to_numpy(float)
    BadInput.raise_if(
        not whole or not ((values >= 0) & (values <= 1)).all(),
        "The grid is incomplete.",
        "Each opener needs a row for each adjective, in order, with numbers from 0 to 1.",
    )
    cells = values.reshape(len(openers), len(adjectives), 3)
    return IronyGrid(plan, cells[:, :, 0], cells[:, 0, 1], cells[0, :, 2])


def lines_of(text: str) -> tuple[str, ...]:
    """Typed text as one entry per line, without blanks around and without empty lines."""
    return tuple(line.strip() for line in text.splitlines() if line.strip())


def _check_words(name: str, words: Sequence[str]) -> None:
    BadInput.raise_if(not words, f"There are no {name}.", "Write at least one, one per line.")
    BadInput.raise_if(
        len(words) > MOST_WORDS,
        f"There are {len(words)} {name}; the limit is {MOST_WORDS}.",
        "Leave some out.",
    )
    for word in words:
        short, too_long = word[:LONGEST], f"Use at most {LONGEST} characters."
        BadInput.raise_if(
            words.count(word) > 1, f"“{short}” is twice among the {name}.", "Leave one out."
        )
        BadInput.raise_if(len(word) > LONGEST, f"“{short}…” is too long for the {name}.", too_long)
        typed_review(word, LONGEST)
