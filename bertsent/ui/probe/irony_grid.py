"""Irony grid: openers against adjectives, P(negative) of every sentence at a glance."""

import streamlit as st

from bertsent.data.cache import cache_key
from bertsent.data.tables import read_cells
from bertsent.figures.irony_heatmap import irony_heatmap
from bertsent.probing.answer import answer_label
from bertsent.probing.pairs.template_grid import (
    GridTemplate,
    IronyGrid,
    grid_from_table,
    irony_grid,
    lines_of,
)
from bertsent.ui.shared import (
    LINKED,
    UNSEEN_BAR,
    JobRequest,
    ask_about,
    downloads_and_help,
    escape_markdown,
    loaded_model,
    outcome,
    plotly_chart,
    result,
    settings,
    upload,
)

CHART = "grid_chart"
SLOTS = "In the template, {opener} and {adj} come from these lists, {noun} from its box."
USUAL = {
    "grid_template": "{opener}, another {adj} {noun}",
    "grid_noun": "movie",
    "grid_openers": "Great\nWonderful\nOh no\nJust what I needed\nFinally\nSadly",
    "grid_adjectives": "boring\npredictable\naverage\nsuperhero\nclever\ngripping\nbrilliant",
}


def show_irony_grid(name: str) -> None:
    """Draw the grid for the model of that registry name.

    Raises:
        BertsentError: the model does not answer, or the lists cannot be asked.
    """
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        plan = _plan()
    model = loaded_model(name)
    cells = len(plan.openers) * len(plan.adjectives)
    parts = (plan.template, plan.openers, plan.adjectives, plan.noun)
    left, right = st.columns([3, 1], gap="medium")
    with left, result("grid"):
        grid = outcome(
            JobRequest(
                f"grid-{cache_key(model.key, model.max_length, *parts)}",
                lambda progress: irony_grid(model, plan, progress=progress),
                f"Asking {cells} sentences",
                "Ask the grid",
                25 * cells,
            )
        )
        if grid is None:
            return
        chosen = _chosen(grid)
        _show_grid(grid, chosen)
    with right:
        _show_cell(grid, *chosen)
    downloads_and_help(
        CHART,
        irony_heatmap(grid),
        "irony-grid",
        ("probe", "irony_grid"),
        tables={"Grid": grid.frame()},
    )


def _plan() -> GridTemplate:
    for key, text in USUAL.items():
        st.session_state.setdefault(key, text)
    st.text_input(
        "Template",
        key="grid_template",
        placeholder="Template: {opener}, another {adj} {noun}",
        label_visibility="collapsed",
        **LINKED,
    )
    with settings():
        st.caption(escape_markdown(SLOTS))
        st.text_input("Noun", key="grid_noun", **LINKED)
        st.text_area("Openers, one a line", key="grid_openers", height=150, **LINKED)
        st.text_area("Adjectives, one a line", key="grid_adjectives", height=150, **LINKED)
        st.button(
            "Reset",
            key="grid_reset",
            type="tertiary",
            on_click=st.session_state.update,
            args=(USUAL,),
        )
        upload("Open a grid that was downloaded", _open, key="grid_file", types=("csv",))
    typed = {key: st.session_state[key] or "" for key in USUAL}
    return GridTemplate(
        typed["grid_template"].strip(),
        lines_of(typed["grid_openers"]),
        lines_of(typed["grid_adjectives"]),
        typed["grid_noun"].strip(),
    )


def _open(data: bytes, name: str) -> None:
    """Take the lists out of a downloaded grid; the model answers anew."""
    plan = grid_from_table(read_cells(data, name)).plan
    st.session_state.update(
        grid_template=plan.template,
        grid_noun=plan.noun,
        grid_openers="\n".join(plan.openers),
        grid_adjectives="\n".join(plan.adjectives),
    )


def _show_grid(grid: IronyGrid, chosen: tuple[int, int]) -> None:
    plotly_chart(
        irony_heatmap(grid, chosen),
        key=CHART,
        on_select=_clicked,
        selection_mode="points",
        config=UNSEEN_BAR,
        alt=f"P(negative) of every sentence. {grid.sentence()}",
    )
    st.caption(escape_markdown(f"{grid.sentence()} ▼ negative, ▲ positive."))


def _show_cell(grid: IronyGrid, row: int, column: int) -> None:
    """The chosen sentence; it can be chosen without a pointer, too."""
    plan = grid.plan
    text = plan.fill(plan.openers[row], plan.adjectives[column])
    with st.container(border=True):
        st.caption("Click a cell, or choose:")
        st.selectbox(
            "Opener",
            range(len(plan.openers)),
            key="grid_row",
            format_func=plan.openers.__getitem__,
            label_visibility="collapsed",
        )
        st.selectbox(
            "Adjective",
            range(len(plan.adjectives)),
            key="grid_column",
            format_func=plan.adjectives.__getitem__,
            label_visibility="collapsed",
        )
        st.markdown(f"“{escape_markdown(text)}”")
        st.markdown(f"**{escape_markdown(answer_label(1 - grid.p_negative[row, column]))}**")
        st.caption(escape_markdown(grid.parts_sentence(row, column)))
        ask_about(text, "grid_take")


def _chosen(grid: IronyGrid) -> tuple[int, int]:
    """Row and column that are looked at, those of the first cell where what was chosen is gone."""
    for key, count in zip(("grid_row", "grid_column"), grid.p_negative.shape, strict=True):
        if st.session_state.get(key) not in range(count):
            st.session_state[key] = 0
    return st.session_state["grid_row"], st.session_state["grid_column"]


def _clicked() -> None:
    for point in st.session_state[CHART].selection.points[:1]:
        place = point.get("customdata")
        if isinstance(place, list) and len(place) == 2 and min(place) >= 0:
            st.session_state.update(grid_row=int(place[0]), grid_column=int(place[1]))
