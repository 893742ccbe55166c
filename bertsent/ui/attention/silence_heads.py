"""Silence heads: what silencing each head does to this answer, any set of them silenced, and those
that support the answer.
"""

from typing import Any

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from bertsent.data.cache import cache_key
from bertsent.data.examples import LABELS
from bertsent.data.sources import load_reviews
from bertsent.figures.layer_head_heatmap import WHOLE, ablation_heatmap
from bertsent.probing.heads.attention_maps import head_name
from bertsent.probing.heads.head_ablation import (
    AblationGrid,
    Head,
    ablate_every_head,
    flipping_sentence,
    flipping_set,
    label_of,
    largest_effect_sentence,
    logit_difference,
    logits_without,
    supporting_table,
    without_sentence,
)
from bertsent.probing.loaded_model import LoadedModel, probabilities_of
from bertsent.progress import Progress
from bertsent.ui.attention.controls import ask_fine_tuned, plain_row
from bertsent.ui.attention.heatmaps import show_heatmap
from bertsent.ui.shared import (
    BY_CONTENT,
    LINKED,
    PRESETS,
    JobRequest,
    choose,
    escape_markdown,
    loaded_model,
    number_columns,
    outcome,
    result,
)
from bertsent.ui.shared.review_numbers import whole_maps

CHOSEN = "silenced"
PROBABILITY, LOGITS = "probability", "logits"
UNIT_HELP = (
    "Where the model is sure, P(positive) hardly moves whatever is silenced; the logit difference "
    "still shows which heads support the answer."
)
NOT_TRAINED = (
    "This model was not fine-tuned for two labels, so it has no such answer that could change. "
    "With one that was, what silencing each head does to its answer stands here."
)
IRONIC = ("sarcasm", "irony-marks")


def show_silence_heads(name: str, text: str) -> None:
    """Draw the effect of every head, the chosen set with its answer, and the list of heads that
    support the answer.
    """
    model, place = loaded_model(name), result("silence")
    with place:
        if "sentiment" not in model.gives:
            ask_fine_tuned(NOT_TRAINED)
            return
        found = outcome(ablation_request(model, text))
    if found is None:
        return
    grid, flipping = found
    with plain_row():
        chosen = _choice(model, flipping or grid.supporting_heads()[:1], flips=bool(flipping))
        st.caption("Change in", width="content", help=UNIT_HELP)
        unit = choose(
            "Change in", (LOGITS, PROBABILITY), "silence_unit", label_visibility="collapsed"
        )
    below = st.container(horizontal=True, gap="small")
    with place:
        board, answer = st.columns([3, 2], gap="medium")
    with board:
        _draw(grid, chosen, below, logits=unit == LOGITS)
    with answer:
        _answer(model, text, grid, chosen)
        _supporting(model, text, grid, flipping)


def ablation_request(model: LoadedModel, text: str) -> JobRequest:
    """The job that gives the ablation grid of a review, and the heads that flip the answer when
    silenced together.
    """

    def work(progress: Progress) -> tuple[AblationGrid, tuple[Head, ...]]:
        grid = ablate_every_head(model, text, progress=progress)
        return grid, flipping_set(model, text, grid)

    return JobRequest(
        f"ablation-{cache_key(model.key, model.max_length, model.pooling, text)}",
        work,
        "Silencing every head in turn",
        "Silence every head in turn",
        # tokens of whole models: the layers below a head are computed once
        len(model.tokens(text)) * (model.heads + 5) * (model.layers + 1) // 2,
    )


@st.cache_data(max_entries=256, show_spinner="Asking the model …", hash_funcs=BY_CONTENT)
def _logits_without(model: LoadedModel, text: str, heads: tuple[Head, ...]) -> np.ndarray:
    return logits_without(model, text, [heads])[0]


