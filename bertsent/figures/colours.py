"""The one palette, and the one way user text enters a figure: text in, text out that Plotly shows
literally.

Colours are Okabe and Ito's (https://jfly.uni-koeln.de/color/), which people with any common colour
vision tell apart.
Colour never speaks alone: whoever uses one of these adds a label, a sign or a shape.
"""

import html
import textwrap
from dataclasses import dataclass

from bertsent.data.cleaning import clean_text
from bertsent.data.examples import LABELS

NEGATIVE, POSITIVE, UNDECIDED, HIGHLIGHT = "#D55E00", "#0072B2", "#7F7F7F", "#E69F00"
CLUSTERS = (
    "#009E73",
    "#CC79A7",
    "#56B4E9",
    "#F0E442",
    "#AA4499",
    "#999933",
    "#44AA99",
    "#B07B4F",
)  # for K-Means; none is a sentiment
TRAINING, VALIDATION = "#009E73", "#CC79A7"  # the curves of a run, which are no sentiments
ATTENTION_SCALE = "Cividis"  # sequential: 0 is no attention
CHANGE_SCALE = "PuOr"  # diverging: whoever uses it puts zero in the middle
MORE, LESS = "#5E3C99", "#E66101"  # the ends of CHANGE_SCALE
CLEAR = "rgba(0,0,0,0)"  # every figure's background, so that the page's own theme shows through
QUIET = "#8A8A8A"  # rules, frames and the learning rate: seen on light and on dark


@dataclass(frozen=True)
class Palette:
    """Which colour stands for which sentiment."""

    name: str
    negative: str
    positive: str
    undecided: str = UNDECIDED

    def of(self, label: str | int | None) -> str:
        """The colour of "NEGATIVE"/0, "POSITIVE"/1, or of anything else: undecided."""
        return dict(zip((*LABELS, 0, 1), (self.negative, self.positive) * 2, strict=True)).get(
            label, self.undecided
        )


SAFE = Palette("colour-blind safe", NEGATIVE, POSITIVE)
PAPER = Palette(
    "as in the paper: red positive, blue negative", negative="#2B5BD7", positive="#D62728"
)


def escape(text: str) -> str:
    """The text with everything that Plotly would read as markup, formula or template made literal.

    Plotly knows few entities by name (not ``&quot;``), so quotes stay; ``$`` would start MathJax
    and ``%{`` a template field.
    """
    return html.escape(text, quote=False).replace("$", "&#36;").replace("{", "&#123;")


def wrapped(text: str, width: int = 60, lines: int = 8) -> str:
    """A review for a hover box: at most ``lines`` escaped lines of at most ``width`` characters,
    joined by ``<br>``.

    Where something is left out, the last line ends with an ellipsis.
    """
    cut = textwrap.wrap(
        clean_text(text)[: width * (lines + 1) + 1], width, max_lines=lines, placeholder="…"
    )
    return "<br>".join(escape(line) for line in cut)
