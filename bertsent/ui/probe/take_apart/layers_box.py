"""A matrix of one layer opened: its formula, its shape, a readable stretch as a heatmap, and the
numbers of a corner.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st

from bertsent.figures.vector_strips import matrix_stretch
from bertsent.probing.forward_pass.boxes import BOXES, Box, box_matrix, check_box
from bertsent.probing.heads.attention_maps import head_name
from bertsent.ui.probe.take_apart.checks import show_check
from bertsent.ui.probe.take_apart.layers_chosen import ChosenLayer
from bertsent.ui.shared import (
    LINKED,
    UNSEEN_BAR,
    download_menu,
    escape_markdown,
    number_columns,
    plotly_chart,
)
from bertsent.ui.shared.head_pickers import short_select
from bertsent.written_numbers import written

ROWS, COLUMNS = 32, 96  # of a matrix that are drawn at once
CORNER = 8  # rows and columns of which the numbers are written out
STRETCH_HELP = "Where the part begins that is drawn."


@dataclass(frozen=True)
class OpenBox:
    """A box, its whole ``matrix``, and the ``part`` of it that is drawn, with the names of the rows
    and columns of that.
    """

    box: Box
    matrix: np.ndarray
    part: np.ndarray
    rows: list[str]
    columns: list[str]

    def table(self) -> pd.DataFrame:
        """The part that is drawn, its rows named."""
        table = pd.DataFrame(self.part, columns=self.columns)
        table.insert(0, "row", self.rows)
        return table


def show_box(inside: ChosenLayer) -> OpenBox:
    """Draw the boxes of the layer as a row of names, and the matrix of the one that is open."""
    box = _choose_box()
    matrix = box_matrix(box, inside.layer, inside.head)
    (rows, columns), (top, left) = _named(inside, box, matrix), _stretch(matrix)
    opened = OpenBox(
        box,
        matrix,
        matrix[top : top + ROWS, left : left + COLUMNS],
        rows[top : top + ROWS],
        columns[left : left + COLUMNS],
    )
    shares = box.part == "attention_weights"
    figure = matrix_stretch(opened.part, opened.rows, opened.columns, shares=shares)
    sentence = _sentence(inside, box, matrix)
    plotly_chart(figure, key="layers_box", config=UNSEEN_BAR, alt=sentence)
    st.caption(f"${box.formula}$ · {escape_markdown(sentence)}")
    check = check_box(box, inside.layer, inside.own)
    if check is not None:
        show_check(check)
    name = f"layer-{inside.number + 1}-{box.name.replace(' ', '-')}"
    download_menu("layers_box", figure, name, tables={"Numbers": opened.table})
    return opened


def show_corner(opened: OpenBox) -> None:
    """Draw the first numbers of what is drawn of a box."""
    table = opened.table().iloc[:CORNER, : CORNER + 1]
    st.caption(escape_markdown(f"A corner of it: {len(table)} × {table.shape[1] - 1} numbers."))
    st.dataframe(
        table,
        hide_index=True,
        key="box_corner",
        column_config=number_columns(dict.fromkeys(table.columns[1:], "%.4f")),
    )


def _choose_box() -> Box:
    names = {box.name: box for box in BOXES}
    if st.session_state.get("box") not in (None, *names):
        del st.session_state["box"]
    name = st.pills(
        "Open a box of the layer",
        list(names),
        key="box",
        required=True,
        default=None if "box" in st.session_state else "attention weights",
        **LINKED,
    )
    return names[str(name)]


def _sentence(inside: ChosenLayer, box: Box, matrix: np.ndarray) -> str:
    rows, columns = matrix.shape
    row, column = (int(n) for n in np.unravel_index(np.abs(matrix).argmax(), matrix.shape))
    place = inside.number, inside.head
    whose = f"head {head_name(place)}" if box.by_head else f"layer {inside.number + 1}"
    names = _named(inside, box, matrix)
    largest = written(matrix[row, column], ".3f")
    return (
        f"{box.name.capitalize()} of {whose}: {rows} × {columns} numbers. The largest is "
        f"{largest}, in row {names[0][row]}, column {names[1][column]}."
    )


def _named(inside: ChosenLayer, box: Box, matrix: np.ndarray) -> tuple[list[str], list[str]]:
    """What stands at the rows and the columns of a matrix; equal tokens apart by position."""
    tokens = [f"{n} {token}" for n, token in enumerate(inside.tokens, start=1)]
    rows = [f"{n}" for n in range(1, len(matrix) + 1)] if box.learned else tokens
    columns = [f"{n}" for n in range(1, matrix.shape[1] + 1)]
    return rows, tokens if box.square else columns


def _stretch(matrix: np.ndarray) -> tuple[int, int]:
    """Draw where the part begins that is shown, from 0, of what is too large to be read."""
    begins = []
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        for size, most, label, key in zip(
            matrix.shape,
            (ROWS, COLUMNS),
            ("Rows from", "Columns from"),
            ("box_row", "box_column"),
            strict=True,
        ):
            choices = range(1, size + 1, most)
            begins.append(
                short_select(label, choices, key, width=85, help=STRETCH_HELP) - 1
                if size > most
                else 0
            )
    return begins[0], begins[1]
