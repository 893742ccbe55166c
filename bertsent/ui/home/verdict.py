"""The verdict on the review, and its words coloured by what each of them adds."""

import html

import streamlit as st

from bertsent.figures.colours import NEGATIVE, POSITIVE
from bertsent.probing.answer import plain_answer
from bertsent.probing.attribution.parts import PartAttributions, attribute_parts
from bertsent.probing.loaded_model import LoadedModel
from bertsent.ui.home.tiles import tile
from bertsent.ui.shared import BY_CONTENT, escape_markdown
from bertsent.ui.shared.frame import PROBE
from bertsent.written_numbers import written

FULL = 3.0  # of log-odds: what adds so much has the full colour
FAINT = 0.1  # what adds less has none, and no number
STRONGEST = 0.45  # opacity of the full colour: words stay readable on it, light and dark
NUMBERED = 24  # up to so many parts have their number below them
SHORT = 45  # characters: up to so many are written larger
LONG = 18  # characters: what is longer may go over two lines
LEGEND = (
    f'<div class="home-legend"><span><b style="color:{POSITIVE}">+</b> towards positive</span>'
    f'<span><b style="color:{NEGATIVE}">−</b> towards negative</span><span>log-odds</span></div>'
)
ABOUT = (
    "A word adds something on its own and something else to the rest of the review. The number is "
    "the mean of both, in log-odds: above 0 it speaks for a positive review, below 0 for a "
    "negative one."
)


def show_verdict(model: LoadedModel, text: str) -> None:
    """Draw the tile."""
    with tile("verdict", PROBE.file, "What each word adds", ABOUT, probe="Why"):
        found = attributed(model, text)
        st.html(verdict_html(found))
        st.caption(escape_markdown(found.sentence()))


@st.cache_data(max_entries=500, show_spinner=False, hash_funcs=BY_CONTENT)
def attributed(model: LoadedModel, text: str) -> PartAttributions:
    """What each part of the review adds, remembered for everybody."""
    return attribute_parts(model, text)


def verdict_html(found: PartAttributions) -> str:
    """The answer, how probable either label is as a bar, and the words with what they add."""
    share = 100 * (1 - found.p_positive)
    short = " short" if len(found.review.text) <= SHORT else ""
    return (
        f'<div class="home-verdict">{html.escape(found.title())}</div>'
        f'<div class="home-bar" aria-hidden="true"><i style="width:{share:.1f}%"></i></div>'
        f'<div class="home-words{short}" tabindex="0">{words_html(found)}</div>{LEGEND}'
    )


def words_html(found: PartAttributions) -> str:
    """The review as HTML: every part on its colour, with its number or sign below it."""
    text, end, parts = found.review.text, 0, []
    for (start, stop), added, without, alone in zip(
        found.spans, found.added, found.p_without, found.p_alone, strict=True
    ):
        said = f"alone: {plain_answer(alone)}; without it: {plain_answer(without)}"
        word = html.escape(text[start:stop])
        sign = _number(added) if len(found.spans) <= NUMBERED else _sign(added)
        parts.append(html.escape(text[end:start]))
        style = f'class="{"long" if stop - start > LONG else ""}" style="{_ground(added)}"'
        parts.append(f'<ruby {style} title="{said}">{word}<rt>{sign}</rt></ruby>')
        end = stop
    return "".join(parts) + html.escape(text[end:])


def _ground(added: float) -> str:
    if abs(added) < FAINT:
        return ""
    colour = POSITIVE if added > 0 else NEGATIVE
    share = 100 * STRONGEST * min(1.0, abs(added) / FULL)
    return f"background:color-mix(in srgb, {colour} {share:.0f}%, transparent)"


def _number(added: float) -> str:
    return "" if abs(added) < FAINT else written(added, "+.1f")


def _sign(added: float) -> str:
    return "" if abs(added) < 1 else "+" if added > 0 else "−"
