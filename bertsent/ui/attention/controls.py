"""What of a review's attention is looked at: the row of controls, and the maps that follow from it,
kept for everybody.
"""

from collections.abc import Sequence
from dataclasses import astuple, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from bertsent.errors import BadInput
from bertsent.probing.heads.narrowing import TokenSelection, rollout_maps, select_tokens
from bertsent.ui.shared.errors import escape_markdown

if TYPE_CHECKING:
    from bertsent.probing.attribution.units import Unit
    from bertsent.probing.heads.attention_maps import AttentionMaps
    from bertsent.probing.loaded_model import LoadedModel

SIZES = (32, 64, 128)  # tokens that are shown of a longer review; the second is usual
LAST, STRONGEST = "last", "strongest of the layer"
MEAN_OF_LAYER, MEAN_OF_ALL, ROLLOUT = "mean of the layer", "mean of all", "rollout"
PIECES, WORDS = "word pieces", "whole words"
LAYER_HELP = (
    "A BERT is a stack of layers; each reads what the layer before it wrote. Layer 1 "
    "reads the tokens."
)
HEAD_HELP = (
    "Each layer has several heads that look at the review side by side, each in its own way. "
    "Rollout multiplies all layers, "
    "each mixed half and half with what passes it by."
)
BY_HELP = (
    "For a word in several pieces: what goes to it is the sum over its pieces, what it "
    "sends "
    "is their mean."
)
MARKERS_HELP = (
    "[CLS] and [SEP] are added to every review, and many heads rest on them when they have nothing "
    "to do. Hidden, every row is "
    "scaled to sum to 1 again over the tokens that stay."
)
BOUND: dict[str, Any] = {"bind": "query-params", "persist_state": "session"}


@dataclass(frozen=True)
class ShownMatrix:
    """What is shown large: a (T, T) matrix, its name, and the layer and head it is of, from 0; None
    where it is a mean.
    """

    name: str
    matrix: np.ndarray
    layer: int | None = None
    head: int | None = None


@dataclass(frozen=True)
class Scope:
    """A stretch of a review as one model reads it. ``whole`` is how many tokens, or words, there
    are before the stretch is taken.
    """

    learner: "LoadedModel"
    text: str
    part: TokenSelection
    whole: int
    units: tuple["Unit", ...] = field(repr=False)

    @property
    def maps(self) -> "AttentionMaps":
        """The attention over the stretch.

        Raises:
            NotAvailable: the model gives no attention weights.
            BadInput: nothing is left of the review.
        """
        return _narrowed(
            self.learner.key, self.learner.max_length, self.text, astuple(self.part), self
        )

    @property
    def rollout(self) -> np.ndarray:
        """(T, T): all layers rolled out, over the stretch."""
        return select_tokens(
            rollout_maps(whole_maps(self.learner, self.text)), self.part, self.units
        ).weights[0, 0]

    def sentence(self, who: str = "") -> str:
        """Which part of the review is seen, in one line; ``who`` instead of the model's name."""
        who, named = who or self.learner.name, "words and marks" if self.part.by_words else "tokens"
        said = f"{who} · {self.whole} {named}."
        if self.part.size is not None:
            last = min(self.part.start + self.part.size, self.whole)
            said = (
                f"{who} · {named} {self.part.start + 1} to {last} of {self.whole}; every row "
                "is "
                "scaled to sum to 1 over them."
            )
        cut = len(self.learner.tokens(self.text)) == self.learner.max_length
        return (
            f"{said} The review was cut where {self.learner.name} stops reading." if cut else said
        )


def whole_maps(learner: "LoadedModel", text: str) -> "AttentionMaps":
    """The attention over all tokens of a review, kept for everybody who asks the same."""
    return _maps(learner.key, learner.max_length, text, learner)


@st.cache_data(max_entries=32, max_size="400MB", show_spinner="Looking inside …")
def _maps(key: str, max_length: int, text: str, _learner: "LoadedModel") -> "AttentionMaps":
    return _learner.attend(text)


@st.cache_data(max_entries=32, max_size="200MB", show_spinner=False)
def _narrowed(key: str, max_length: int, text: str, part: tuple, _scope: Scope) -> "AttentionMaps":
    return select_tokens(whole_maps(_scope.learner, text), _scope.part, _scope.units)


