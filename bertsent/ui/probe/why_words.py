"""The words of a review, coloured by three attributions of its answer: one line of text a method,
so that the review stays readable and wraps on any screen.
"""

import html
from collections.abc import Mapping

import pandas as pd

from bertsent.figures.colours import CLUSTERS, NEGATIVE, POSITIVE
from bertsent.probing.attribution.attributions import ATTENTION, GRADIENTS, LEAVE_ONE_OUT
from bertsent.written_numbers import written

LARGE, NUMBERED = 10, 32  # so many words are drawn large, and carry their number
NAMED = 5  # of a longer text only the strongest do
DEEPEST = 60  # percent of the colour that the strongest word gets: text on it stays readable
TITLES = {  # short, and what it says
    LEAVE_ONE_OUT: (
        "Leave-one-out",
        "P(positive) of the review minus P(positive) without the word, in percentage points",
    ),
    GRADIENTS: (
        "Integrated gradients",
        "What the word adds to P(positive) beside an empty review, in percentage points",
    ),
    ATTENTION: (
        "Attention",
        "Which share of its attention the model's summary of the review gives to the word; it has "
        "no direction",
    ),
}
STYLE = """<style>
.why {margin: 0; padding: 0; display: grid; gap: 0.9rem 1.2rem; align-items: center;
  grid-template-columns: minmax(8rem, max-content) 1fr}
.why div {font-size: 0.9rem; line-height: 1.25; margin: 0}
.why div small {display: block; opacity: 0.75}
.why p {margin: 0; font-size: 1.3rem; display: flex; flex-wrap: wrap; gap: 0.3rem}
.why span {border-radius: 0.3rem; padding: 0.1rem 0.45rem; text-align: center; line-height: 1.35;
  max-width: 100%; overflow-wrap: anywhere}
.why span small {display: block; font-size: 0.8rem; font-variant-numeric: tabular-nums}
.why.short p {font-size: 1.75rem}
.why.long p {font-size: 1rem; gap: 0.1rem}
.why.long span {padding: 0 0.2rem}
.why.long span small {display: inline; margin-left: 0.2rem}
@media (max-width: 640px) {.why {grid-template-columns: 1fr; gap: 0.3rem} .why p, .why.short p {
  font-size: 1.05rem; margin-bottom: 0.4rem}}
</style>"""


def words_html(table: pd.DataFrame, details: Mapping[str, str]) -> str:
    """Three rows of words; blue and + speak for positive, orange and − for negative.

    Args:
        table: position, word and the three attributions, one row a word.
        details: by attribution, what stands in small letters below its name.
    """
    rows = "".join(
        f'<div title="{html.escape(about)}"><b>{short}</b>'
        f"<small>{html.escape(details[column])}</small></div>"
        f"<p>{_words(table, column)}</p>"
        for column, (short, about) in TITLES.items()
    )
    size = "long" if len(table) > NUMBERED else "short" if len(table) <= LARGE else "usual"
    return f'{STYLE}<div class="why {size}">{rows}</div>'


def _words(table: pd.DataFrame, column: str) -> str:
    values = 100 * table[column]
    sizes = values.abs()
    top = max(float(sizes.max()), 1e-9)
    named = set(sizes.nlargest(NAMED if len(table) > NUMBERED else len(table)).index)
    return "".join(
        f'<span style="background: {_colour(column, value, top)}" '
        f'title="{_number(column, value)} {"%" if column == ATTENTION else "points"}">'
        f"{html.escape(str(word))}"
        f"{f'<small>{_number(column, value)}</small>' if place in named else ''}</span>"
        for place, word, value in zip(table.index, table["word"], values, strict=True)
    )


def _colour(column: str, value: float, top: float) -> str:
    colour = CLUSTERS[0] if column == ATTENTION else POSITIVE if value > 0 else NEGATIVE
    return f"color-mix(in srgb, {colour} {DEEPEST * abs(value) / top:.0f}%, transparent)"


def _number(column: str, value: float) -> str:
    """In percent or points, with a true minus sign."""
    digits = 0 if abs(value) >= 9.95 else 1
    if column == ATTENTION:
        return f"{value:.{digits}f} %"
    return "0" if abs(value) < 0.05 else written(value, f"+.{digits}f")
