"""Change by training: every head's attention after fine-tuning minus what it was before, the most
changed first.
"""

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import streamlit as st

from bertsent.probing.heads.weight_tables import all_heads_table, matrix_table
from bertsent.probing.registry import BACKBONE, find_model, origin, run_models
from bertsent.training.runs.run import find_run
from bertsent.ui.attention.controls import BOUND, Scope, choose_scope, drop_unavailable, show_extent
from bertsent.ui.attention.tile_clicks import clicks_on_tiles
from bertsent.ui.shared.downloads import UNSEEN_BAR, download_menu
from bertsent.ui.shared.errors import escape_markdown
from bertsent.ui.shared.model_picker import loaded_model

if TYPE_CHECKING:
    from bertsent.probing.heads.attention_change import AttentionChange
    from bertsent.probing.heads.attention_maps import AttentionMaps
    from bertsent.probing.loaded_model import LoadedModel

GRID, MOST = "change_grid", "most changed"
BESIDE = 16  # up to so many tokens the large heatmap has room beside the grid
_HOW = """
The same tokens of the review go through the model as it was before fine-tuning and as it is now; each cell is the attention weight
now minus then. Rows sum to 0: what one token gains another loses. How far a head moved is the Jensen-Shannon divergence of its rows
then and now (Lin 1991), in nats, averaged over all rows of the whole review: 0 is no change, ln 2 = 0.693 is looking at nothing it
looked at before. Training moves heads for many reasons; a large change is no proof that the head matters: silence it to see.
"""


def show_change_by_training(name: str, text: str) -> None:
    """Draw what fine-tuning changed in the heads, or say why there is nothing to compare with.

    Raises:
        NotAvailable: a model gives no attention weights.
        BadInput: nothing is left of the review, or the two models do not read the same tokens.
    """
    first = first_of(name)
    if first is None:
        _nothing_before(name)
        return
    before, after = loaded_model(first), loaded_model(name)
    shorter = min((after, before), key=lambda model: model.max_length)
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        picker = st.container(width=220)
        scope = choose_scope(shorter, text)
    then, now, apart = _both(before, after, text)
    found = _part(then, now, scope)
    ranked = _ranked(apart)
    with picker:
        chosen = _chosen(ranked)
    show_extent(scope, f"{after.name}, now minus before ({before.name})")
    _draw(found, chosen, apart)
    _ranking(found, ranked, apart)


def first_of(name: str) -> str | None:
    """The registry name of what a model was before its fine-tuning; None where that is not on this
    machine.
    """
    found = origin(name)
    if found is not None or name == BACKBONE:
        return found
    model = find_model(name, folders=False)
    starts = (
        [start for start in run_models(find_run(model.run)) if start.step == 0] if model.run else []
    )
    return starts[0].name if starts else None


def _nothing_before(name: str) -> None:
    if name == BACKBONE:
        said = (
            "This is the encoder as it was pretrained: nothing has changed it yet. Choose a "
            "fine-tuned model."
        )
    else:
        said = (
            "What this model was before its fine-tuning is not on this machine. Runs that "
            "start "
            "here keep their step 0 to compare with."
        )
    st.info(escape_markdown(said))


def _both(
    before: "LoadedModel", after: "LoadedModel", text: str
) -> "tuple[AttentionMaps, AttentionMaps, np.ndarray]":
    length = min(before.max_length, after.max_length)
    return _kept((before.key, after.key, length), text, before, after)


@st.cache_data(max_entries=16, max_size="200MB", show_spinner="Looking inside both …")
def _kept(
    key: tuple, text: str, _before: "LoadedModel", _after: "LoadedModel"
) -> "tuple[AttentionMaps, AttentionMaps, np.ndarray]":
    from bertsent.probing.heads.attention_change import attention_of_both, jensen_shannon

    then, now = attention_of_both(_before, _after, text)
    return then, now, jensen_shannon(then.weights, now.weights)


def _part(then: "AttentionMaps", now: "AttentionMaps", scope: Scope) -> "AttentionChange":
    from bertsent.probing.heads.attention_change import attention_change
    from bertsent.probing.heads.narrowing import select_tokens

    return attention_change(
        select_tokens(then, scope.part, scope.units), select_tokens(now, scope.part, scope.units)
    )


