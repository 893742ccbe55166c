"""Measures: what kind of head each one is on this review, as a table that can be sorted and a board
of one measure.
"""

import numpy as np
import pandas as pd
import streamlit as st

from bertsent.probing.heads.head_measures import SHARES, head_measures
from bertsent.ui.attention.ablation_job import board_order
from bertsent.ui.attention.controls import BOUND, whole_maps
from bertsent.ui.attention.tile_clicks import clicks_on_tiles
from bertsent.ui.shared.downloads import UNSEEN_BAR, download_menu
from bertsent.ui.shared.errors import escape_markdown
from bertsent.ui.shared.jobs import INLINE_TOKENS, jobs, outcome
from bertsent.ui.shared.model_picker import loaded_model

BOARD, WORTH = "measures_board", "ΔP if silenced"
MEASURES = ("entropy", "distance", *SHARES)
_HOW = """
All are means over the tokens that look, over all word pieces with [CLS] and [SEP] (Clark, Khandelwal, Levy and Manning 2019).

- **entropy**: −Σ a ln a of a row, in nats. 0 is a head that looks at one token, ln T at all alike.
- **distance**: Σ a·|i − j|, how many tokens away what it looks at lies.
- **to [CLS], to [SEP]**: the share that goes to the markers. Heads rest on [SEP] when they find nothing to do.
- **to the next, to the previous, to itself**: shares that go one token on, one back, nowhere.
- **ΔP if silenced**: change of P(positive) without the head, as in the view of silenced heads.
"""


def show_measures(name: str, text: str) -> None:
    """Draw the board of one measure and the table of all for one review.

    Raises:
        NotAvailable: the model gives no attention weights.
    """
    from bertsent.figures.head_grid import measure_heatmap

    model = loaded_model(name)
    maps = whole_maps(model, text)
    table = head_measures(maps)
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        measure = st.selectbox("Measure", MEASURES, key="measure", width=180, **BOUND)
    chosen = _chosen(len(table))
    st.caption(
        escape_markdown(
            f"{model.name} · {len(maps.tokens)} tokens. {_sentence(table, len(maps.tokens))}"
        )
    )
    figure = measure_heatmap(table, measure, chosen)
    said = _most(table, measure)
    st.plotly_chart(figure, key=BOARD, config=UNSEEN_BAR, alt=f"{measure} of every head. {said}")
    clicks_on_tiles(BOARD, _choose)
    st.caption(escape_markdown(f"{said} Click a head and the other views show it."))
    full = _with_worth(model, text, table)
    with st.container(horizontal=True, gap="small"):
        download_menu(BOARD, figure, "attention-measures", tables={"Numbers": lambda: full})
        with st.popover("How is this computed?", type="tertiary"):
            st.markdown(_HOW)
    share = {column: st.column_config.NumberColumn(format="%.0f %%") for column in SHARES}
    numbers = {
        column: st.column_config.NumberColumn(format="%.2f") for column in ("entropy", "distance")
    }
    points = {WORTH: st.column_config.NumberColumn(format="%+.3f")}
    shown = full.assign(**{column: 100 * full[column] for column in SHARES})
    st.dataframe(
        shown,
        hide_index=True,
        key="measures_table",
        height=420,
        column_config={**share, **numbers, **points},
    )


def _with_worth(model, text: str, table: pd.DataFrame) -> pd.DataFrame:  # noqa: ANN001 - a LoadedModel
    """The table with what each head is worth to the answer, where that is known or quickly
    found.
    """
    if "sentiment" not in model.gives:
        return table
    order = board_order(model, text)
    job = jobs().find(order.key)
    if order.tokens > INLINE_TOKENS and (job is None or job.state != "done"):
        st.caption(
            "What each head is worth to the answer joins the table once the view of silenced heads "
            "has found it."
        )
        return table
    board, _ = outcome(order)
    return table.assign(**{WORTH: board.change.reshape(-1)})


def _chosen(heads: int) -> tuple[int, int] | None:
    """The head that the other views show, when it is one."""
    layer, head = st.session_state.get("layer"), st.session_state.get("head")
    if not isinstance(layer, int) or not str(head).isdecimal():
        return None
    return (layer - 1, int(head) - 1) if layer * int(head) <= heads else None


def _choose(layer: int, head: int) -> None:
    """The choice of a page's other views, which draw their own pickers of it."""
    st.session_state["layer"], st.session_state["head"] = layer, str(head)


def _most(table: pd.DataFrame, measure: str) -> str:
    values = table[measure].to_numpy(float)
    if not np.isfinite(values).any():
        return f"This review has no token pair for “{measure}”."
    row = table.iloc[int(np.nanargmax(values))]
    value = (
        f"{row[measure]:.2f}"
        if measure in ("entropy", "distance")
        else f"{100 * row[measure]:.0f} %"
    )
    return f"Most {measure}: head {int(row['layer'])}·{int(row['head'])}, {value}."


def _sentence(table: pd.DataFrame, tokens: int) -> str:
    """What this model's heads do on the whole."""
    rest = (table["to [SEP]"] + table["to [CLS]"] > 0.5).sum()
    beside = ((table["to the next"] > 0.5) | (table["to the previous"] > 0.5)).sum()
    even = (table["entropy"] > 0.9 * np.log(max(tokens, 2))).sum()
    return (
        f"Of {len(table)} heads {rest} give more than half to [CLS] and [SEP], {beside} to the "
        "token beside, "
        f"{even} look at everything almost evenly."
    )
