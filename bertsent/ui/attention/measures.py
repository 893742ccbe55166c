"""Measures: what kind of head each one is on this review, as a heatmap of one measure and a table
of all.
"""

import pandas as pd
import streamlit as st

from bertsent.figures.layer_head_heatmap import measure_heatmap
from bertsent.probing.heads.head_measures import (
    MEASURES,
    SHARES,
    head_measures,
    largest_measure_sentence,
    measures_sentence,
)
from bertsent.probing.loaded_model import LoadedModel
from bertsent.ui.attention.controls import chosen_head, plain_row
from bertsent.ui.attention.heatmaps import show_heatmap
from bertsent.ui.attention.silence_heads import ablation_request
from bertsent.ui.shared import (
    INLINE_TOKENS,
    loaded_model,
    number_columns,
    outcome,
    result,
)
from bertsent.ui.shared.head_pickers import choose_tile, short_select
from bertsent.ui.shared.jobs import jobs
from bertsent.ui.shared.review_numbers import whole_maps

EFFECT = "Δ logit difference if silenced"
MEASURE_HELP = (
    "Entropy: how evenly a head spreads its attention, in nats (0: all on one token). Distance: "
    "how many tokens away it looks on average. The others: the share of attention that goes there."
)


def show_measures(name: str, text: str) -> None:
    """Draw the heatmap of one measure and the table of all for one review.

    Raises:
        NotAvailable: the model gives no attention weights.
    """
    model, place = loaded_model(name), result("measures")
    maps = whole_maps(model, text)
    table, size = head_measures(maps), len(maps.tokens)
    with plain_row():
        measure = short_select("Measure", MEASURES, "measure", width=180, help=MEASURE_HELP)
    sentence, full = largest_measure_sentence(table, measure), _with_effect(model, text, table)
    said = f"{sentence} {measures_sentence(table, size)}"
    below = st.container(horizontal=True, gap="small")
    with place:
        show_heatmap(
            measure_heatmap(table, measure, chosen_head(model)),
            "measures_board",
            f"{measure} of every head. {said}",
            table=lambda: full,
            file="attention-measures",
            caption=f"{said} Click a head to select it in the other tabs.",
            act=choose_tile,
            method="measures",
            below=below,
        )
    with result("measures_table"):
        st.caption(f"All measures of the {len(table)} heads. Click a column to sort by it.")
        st.dataframe(
            full.assign(**{column: 100 * full[column] for column in SHARES}),
            hide_index=True,
            key="measures_table",
            height=420,
            column_config=number_columns(
                {
                    "entropy": "%.2f",
                    "distance": "%.2f",
                    EFFECT: "%+.2f",
                    **dict.fromkeys(SHARES, "%.0f %%"),
                }
            ),
        )


def _with_effect(model: LoadedModel, text: str, table: pd.DataFrame) -> pd.DataFrame:
    """The table with what silencing each head changes, where that is known or quickly found."""
    if "sentiment" not in model.gives:
        return table
    request = ablation_request(model, text)
    job = jobs().find(request.key)
    if request.tokens > INLINE_TOKENS and (job is None or job.state != "done"):
        st.caption("The effect of silencing each head appears here once “Silence heads” has run.")
        return table
    grid, _ = outcome(request)
    return table.assign(**{EFFECT: grid.logit_change[:, :-1].reshape(-1)})
