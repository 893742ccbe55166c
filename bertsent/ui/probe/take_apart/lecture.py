"""The lecture's numbers in the parts of the way: worked examples as cards with inputs that can be
changed, beside what their sources print.

What was typed lives in the link and in the session, right or wrong; where it cannot be used, the
card says why and keeps showing what it could use last.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

import numpy as np
import streamlit as st

from bertsent.errors import BadInput
from bertsent.figures.number_grids import Grid, number_grids
from bertsent.probing.loaded_model import LoadedModel
from bertsent.ui.shared import BY_CONTENT, escape_markdown, result, show_error, show_errors
from bertsent.ui.shared.links import linked_segments, linked_table, linked_text
from bertsent.worked_examples.worked_example import (
    Input,
    Quantity,
    Values,
    WorkedExample,
    agreements,
)
from bertsent.worked_examples.written_numbers import listed

NUMBERS, REVIEW, LECTURE = "numbers", "review", "lecture"
NAMES = {REVIEW: "My review", LECTURE: "The lecture's numbers"}
LONGEST = 2_000  # characters of a box
ROW = (
    "The numbers of the course's list: 001-19 is the nineteenth thing that source 001 shows. What "
    "a source got wrong is a slip with a number of its own."
)


@dataclass(frozen=True)
class Card:
    """A worked example and what draws its picture from values and results, if it has one: beside
    its numbers, or where it is ``wide``, above them.
    """

    example: WorkedExample
    draw: Callable[[LoadedModel, Values], None] | None = None
    wide: bool = False


def choose_numbers() -> bool:
    """The switch above the parts; True for the lecture's numbers. The link carries it."""
    chosen = linked_segments("Numbers", NAMES, key=NUMBERS, label_visibility="collapsed")
    return chosen == LECTURE


def cards_line(cards: Sequence[Card]) -> str:
    """What the folded line of a part says of its worked examples."""
    rows = dict.fromkeys(row for card in cards for row in card.example.rows)
    how_many = "1 worked example" if len(cards) == 1 else f"{len(cards)} worked examples"
    return f"{how_many}: {', '.join(rows)}"


def show_cards(model: LoadedModel, part: str, cards: Sequence[Card]) -> None:
    """Draw the worked examples of a part, each a result of its own."""
    for card in cards:
        with _frame(card.example, f"{part}_{card.example.key}"):
            _show_card(model, card)


@contextmanager
def _frame(example: WorkedExample, name: str) -> Iterator[None]:
    """The card around a worked example, a result by this name; wide tables scroll inside it."""
    key = f"worked_example_{example.key}"
    with result(name), st.container(border=True, key=key), show_errors():
        yield


def _show_card(model: LoadedModel, card: Card) -> None:
    example = card.example
    work = (
        partial(_results_of_model, example, example.key, model)
        if example.of_model
        else example.results
    )
    _show(example, work, partial(_show_work, model, card))


def show_example(example: WorkedExample, picture: Callable[[Values], None] | None = None) -> None:
    """Draw a worked example that asks no model, a result of its own, with its ``picture`` above
    its numbers.
    """

    def draw(found: Values) -> None:
        if picture is not None:
            picture(found)
        _quantities(example, found)

    with _frame(example, example.key):
        _show(example, example.results, draw)


def _show(
    example: WorkedExample,
    work: Callable[[Mapping[str, str]], Values],
    draw: Callable[[Values], None],
) -> None:
    """Heading and boxes, slips, what ``draw`` makes of values and results, and the finding."""
    typed = _heading_and_inputs(example)
    found, message = _results(work, example, typed)
    for slip in example.slips:
        st.markdown(f":orange-badge[slip {slip.number}] {escape_markdown(slip.sentence)}")
    if message is not None:
        show_error(message)
    if found is None:
        return
    draw(found)
    if example.finding is not None:
        st.caption(escape_markdown(example.finding(found)))


def _show_work(model: LoadedModel, card: Card, found: Values) -> None:
    """The picture and the results."""
    if card.draw is None:
        return _quantities(card.example, found)
    if card.wide:
        card.draw(model, found)
        return _quantities(card.example, found)
    numbers, picture = st.columns([6, 5])
    with picture:
        card.draw(model, found)
    with numbers:
        _quantities(card.example, found)


