"""Take it apart: the way of one review from its letters to the answer, its loss and back, in parts
that open one by one. The link carries the part that was opened last. A switch puts the worked
examples of the lecture into the same parts.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import streamlit as st

from bertsent.probing.loaded_model import LoadedModel, Prediction
from bertsent.probing.part_sentences import part_sentence
from bertsent.ui.probe.take_apart.back import back_line, show_back
from bertsent.ui.probe.take_apart.before import BEFORE, TakenApart, choose_when
from bertsent.ui.probe.take_apart.code import begin_code, code_button, code_menu, code_of
from bertsent.ui.probe.take_apart.input import input_line, show_input
from bertsent.ui.probe.take_apart.layers import layers_line, show_layers
from bertsent.ui.probe.take_apart.lecture import Card, cards_line, choose_numbers, show_cards
from bertsent.ui.probe.take_apart.lecture_back import BACK_CARDS
from bertsent.ui.probe.take_apart.lecture_input import INPUT_CARDS
from bertsent.ui.probe.take_apart.lecture_layers import LAYERS_CARDS
from bertsent.ui.probe.take_apart.lecture_logits import LOGITS_CARDS
from bertsent.ui.probe.take_apart.lecture_loss import LOSS_CARDS
from bertsent.ui.probe.take_apart.lecture_text import TEXT_CARDS
from bertsent.ui.probe.take_apart.logits import logits_line, show_logits
from bertsent.ui.probe.take_apart.loss import loss_line, show_loss
from bertsent.ui.probe.take_apart.open import PART, follow_link, is_open, last_opened, toggle
from bertsent.ui.probe.take_apart.text import show_text, text_line
from bertsent.ui.probe.take_apart.walk import part_header, pause, walk_buttons
from bertsent.ui.shared import escape_markdown, result
from bertsent.ui.shared.model_picker import chosen_model
from bertsent.ui.shared.presenter import presenting
from bertsent.ui.shared.results import split_result
from bertsent.ui.shared.tabs import remember_parts
from bertsent.worked_examples.code_cells import Code


@dataclass(frozen=True)
class Part:
    """One part of the way: its word in the link, its title, what its folded line says of a review,
    what draws it, and the worked examples of the lecture that belong there.
    """

    key: str
    title: str
    line: Callable[[LoadedModel, str, Prediction], str]
    show: Callable[[LoadedModel, str, Prediction], None]
    cards: Sequence[Card]


PARTS = (
    Part("text", "Text → pieces → ids", text_line, show_text, TEXT_CARDS),
    Part("input", "Ids → input vectors", input_line, show_input, INPUT_CARDS),
    Part("layers", "Each layer", layers_line, show_layers, LAYERS_CARDS),
    Part("logits", "[CLS] → logits → probabilities", logits_line, show_logits, LOGITS_CARDS),
    Part("loss", "Which label is true? → loss", loss_line, show_loss, LOSS_CARDS),
    Part("back", "Back", back_line, show_back, BACK_CARDS),
)


def part_presented() -> bool:
    """Take up the link; true where presenter mode shows an open part. Call it before anything of
    the tab is drawn.
    """
    follow_link([part.key for part in PARTS])
    return presenting() and bool(last_opened())


def show_parts(model: LoadedModel, text: str, answer: Prediction) -> None:
    """Draw every part as one line that opens; only what is open is computed.

    Raises:
        BertsentError: the model as it was before its fine-tuning cannot be had.
    """
    keys = [part.key for part in PARTS]
    remember_parts(PART, ["", *keys])
    with st.container(
        horizontal=True, vertical_alignment="center", gap="small", key="take_apart_row"
    ):
        walk_buttons(keys)
        lecture = choose_numbers()
        taken = choose_when(model, text, answer)
        all_code = st.container(width="content")
    if taken.note:
        st.caption(escape_markdown(taken.note))
    begin_code(taken.model, text)
    for number, part in enumerate(PARTS, start=1):
        _draw(number, part, taken, lecture)
    with all_code:
        code_menu(_code(taken))


def _draw(number: int, part: Part, taken: TakenApart, lecture: bool) -> None:
    asked, widget = (taken.model, taken.text, taken.answer), f"part_{part.key}"
    # told in every run: what the widget itself keeps is lost when its label changes
    st.session_state[widget] = is_open(part.key)
    line = escape_markdown(cards_line(part.cards) if lecture else part.line(*asked))
    title = f"**{number} {part.title}** · {line}"
    box = st.expander(title, key=widget, on_change=_toggle, args=(part.key,))
    if not box.open or (presenting() and part.key != last_opened()):
        return
    with box:
        if lecture:
            with result(part.key):
                show_cards(taken.model, part.key, part.cards)
        else:
            when = f"{BEFORE}. " if taken.began else ""
            beside = part_header(part.key, when + part_sentence(part.key, *asked))
            with result(part.key):
                part.show(*asked)
            with beside:
                code_button(_code(taken), part.key)  # with what was just chosen
        split_result(part.key)


def _code(taken: TakenApart) -> Code:
    return code_of(taken.model, chosen_model(), taken.text, taken.began)


def _toggle(part: str) -> None:
    pause()
    toggle(part, bool(st.session_state[f"part_{part}"]))
