"""Take it apart: the way of one review from its letters to the answer, its loss and back, in parts
that open one by one. The link carries the part that was opened last. A switch puts the worked
examples of the lecture into the same parts.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import streamlit as st

from bertsent.probing.loaded_model import LoadedModel, Prediction
from bertsent.ui.probe.take_apart_lecture import Card, cards_line, choose_numbers, show_cards
from bertsent.ui.probe.take_apart_lecture_logits import LOGITS_CARDS
from bertsent.ui.probe.take_apart_logits import logits_line, show_logits
from bertsent.ui.probe.take_apart_text import show_text, text_line
from bertsent.ui.shared import escape_markdown, result
from bertsent.ui.shared.links import set_in_link

PART = "part"  # of the link


@dataclass(frozen=True)
class Part:
    """One part of the way: its word in the link, its title, what its folded line says of a review,
    what draws it, and the worked examples of the lecture that belong there.
    """

    key: str
    title: str
    line: Callable[[LoadedModel, str, Prediction], str]
    show: Callable[[LoadedModel, str, Prediction], None]
    cards: Sequence[Card] = ()


PARTS = (
    Part("text", "Text → pieces → ids", text_line, show_text),
    Part("logits", "[CLS] → logits → probabilities", logits_line, show_logits, LOGITS_CARDS),
)


def show_parts(model: LoadedModel, text: str, answer: Prediction) -> None:
    """Draw every part as one line that opens; only what is open is computed."""
    linked = st.query_params.get(PART)
    lecture = choose_numbers()
    for number, part in enumerate(PARTS, start=1):
        key = f"part_{part.key}"
        line = cards_line(part.cards) if lecture else part.line(model, text, answer)
        box = st.expander(
            f"**{number} {part.title}** · {escape_markdown(line)}",
            expanded=part.key == linked,
            key=key,
            on_change=_keep_in_link,
            args=(part.key,),
        )
        if box.open and lecture:
            with box:
                show_cards(model, part.key, part.cards)
        elif box.open:
            with box, result(part.key):
                part.show(model, text, answer)


def _keep_in_link(part: str) -> None:
    set_in_link(PART, part if st.session_state[f"part_{part}"] else None)
