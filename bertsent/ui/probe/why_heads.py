"""Which attention heads carry the answer: each is silenced in turn, and what that does is measured
in logits, because P(positive) of a sure answer hardly moves.
"""

import streamlit as st

from bertsent.probing.heads.head_ablation import (
    label_of,
    largest_effect_sentence,
    supporting_table,
)
from bertsent.probing.loaded_model import LoadedModel
from bertsent.ui.attention.silence_heads import ablation_request
from bertsent.ui.shared import escape_markdown, number_columns, outcome, result
from bertsent.ui.shared.frame import ATTENTION
from bertsent.ui.shared.review_numbers import whole_maps

LOGITS = (
    "Without a head, nothing of what it gathered goes on. The change of the logit difference, "
    "z(positive) − z(negative), shows a head's part even where the model is so sure that "
    "P(positive) hardly moves."
)
FORMATS = {
    "Δ logit difference": "%+.2f",
    "P(positive) without it": "%.1f %%",
    "ΔP in points": "%+.1f",
}


def show_heads(name: str, model: LoadedModel, text: str) -> None:
    """Draw the heads that support the answer of the model of that registry name, and the way to all
    of them.
    """
    with result("heads_that_carry"):
        st.markdown("**Which heads carry the answer?**", help=LOGITS)
        found = outcome(ablation_request(model, text))
        if found is None:
            return
        grid, _ = found
        st.caption(escape_markdown(largest_effect_sentence(grid)))
        table = supporting_table(grid, whole_maps(model, text))
        if table.empty:
            st.caption("No single head matters here: when one is silenced, others compensate.")
        else:
            st.dataframe(
                table[["head", *FORMATS, "what it looks at"]],
                hide_index=True,
                key="why_heads",
                column_config=number_columns(FORMATS),
            )
    st.page_link(
        ATTENTION.file,
        label=f"Silence heads until {label_of(grid.p_positive)} flips",
        query_params={"look": "Silence heads", "model": name, "text": text},
    )
