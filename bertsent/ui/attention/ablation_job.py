"""The board of silenced heads of one review, worked out once for everybody: at once when it is
short, else in the background.
"""

from typing import TYPE_CHECKING

import streamlit as st

from bertsent.ui.shared.jobs import JobRequest

if TYPE_CHECKING:
    from bertsent.probing.heads.head_ablation import AblationGrid, Head
    from bertsent.probing.loaded_model import LoadedModel


def board_order(model: "LoadedModel", text: str) -> JobRequest:
    """What ``ui.orders`` needs to make the board, and the heads whose silence together turns the
    answer.
    """
    from bertsent.data.cache import cache_key

    def work(progress) -> "tuple[AblationGrid, tuple[Head, ...]]":  # noqa: ANN001 - as Jobs wants it
        from bertsent.probing.heads.head_ablation import ablate_every_head, flipping_set

        board = ablate_every_head(model, text, progress=progress)
        return board, flipping_set(model, text, board)

    tokens = (
        len(model.tokens(text)) * (model.heads + 5) * (model.layers + 1) // 2
    )  # of whole models: a layer below is worked out once
    key = f"knockout-{cache_key(model.key, model.max_length, model.pooling, text)}"
    return JobRequest(
        key, work, "Silencing every head in turn", "Silence every head in turn", tokens
    )


@st.cache_data(max_entries=256, show_spinner="Asking the model …")
def answer_without(
    key: str, max_length: int, text: str, heads: "tuple[Head, ...]", _model: "LoadedModel"
) -> float:
    """P(positive) of a review without these heads."""
    from bertsent.probing.heads.head_ablation import probabilities_without

    return float(probabilities_without(_model, text, [heads])[0])
