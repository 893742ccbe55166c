"""What the tabs of Attention share: the slim row of controls below the figure, and the maps that
follow from it, kept for everybody.
"""

from dataclasses import astuple, dataclass, field
from typing import TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from bertsent.errors import BadInput
from bertsent.probing.attribution.units import Unit, segment_review
from bertsent.probing.heads.attention_maps import AttentionMaps, TokenSelection
from bertsent.probing.heads.attention_matrix import (
    ROLLOUT,
    AttentionMatrix,
    attention_matrix,
    rollout_matrix,
)
from bertsent.probing.loaded_model import LoadedModel
from bertsent.probing.registry import BUILTIN, shipped
from bertsent.ui.shared import LINKED, escape_markdown, select, settings
from bertsent.ui.shared.head_pickers import short_select
from bertsent.ui.shared.review_numbers import whole_maps

T = TypeVar("T")
SIZES = (32, 64, 128)  # tokens that are shown of a longer review; the first is usual
PIECES, WORDS = "word pieces", "whole words"
BY_HELP = (
    "For a word of several pieces, attention to it is the sum over its pieces, attention from it "
    "is their mean."
)
MARKERS_HELP = (
    "[CLS] and [SEP] are added to every review, and many heads attend to them when nothing else "
    "is relevant. With them hidden, every row is rescaled to sum to 1 over the remaining tokens: "
    "the numbers are shares among those tokens, not the model's weights."
)


@dataclass(frozen=True)
class Scope:
    """A stretch of a review as one model reads it. ``whole`` is how many tokens, or words, there
    are before the stretch is taken.
    """

    model: LoadedModel
    text: str
    selection: TokenSelection
    whole: int
    units: tuple[Unit, ...] = field(repr=False)

    @property
    def key(self) -> tuple[object, ...]:
        """What its maps depend on."""
        return (self.model.key, self.model.max_length, self.text, astuple(self.selection))

    @property
    def maps(self) -> AttentionMaps:
        """The attention over the stretch.

        Raises:
            NotAvailable: the model gives no attention weights.
            BadInput: nothing is left of the review.
        """
        return _selected_maps(self.key, self)

    def matrix(self, layer: int, head: str) -> AttentionMatrix:
        """What is shown large: ``layer`` from 0, ``head`` as the picker names it."""
        if head == ROLLOUT:
            return rollout_matrix(whole_maps(self.model, self.text), self.selection, self.units)
        return attention_matrix(self.maps, layer, head)

    def sentence(self, who: str = "") -> str:
        """Which part of the review is seen; ``who`` instead of the model's name."""
        who, selection = who or self.model.name, self.selection
        named = "words and marks" if selection.by_words else "tokens"
        said = f"{who} · {self.whole} {named}."
        if selection.size is not None:
            last = min(selection.start + selection.size, self.whole)
            said = f"{who} · {named} {selection.start + 1} to {last} of {self.whole}."
        if selection.hidden or selection.size is not None:
            said += " Rows are renormalised over the tokens shown: shares, not the model’s weights."
        if self.model.is_cut(self.text):
            said += f" The review was cut at the length limit of {self.model.name}."
        return said


@st.cache_data(max_entries=32, max_size="200MB", show_spinner=False)
def _selected_maps(key: tuple[object, ...], _scope: Scope) -> AttentionMaps:
    return whole_maps(_scope.model, _scope.text).select(_scope.selection, _scope.units)


def ask_fine_tuned(words: str) -> None:
    """Draw, in place of a result, what is missing, and the button that takes the built-in model."""
    st.info(words)
    if shipped():
        st.button(
            "Take the built-in model",
            key="take_builtin",
            type="primary",
            on_click=st.session_state.update,
            args=({"model": BUILTIN},),
        )


def plain_row() -> DeltaGenerator:
    """The slim row of controls of a tab that has no rare ones."""
    return st.container(
        horizontal=True, gap="small", vertical_alignment="center", key="attention_controls"
    )


def controls_row() -> tuple[DeltaGenerator, DeltaGenerator]:
    """The slim row of controls, and at its end the popover for the rare ones."""
    with st.container(horizontal=True, gap="small", vertical_alignment="center", wrap=False):
        return plain_row(), settings()


def choose_scope(
    model: LoadedModel, text: str, rare: DeltaGenerator, *, stretches: bool = True
) -> Scope:
    """Draw which units are seen, and of a long review which stretch, in the row of controls, and
    among the ``rare`` settings whether markers are.

    Without ``stretches`` all of the review is seen, whatever stretch other tabs show, and the units
    are a rare choice as well.
    """
    if stretches:
        by = select("Units", (PIECES, WORDS), "units", width=135, label_visibility="collapsed")
    else:
        with rare:
            by = select("Units", (PIECES, WORDS), "units", help=BY_HELP)
    with rare:
        hidden = st.toggle("Hide [CLS] and [SEP]", key="hide", help=MARKERS_HELP, **LINKED)
    units = _units(model, text) if by == WORDS else ()
    tokens = model.tokens(text)
    whole = len(units) + 2 if units else len(tokens)
    whole -= sum(tokens.special) if hidden else 0
    start, size = _stretch(whole, rare) if stretches else (0, None)
    return Scope(model, text, TokenSelection(bool(units), hidden, start, size), whole, units)


def _units(model: LoadedModel, text: str) -> tuple[Unit, ...]:
    try:
        return segment_review(model, text).units
    except BadInput:
        return ()


def _stretch(whole: int, rare: DeltaGenerator) -> tuple[int, int | None]:
    """Draw which stretch of a long review is seen, and among the ``rare`` settings how long it is:
    its start, from 0, and its size.
    """
    if whole <= SIZES[0]:
        return 0, None
    sizes = [size for size, smaller in zip(SIZES, (0, *SIZES), strict=False) if smaller < whole]
    with rare:
        size = select("Tokens shown at once", sizes, "tokens")
    if size >= whole:
        return 0, None
    start = short_select(
        "From", range(1, whole, size), "from", width=85, help="The first token that is shown"
    )
    return start - 1, size


def chosen_head(model: LoadedModel) -> tuple[int, int] | None:
    """The head that the other tabs show, from 0, where it is one."""
    layer, head = st.session_state.get("layer"), str(st.session_state.get("head"))
    if not isinstance(layer, int) or not head.isdecimal():
        return None
    known = 0 < layer <= model.layers and 0 < int(head) <= model.heads
    return (layer - 1, int(head) - 1) if known else None


def show_extent(scope: Scope, who: str = "") -> None:
    """Write which part of the review is seen."""
    st.caption(escape_markdown(scope.sentence(who)))