def choose_scope(learner: "LoadedModel", text: str, *, stretches: bool = True) -> Scope:
    """Draw which units are seen, whether markers are, and of a long review which stretch; within a
    row of controls.

    Without ``stretches`` all of the review is seen, whatever stretch other views show.
    """
    by = st.selectbox("Units", (PIECES, WORDS), key="units", width=150, help=BY_HELP, **BOUND)
    hidden = st.toggle("Hide [CLS] and [SEP]", key="hide", help=MARKERS_HELP, **BOUND)
    units = _units(learner, text) if by == WORDS else ()
    tokens = learner.tokens(text)
    whole = len(units) + 2 if units else len(tokens)
    whole -= sum(tokens.special) if hidden else 0
    start, size = _stretch(whole) if stretches else (0, None)
    return Scope(learner, text, TokenSelection(bool(units), hidden, start, size), whole, units)


def _units(learner: "LoadedModel", text: str) -> tuple["Unit", ...]:
    """The whole words of a review; none where the model finds none."""
    from bertsent.probing.attribution.units import segment_review

    try:
        return segment_review(learner, text).units
    except BadInput:
        return ()


def _stretch(whole: int) -> tuple[int, int | None]:
    """Draw which stretch of a long review is seen: its start, from 0, and its size."""
    if whole <= SIZES[0]:
        return 0, None
    sizes = [size for size, smaller in zip(SIZES, (0, *SIZES), strict=False) if smaller < whole]
    drop_unavailable("tokens", sizes)
    size = st.selectbox(
        "Shown",
        sizes,
        min(1, len(sizes) - 1),
        key="tokens",
        width=90,
        help="How many at once",
        **BOUND,
    )
    if size >= whole:
        return 0, None
    starts = list(range(1, whole, size))
    drop_unavailable("from", starts)
    return st.selectbox(
        "Starting at", starts, key="from", width=110, help="The first one that is shown", **BOUND
    ) - 1, size


def choose_head(learner: "LoadedModel", *, means: bool = True) -> tuple[int, str]:
    """Draw the pickers of layer and head; the layer from 0, the head as the picker says it."""
    layers = [LAST, *range(1, learner.layers + 1)]
    heads = [
        STRONGEST,
        *map(str, range(1, learner.heads + 1)),
        *((MEAN_OF_LAYER, MEAN_OF_ALL, ROLLOUT) if means else ()),
    ]
    drop_unavailable("layer", layers)
    drop_unavailable("head", heads)
    layer = st.selectbox("Layer", layers, key="layer", width=90, help=LAYER_HELP, **BOUND)
    head = st.selectbox("Head", heads, key="head", width=190, help=HEAD_HELP, **BOUND)
    return (learner.layers if layer == LAST else layer) - 1, head


def choose_tile(layer: int, head: int) -> None:
    """Take the head of a tile that was clicked, both from 1, before the page runs again."""
    st.session_state["layer"], st.session_state["head"] = layer, str(head)


def drop_unavailable(key: str, options: Sequence[object]) -> None:
    """Forget a kept choice that this model or review does not offer."""
    if st.session_state.get(key) not in (None, *options):
        st.session_state.pop(key)


def picture(scope: Scope, layer: int, head: str) -> ShownMatrix:
    """The matrix that was asked for: ``layer`` from 0, ``head`` as the picker says it."""
    if head == ROLLOUT:
        return ShownMatrix("Rollout of all layers", scope.rollout)
    return choose(scope.maps, layer, head)


def choose(maps: "AttentionMaps", layer: int, head: str) -> ShownMatrix:
    """One head or a mean of heads out of ``maps``."""
    if head == MEAN_OF_ALL:
        return ShownMatrix(f"Mean of all {maps.layers * maps.heads} heads", maps.head_mean())
    if head == MEAN_OF_LAYER:
        return ShownMatrix(
            f"Mean of the {maps.heads} heads of layer {layer + 1}", maps.head_mean(layer), layer
        )
    number = strongest_head(maps, layer) if head == STRONGEST else int(head) - 1
    return ShownMatrix(
        f"Head {layer + 1}·{number + 1}", maps.weights[layer, number].copy(), layer, number
    )


def strongest_head(maps: "AttentionMaps", layer: int) -> int:
    """The head of a layer (both from 0) with the largest weight from one word to another."""
    words = ~np.array(maps.special)
    between = words[:, None] & words[None, :] & ~np.eye(len(words), dtype=bool)  # (T, T)
    return int(np.where(between, maps.weights[layer], 0).max(axis=(1, 2)).argmax())


def show_extent(scope: Scope, who: str = "") -> None:
    """Write which part of the review is seen."""
    st.caption(escape_markdown(scope.sentence(who)))