def _ranked(apart: np.ndarray) -> list[tuple[int, int]]:
    """Layer and head, from 0, the most changed first."""
    order = np.argsort(-apart, axis=None, kind="stable")
    return [(int(n), int(h)) for n, h in zip(*np.unravel_index(order, apart.shape), strict=True)]


def _name(head: tuple[int, int]) -> str:
    return f"{head[0] + 1}·{head[1] + 1}"


def _chosen(ranked: list[tuple[int, int]]) -> tuple[int, int]:
    """Draw the picker of the head that is large."""
    options = {MOST: ranked[0], **{_name(head): head for head in sorted(ranked)}}
    drop_unavailable("change_head", list(options))
    return options[
        st.selectbox("Head", list(options), key="change_head", help="layer·head", **BOUND)
    ]


def _choose(layer: int, head: int) -> None:
    st.session_state["change_head"] = _name((layer - 1, head - 1))


def _draw(found: "AttentionChange", chosen: tuple[int, int], apart: np.ndarray) -> None:
    from bertsent.figures.attention_change_heatmap import difference_grid, difference_heatmap

    left, right = (
        st.columns([5, 4], gap="medium")
        if len(found.tokens) <= BESIDE
        else (st.container(), st.container())
    )
    with left:
        grid = difference_grid(found, chosen)
        st.plotly_chart(
            grid,
            key=GRID,
            config=UNSEEN_BAR,
            alt="Change of every head's attention as one grid of small maps",
        )
        clicks_on_tiles(GRID, _choose)
        st.caption(
            "Purple: the head looks there more than before training; orange: less. Click a tile to "
            "see it large."
        )
        download_menu(
            GRID,
            grid,
            "attention-change-all-heads",
            tables={"Numbers": lambda: all_heads_table(found.tokens, found.change)},
        )
    with right:
        change, title = found.change[chosen], f"Head {_name(chosen)}, now minus before"
        figure, said = (
            difference_heatmap(found.tokens, change, title=title),
            _largest(found.tokens, change),
        )
        st.plotly_chart(figure, key="change_head_map", config=UNSEEN_BAR, alt=f"{title}. {said}")
        st.caption(
            escape_markdown(
                f"Head {_name(chosen)} moved by {apart[chosen]:.3f} nats of at most 0.693. {said}"
            )
        )
        with st.container(horizontal=True, gap="small"):
            file = f"attention-change-{chosen[0] + 1}-{chosen[1] + 1}"
            download_menu(
                "change_head_map",
                figure,
                file,
                tables={"Numbers": lambda: matrix_table(found.tokens, change)},
            )
            with st.popover("How is this computed?", type="tertiary"):
                st.markdown(_HOW)


def _largest(tokens: tuple[str, ...], change: np.ndarray) -> str:
    """Where most weight was added and where most was taken away."""
    if np.abs(change).max() < 1e-6:
        return "It looks at exactly what it looked at before."
    gained, lost = (
        np.unravel_index(place, change.shape) for place in (change.argmax(), change.argmin())
    )
    return (
        f"Most was added from “{tokens[gained[0]]}” to “{tokens[gained[1]]}” "
        f"({change[gained]:+.2f}), "
        f"most taken from “{tokens[lost[0]]}” to “{tokens[lost[1]]}” ({change[lost]:+.2f})."
    )


def _ranking(found: "AttentionChange", ranked: list[tuple[int, int]], apart: np.ndarray) -> None:
    rows = [
        (rank, head[0] + 1, head[1] + 1, apart[head], _largest(found.tokens, found.change[head]))
        for rank, head in enumerate(ranked, 1)
    ]
    table = pd.DataFrame(
        rows, columns=["rank", "layer", "head", "divergence in nats", "largest changes"]
    )
    st.subheader("Heads by how far they moved", anchor=False)
    numbers = {"divergence in nats": st.column_config.NumberColumn(format="%.4f")}
    st.dataframe(table, hide_index=True, key="change_ranking", height=320, column_config=numbers)
