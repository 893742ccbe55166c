"""What would flip it: the fewest word changes after which the model answers otherwise, shown as
edits.
"""

import html
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from bertsent.data.cleaning import clean_text
from bertsent.ui.shared.errors import escape_markdown
from bertsent.ui.shared.jobs import JobRequest, outcome
from bertsent.ui.shared.model_picker import loaded_model
from bertsent.ui.why.carry import carry

if TYPE_CHECKING:
    from bertsent.probing.attribution.units import SegmentedReview
    from bertsent.probing.counterfactual.search import Counterfactual, CounterfactualSearch

_WAYS = {
    "neighbours": (
        "Neighbours",
        "A word becomes one of the eight nearest words in the model's own vocabulary.",
    ),
    "opposites": (
        "Opposites",
        "A word becomes its opposite from a list of some eighty pairs, such as great and terrible.",
    ),
    "delete": ("Leave out", "A word goes."),
    "not": ("Insert “not”", "“not” is put in front of a word."),
}
_CARDS = 5
_WHOLE, _AROUND = (
    60,
    12,
)  # so long a review is shown in whole; of a longer one so many words around each change
_HOW = """
Every single change of the allowed kinds is tried first, words that the answer hangs on before others. If one flips the answer, no smaller
set of changes exists. Otherwise the best five are given one more change, up to {most} (beam search), so a flip with more than one change is
the smallest that was found, not surely the smallest there is; every change that is not needed is taken back. What is shown was asked
anew, alone and as text. The idea of edits that change an answer: Ross, Marasović and Peters 2021; Ribeiro et al. 2020. *Neighbours* are
near by cosine in the word-piece embedding matrix; words in like places are near, so *good* is near *bad*. Changed reviews may be odd
English.
"""
_LOOK = (
    "<style>.flip ins {text-decoration: underline; font-weight: 600} .flip del {opacity: .6} "
    ".flip {overflow-wrap: anywhere}</style>"
)


def show_counterfactuals(name: str, text: str) -> None:
    """Draw the search for the smallest change that flips the answer of the model of that registry
    name.

    Raises:
        BertsentError: the model does not answer, or nothing may be changed.
    """
    from bertsent.data.cache import cache_key
    from bertsent.probing.attribution.units import segment_review
    from bertsent.probing.counterfactual.candidates import own_words
    from bertsent.probing.counterfactual.search import find_counterfactuals

    model = loaded_model(name)
    ways, typed = _controls()
    own = own_words(typed)
    allowed = (*ways, *(["own"] if own else []))
    if not allowed:
        st.info("Allow at least one kind of change, or type words of your own to try.")
        return
    reading = segment_review(model, text)

    def work(progress):  # noqa: ANN001, ANN202
        return find_counterfactuals(model, text, ways=allowed, own=own, progress=progress)

    key = f"flip-{cache_key(model.key, model.max_length, reading.text, allowed, own)}"
    tokens = len(reading.ids) * min(600, len(reading.units) * 14) * 2
    found = outcome(JobRequest(key, work, "Trying changes", "Search for a flip", tokens))
    if found is not None:
        _shown(found, reading)


def _controls() -> tuple[list[str], str]:
    """Draw what may be changed; gives back the ways and the words that were typed."""
    with st.container(horizontal=True, gap="medium", vertical_alignment="center"):
        ways = [
            way
            for way, (label, about) in _WAYS.items()
            if st.checkbox(
                label,
                value=True,
                key=f"flip_{way}",
                bind="query-params",
                persist_state="session",
                help=about,
            )
        ]
    typed = st.text_input(
        "Words of your own to try",
        key="flip_own",
        bind="query-params",
        persist_state="session",
        max_chars=600,
        placeholder="gripping, superb, mediocre",
        help="Parted by commas; each is tried in the place of every word.",
    )
    return ways, typed or ""