def _heading_and_inputs(example: WorkedExample) -> dict[str, str]:
    """What the source shows, and the boxes; what is typed by name."""
    badges = " ".join(f":blue-badge[{row}]" for row in example.rows)
    heading = st.container(
        horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"
    )
    heading.markdown(f"**{escape_markdown(example.title)}** {badges}", help=ROW, width="content")
    st.caption(escape_markdown(f"{example.source}. {example.says}"))
    with st.container(horizontal=True, vertical_alignment="top"):
        typed = {each.name: _box(example, each) for each in example.inputs}
    heading.button(
        "As in the lecture",
        key=f"{example.key}_as_in_the_lecture",
        type="tertiary",
        disabled=typed == example.typed(),
        on_click=_restore,
        args=(example,),
    )
    return typed


def _box(example: WorkedExample, given: Input) -> str:
    key = _key(example, given)
    if given.columns:
        return linked_table(given.label, given.lecture, given.columns, key=key, longest=LONGEST)
    if given.choices:
        return linked_segments(
            given.label, {each: each for each in given.choices}, key=key, usual=given.lecture
        )
    return linked_text(given.label, given.lecture, key=key, longest=LONGEST, lines=given.lines)


def _key(example: WorkedExample, given: Input) -> str:
    return f"{example.key}_{given.name}"


def _restore(example: WorkedExample) -> None:
    for each in example.inputs:
        st.session_state[_key(example, each)] = each.lecture


def _results(
    work: Callable[[Mapping[str, str]], Values], example: WorkedExample, typed: Mapping[str, str]
) -> tuple[Values | None, BadInput | None]:
    """Values and results of what is typed; where it cannot be used, of what could be last, and
    why.
    """
    kept = f"{example.key}_kept"
    try:
        found = work(typed)
    except BadInput as error:
        last = st.session_state.get(kept, example.typed())
        what = BadInput(error.what, f"{error.remedy} Until then the last numbers stay below.")
        return work(last), what
    st.session_state[kept] = dict(typed)
    return found, None


@st.cache_data(
    max_entries=16, max_size="50MB", show_spinner="Asking the model …", hash_funcs=BY_CONTENT
)
def _results_of_model(
    _example: WorkedExample, key: str, model: LoadedModel, typed: Mapping[str, str]
) -> Values:
    return _example.results(typed, model)


def _quantities(example: WorkedExample, found: Values) -> None:
    """The results one below the other: what, how, how much, and what the source prints."""
    own = {each.name: found[each.name] for each in example.inputs}
    untouched = _same(own, example.read(example.typed()))
    lines = [each for each in example.quantities if np.ndim(found[each.name]) < 2]
    side_by_side = st.container(horizontal=True, gap="medium")
    if lines:
        side_by_side.markdown(_table(lines, found, untouched=untouched), width="content")
    grids = [_grid(each, found) for each in example.quantities if np.ndim(found[each.name]) == 2]
    if grids:
        side_by_side.html(number_grids(grids), width="content")


def _same(values: Values, others: Values) -> bool:
    return all(np.array_equal(values[name], others[name]) for name in values)


def _table(quantities: Sequence[Quantity], found: Values, *, untouched: bool) -> str:
    source = untouched and any(each.said for each in quantities)
    heads = ["", "worked out", "result", *(["the source"] if source else [])]
    rows = [heads, ["---"] * len(heads)]
    for each in quantities:
        formula = each.formula if isinstance(each.formula, str) else each.formula(found)
        value = escape_markdown(listed(found[each.name], each.places))
        cells = [escape_markdown(each.words), escape_markdown(formula), f"**{value}**"]
        rows.append([*cells, *([escape_markdown(_said(each, found))] if source else [])])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _said(quantity: Quantity, found: Values) -> str:
    if not quantity.said:
        return ""
    compared = agreements(found[quantity.name], quantity.said)
    if all(same for _, same in compared):
        return f"{quantity.said} ✓"
    marked = ", ".join(f"{digits} {'✓' if same else '✗'}" for digits, same in compared)
    return f"{marked} {quantity.why}"


def _grid(quantity: Quantity, found: Values) -> Grid:
    formula = quantity.formula if isinstance(quantity.formula, str) else quantity.formula(found)
    values = found[quantity.name]
    return Grid(
        quantity.words,
        formula,
        values,
        quantity.rows[: len(values)],
        quantity.columns[: values.shape[1]],
        quantity.places,
    )