def _choice(model: LoadedModel, best: tuple[Head, ...], *, flips: bool) -> tuple[Head, ...]:
    every = {head_name((n, h)): (n, h) for n in range(model.layers) for h in range(model.heads)}
    kept = st.session_state.get(CHOSEN)
    if kept and not set(kept) <= set(every):
        st.session_state[CHOSEN] = [name for name in kept if name in every]
    names = st.multiselect(
        "Silenced heads",
        list(every),
        key=CHOSEN,
        placeholder="Silence: click cells, or choose",
        width=300,
        label_visibility="collapsed",
        **LINKED,
    )
    if best:
        st.button(
            "Silence what flips the answer" if flips else "Silence the most important head",
            key="silence_best",
            on_click=st.session_state.update,
            args=({CHOSEN: [head_name(head) for head in best]},),
        )
    st.button(
        "Silence none",
        key="silence_none",
        on_click=st.session_state.update,
        args=({CHOSEN: []},),
        disabled=not names,
    )
    return tuple(sorted(every[name] for name in names))


def _answer(model: LoadedModel, text: str, grid: AblationGrid, chosen: tuple[Head, ...]) -> None:
    logits = _logits_without(model, text, chosen) if chosen else grid.logits
    before, after = grid.p_positive, float(probabilities_of(logits)[1])
    heads = f"head {head_name(chosen[0])}" if len(chosen) == 1 else f"{len(chosen)} heads"
    quiet: dict[str, Any] = {"delta_color": "off", "delta_arrow": "off"}
    with st.container(horizontal=True, gap="large"):
        st.metric("P(positive) as it is", f"{100 * before:.1f} %", label_of(before), **quiet)
        title = f"Without {heads}" if chosen else "Nothing silenced"
        st.metric(title, f"{100 * after:.1f} %", label_of(after), **quiet)
        moved = float(logit_difference(logits) - logit_difference(grid.logits))
        points = f"{100 * (after - before):+.1f} points of P" if chosen else None
        st.metric("Δ logit difference", f"{moved:+.2f}" if chosen else "0", points, **quiet)
    st.caption(without_sentence(chosen, before, after))


def _draw(
    grid: AblationGrid, chosen: tuple[Head, ...], below: DeltaGenerator, *, logits: bool
) -> None:
    layers, heads = grid.support.shape

    def act(layer: int, head: int) -> None:
        """Silence what was clicked, or let it speak again."""
        numbers = range(heads) if head == WHOLE else [head - 1]
        if layer > layers or max(numbers) >= heads:
            return
        clicked = [head_name((layer - 1, number)) for number in numbers]
        kept = list(st.session_state.get(CHOSEN) or ())
        others = [name for name in kept if name not in clicked]
        st.session_state[CHOSEN] = others if set(clicked) <= set(kept) else [*others, *clicked]

    sentence = largest_effect_sentence(grid)
    what = "the logit difference" if logits else "P(positive)"
    show_heatmap(
        ablation_heatmap(grid, chosen, logits=logits),
        "silence_board",
        f"What silencing each head changes. {sentence}",
        table=grid.table,
        file="silenced-heads",
        caption=f"{sentence} Orange: {what} falls without the head; purple: it rises. Click a cell "
        "to silence its head or to switch it back on.",
        act=act,
        method="silence_heads",
        below=below,
    )


def _supporting(
    model: LoadedModel, text: str, grid: AblationGrid, flipping: tuple[Head, ...]
) -> None:
    answer, truth = label_of(grid.p_positive), _ironic().get(text)
    st.markdown(
        "**Heads that carry the irony**"
        if truth == answer
        else f"**Heads that support the answer {answer}**"
    )
    table = supporting_table(grid, whole_maps(model, text))
    if table.empty:
        st.caption("No single head matters here: when one is silenced, others compensate.")
        return
    st.dataframe(
        table,
        hide_index=True,
        key="silence_list",
        height=200,
        column_order=("head", "Δ logit difference", "ΔP in points", "what it looks at"),
        column_config=number_columns(
            {
                "P(positive) without it": "%.1f %%",
                "ΔP in points": "%+.1f",
                "Δ logit difference": "%+.2f",
            }
        ),
    )
    st.caption(escape_markdown(flipping_sentence(answer, truth, flipping)))


@st.cache_data(max_entries=1, show_spinner=False)
def _ironic() -> dict[str, str]:
    """The ironic reviews that are known, with the label they mean: the presets, and those of the
    built-in set.
    """
    known = {
        example.text: LABELS[example.label]
        for example in load_reviews("builtin")
        if example.phenomenon in IRONIC and example.label is not None
    }
    return {**known, **dict.fromkeys((PRESETS["Sarcasm"], PRESETS["Superhero"]), LABELS[0])}
