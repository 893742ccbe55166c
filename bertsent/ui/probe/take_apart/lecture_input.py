"""The worked examples of ids → input vectors."""

import streamlit as st

from bertsent.figures.vector_strips import Strip
from bertsent.probing.forward_pass.comparison import compare
from bertsent.probing.forward_pass.own_numbers import own_numbers
from bertsent.probing.loaded_model import LoadedModel
from bertsent.ui.probe.take_apart.cards import show_inputs, style_cards
from bertsent.ui.probe.take_apart.checks import show_check
from bertsent.ui.probe.take_apart.lecture import Card
from bertsent.ui.probe.take_apart.strips import show_strips
from bertsent.ui.shared import escape_markdown
from bertsent.worked_examples.input_sum import MY_DOG, MY_DOG_SUM
from bertsent.worked_examples.word_vectors import PARIS_VECTORS
from bertsent.worked_examples.worked_example import Values, WorkedExample


def _rows(model: LoadedModel, found: Values) -> None:
    """The tokens with what each table is asked for."""
    inputs = found["inputs"]
    style_cards()
    rows = {"id": inputs.ids, "segment": inputs.segments, "position": range(len(inputs))}
    show_inputs(inputs, rows, alt=f"{len(inputs)} tokens with ids, segments and positions")


def _sum(model: LoadedModel, found: Values) -> None:
    """The rows of the chosen token and their sum."""
    inputs, place = found["inputs"], found["place"]
    _pick_token(MY_DOG_SUM, inputs.pieces, place)
    parts = [Strip(name, row, "added") for name, row in found["parts"].items()]
    show_strips(
        f"The vectors of token {place}, “{found['piece']}”",
        [*parts, Strip("sum", found["summed"][place], "added")],
        "my_dog_strips",
        "The vectors are added number by number; point at one to read all of them.",
        "take_apart_input",
        columns=True,
    )
    own = own_numbers(model, inputs)
    show_check(compare(f"Sums of all {len(inputs)} tokens", found["summed"], own.summed))


def _vectors(model: LoadedModel, found: Values) -> None:
    """The last vectors of [CLS] and of the chosen token."""
    inputs, place, hidden = found["inputs"], found["place"], found["hidden"]
    _pick_token(PARIS_VECTORS, inputs.pieces, place)
    shown = sorted({0, place})
    show_strips(
        "Vectors of the last layer",
        [Strip(f"{each} {inputs.pieces[each]}", hidden[each], "last") for each in shown],
        "paris_vectors_strips",
        "Each strip is the vector of a token; point at a number to read it.",
        "take_apart_input",
        columns=True,
    )
    show_check(compare("All last vectors", hidden, own_numbers(model, inputs).hidden[-1]))


def _pick_token(example: WorkedExample, pieces: tuple[str, ...], place: int) -> None:
    """Buttons that choose a token, as its box does."""
    key = f"{example.key}_place"

    def choose() -> None:
        st.session_state[key] = str(st.session_state[f"{key}_pills"])

    st.session_state[f"{key}_pills"] = place
    st.pills(
        "Choose a token",
        range(len(pieces)),
        required=True,
        wrap=True,
        format_func=lambda each: escape_markdown(f"{each} {pieces[each]}"),
        key=f"{key}_pills",
        on_change=choose,
    )


INPUT_CARDS = (
    Card(MY_DOG, _rows, wide=True),
    Card(MY_DOG_SUM, _sum),
    Card(PARIS_VECTORS, _vectors),
)