def _shown(found: "CounterfactualSearch", reading: "SegmentedReview") -> None:
    from bertsent.probing.counterfactual.search import MOST

    st.markdown(f"**{escape_markdown(headline(found))}**")
    st.html(_LOOK)
    cards = found.flips[:_CARDS] or ((found.closest,) if found.closest else ())
    for number, flip in enumerate(cards):
        _card(flip, reading, number)
    covered = (
        ""
        if found.words == found.of
        else f" Words that were changed on trial: {found.words} of {found.of}, no others."
    )
    cut = " The review goes on, but the model reads no more." if reading.cut else ""
    st.caption(
        escape_markdown(
            f"{found.tried:,} changed reviews were tried in {found.rounds} "
            f"{'round' if found.rounds == 1 else 'rounds'}.{covered}{cut}"
        )
    )
    if found.flips:
        table = _table(found)
        with st.expander(
            f"All {len(table)} flips in numbers" if len(table) > 1 else "The flip in numbers"
        ):
            st.dataframe(table, hide_index=True, key="flip_table")
    with st.container(horizontal=True, gap="small"):
        if found.flips:
            carry("flips", {"Flips": _table(found)})
        with st.popover("How is this computed?", type="tertiary"):
            st.markdown(_HOW.format(most=MOST))


def headline(found: "CounterfactualSearch") -> str:
    """What came of the search, in one line."""
    before = _answer(found.p_positive)
    if not found.flips:
        near = f" The closest came to {_answer(found.closest.p_positive)}." if found.closest else ""
        return f"Nothing that was tried flips the answer, {before}.{near}"
    best = found.flips[0]
    count = len(best.edits)
    return (
        f"{'One change flips' if count == 1 else f'{count} changes flip'} it: {before} becomes "
        f"{_answer(best.p_positive)}."
    )


def _answer(share: float) -> str:
    return f"{'POSITIVE' if share > 0.5 else 'NEGATIVE'} {100 * max(share, 1 - share):.1f} %"


def _card(flip: "Counterfactual", reading: "SegmentedReview", number: int) -> None:
    with st.container(border=True, horizontal=True, vertical_alignment="center", gap="medium"):
        with st.container():
            st.html(f'<div class="flip">{edited_html(flip, reading)}</div>')
            sign = "▲" if flip.p_positive > 0.5 else "▼"
            st.caption(
                escape_markdown(
                    f"{sign} {_answer(flip.p_positive)} · "
                    f"{'; '.join(edit.sentence() for edit in flip.edits)}"
                )
            )
        st.button(
            "Ask this one",
            key=f"flip-take-{number}",
            on_click=_take,
            args=(flip.text,),
            width="content",
        )


def _take(text: str) -> None:
    st.session_state["text"] = text


def edited_html(flip: "Counterfactual", reading: "SegmentedReview") -> str:
    """The review with its changes struck out and underlined, as HTML; of a long review what is
    around them.
    """
    changes = {edit.position: edit for edit in flip.edits}
    short = len(reading.units) <= _WHOLE
    near = (
        set(range(len(reading.units)))
        if short
        else {i for position in changes for i in range(position - _AROUND, position + _AROUND + 1)}
    )
    parts, end, gap = [], 0, False
    for number, unit in enumerate(reading.units):
        between, end = reading.text[end : unit.start], unit.end
        if number not in near:
            parts.append("" if gap else " … ")
            gap = True
            continue
        parts.append(_safe(between) if not gap else "")
        gap = False
        edit = changes.get(number)
        parts.append(_marked(unit.text, edit.before, edit.after) if edit else _safe(unit.text))
    return "".join(parts)


def _marked(word: str, before: str, after: str) -> str:
    new = f"<ins>{_safe(after)}</ins>" if after else ""
    return f"<del>{_safe(word)}</del> {new}".rstrip() if before else f"{new} {_safe(word)}"


def _safe(text: str) -> str:
    blank = (text[:1].isspace(), text[-1:].isspace())
    return (
        (" " if blank[0] else "")
        + html.escape(clean_text(text))
        + (" " if blank[1] and text.strip() else "")
    )


def _table(found: "CounterfactualSearch") -> pd.DataFrame:
    rows = [
        {
            "changes": len(flip.edits),
            "edits": "; ".join(edit.sentence() for edit in flip.edits),
            "positions": ", ".join(str(edit.position + 1) for edit in flip.edits),
            "from": ", ".join(edit.before for edit in flip.edits),
            "to": ", ".join(edit.after for edit in flip.edits),
            "P(positive)": flip.p_positive,
            "text": flip.text,
        }
        for flip in found.flips
    ]
    return pd.DataFrame(rows)
