"""The irony grid: openers against adjectives, P(negative) of every sentence at a glance."""

from typing import TYPE_CHECKING

import streamlit as st

from bertsent.errors import BertsentError
from bertsent.ui.shared.downloads import UNSEEN_BAR, download_menu, safe_csv
from bertsent.ui.shared.errors import escape_markdown, show_error
from bertsent.ui.shared.jobs import JobRequest, outcome
from bertsent.ui.shared.model_picker import loaded_model
from bertsent.ui.shared.review_bar import ask_about

if TYPE_CHECKING:
    from bertsent.probing.pairs.template_grid import GridTemplate, IronyGrid

CHART = "grid_chart"
USUAL = {
    "grid_template": "{opener}, another {adj} {noun}",
    "grid_noun": "movie",
    "grid_openers": "Great\nWonderful\nOh no\nJust what I needed\nFinally\nSadly",
    "grid_adjectives": "boring\npredictable\naverage\nsuperhero\nclever\ngripping\nbrilliant",
}
_HOW = """
Every sentence of the grid goes through the model by itself, as if it were typed, and so do each opener and each sentence without its
opener. The colour is P(negative). A star marks a cell whose answer goes against what the opener says by itself: there the model does not
take the opener at its word. Templates as tests: Ribeiro, Wu, Guestrin and Singh 2020 (CheckList).
"""


def show_irony_grid(name: str) -> None:
    """Draw the grid for the model of that registry name.

    Raises:
        BertsentError: the model does not answer, or the lists cannot be asked.
    """
    plan = _plan()
    model = loaded_model(name)

    def work(progress):  # noqa: ANN001, ANN202
        from bertsent.probing.pairs.template_grid import irony_grid

        return irony_grid(model, plan, progress=progress)

    from bertsent.data.cache import cache_key

    cells = len(plan.openers) * len(plan.adjectives)
    key = f"grid-{cache_key(model.key, model.max_length, plan.template, plan.openers, plan.adjectives, plan.noun)}"
    grid = outcome(JobRequest(key, work, f"Asking {cells} sentences", "Ask the grid", 25 * cells))
    if grid is not None:
        _shown(grid, key)


def _plan() -> "GridTemplate":
    from bertsent.probing.pairs.template_grid import GridTemplate, lines_of

    for key, text in USUAL.items():
        st.session_state.setdefault(key, text)
    linked = {"bind": "query-params", "persist_state": "session"}
    template, noun = st.columns([3, 1], gap="medium")
    with template:
        st.text_input(
            "Template",
            key="grid_template",
            help="{opener} and {adj} come from the lists, {noun} from its box.",
            **linked,
        )
    with noun:
        st.text_input("Noun", key="grid_noun", **linked)
    with st.expander("Openers and adjectives"):
        left, right = st.columns(2, gap="medium")
        left.text_area("Openers, one a line", key="grid_openers", height=180, **linked)
        right.text_area("Adjectives, one a line", key="grid_adjectives", height=180, **linked)
        st.button(
            "As at the start",
            key="grid_reset",
            type="tertiary",
            on_click=lambda: st.session_state.update(USUAL),
        )
        st.file_uploader(
            "Open a grid that was downloaded", type=["csv"], key="grid_file", on_change=_open
        )
        if error := st.session_state.pop("grid_error", None):
            show_error(error)
    said = {key: st.session_state[key] or "" for key in USUAL}
    return GridTemplate(
        said["grid_template"].strip(),
        lines_of(said["grid_openers"]),
        lines_of(said["grid_adjectives"]),
        said["grid_noun"].strip(),
    )


def _open() -> None:
    """Take the lists out of a downloaded grid; the model answers anew."""
    from bertsent.data.tables import read_cells
    from bertsent.probing.pairs.template_grid import grid_from_table

    file = st.session_state["grid_file"]
    if file is None:
        return
    try:
        plan = grid_from_table(read_cells(file.getvalue(), file.name)).plan
    except BertsentError as error:
        st.session_state["grid_error"] = error
        return
    st.session_state.update(
        grid_template=plan.template,
        grid_noun=plan.noun,
        grid_openers="\n".join(plan.openers),
        grid_adjectives="\n".join(plan.adjectives),
    )


def _shown(grid: "IronyGrid", key: str) -> None:
    from bertsent.figures.irony_heatmap import irony_heatmap

    i, j = _chosen(grid)
    figure = irony_heatmap(grid, (i, j))
    st.plotly_chart(
        figure,
        key=CHART,
        on_select=_clicked,
        selection_mode="points",
        config=UNSEEN_BAR,
        alt=f"P(negative) of {grid.p_negative.size} sentences, a row an opener, a column an "
        "adjective",
    )
    st.caption(escape_markdown(sentence(grid)))
    with st.container(border=True):
        left, right = st.columns(2)
        left.selectbox(
            "Opener",
            range(len(grid.plan.openers)),
            key="grid_row",
            format_func=lambda at: grid.plan.openers[at],
        )
        right.selectbox(
            "Adjective",
            range(len(grid.plan.adjectives)),
            key="grid_column",
            format_func=lambda at: grid.plan.adjectives[at],
        )
        i, j = _chosen(grid)
        text, p = (
            grid.plan.fill(grid.plan.openers[i], grid.plan.adjectives[j]),
            float(grid.p_negative[i, j]),
        )
        st.text(text)
        alone, rest = float(grid.openers_alone[i]), float(grid.rest_alone[j])
        label = "▼ NEGATIVE" if p >= 0.5 else "▲ POSITIVE"
        st.caption(
            escape_markdown(
                f"P(negative) {p:.1%} ({label}); the opener by itself {alone:.1%}, without it "
                f"{rest:.1%}."
            )
        )
        ask_about(text, "grid_take")
    with st.container(horizontal=True, gap="small"):
        st.download_button(
            "Grid as CSV",
            lambda: safe_csv(grid.frame()),
            "irony-grid.csv",
            "text/csv",
            key="grid_csv",
            on_click="ignore",
            help="Can be opened here again.",
        )
        download_menu(CHART, irony_heatmap(grid), "irony-grid")
        with st.popover("How is this computed?", type="tertiary"):
            st.markdown(_HOW)


def _chosen(grid: "IronyGrid") -> tuple[int, int]:
    """Row and column that are looked at, those of the first cell where what was chosen is not there
    any more.
    """
    n, m = grid.p_negative.shape
    for key, count in (("grid_row", n), ("grid_column", m)):
        if st.session_state.get(key, 0) not in range(count):
            st.session_state[key] = 0
        st.session_state.setdefault(key, 0)
    return st.session_state["grid_row"], st.session_state["grid_column"]


def _clicked() -> None:
    for point in st.session_state[CHART].selection.points[:1]:
        place = point.get("customdata")
        if isinstance(place, list) and len(place) == 2 and min(place) >= 0:
            st.session_state["grid_row"], st.session_state["grid_column"] = (
                int(place[0]),
                int(place[1]),
            )


def sentence(grid: "IronyGrid") -> str:
    """Where the answer parts from the opener, in words."""
    count, total = int(grid.parted.sum()), grid.parted.size
    if not count:
        return (
            f"In none of the {total} sentences does the answer go against what the opener says "
            "by itself."
        )
    rows = grid.parted.sum(axis=1)
    most = grid.plan.openers[int(rows.argmax())]
    beyond = int(grid.beyond.sum())
    said = (
        f"In {count} of {total} sentences the answer goes against the opener by itself (*), "
        f"most often after “{most}” ({int(rows.max())})."
    )
    return (
        f"{said} In {beyond} neither part by itself says what both say together."
        if beyond
        else said
    )
