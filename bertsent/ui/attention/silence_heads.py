"""Silence heads: the board of what each head is worth to this answer, any set of them silenced, and
those that carry it.
"""

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from bertsent.data.examples import LABELS
from bertsent.ui.attention.ablation_job import answer_without, board_order
from bertsent.ui.attention.controls import BOUND, whole_maps
from bertsent.ui.attention.tile_clicks import clicks_on_tiles
from bertsent.ui.shared.downloads import UNSEEN_BAR, download_menu
from bertsent.ui.shared.errors import escape_markdown
from bertsent.ui.shared.jobs import outcome
from bertsent.ui.shared.model_picker import loaded_model

if TYPE_CHECKING:
    from bertsent.probing.heads.head_ablation import AblationGrid, Head
    from bertsent.probing.loaded_model import LoadedModel

BOARD, CHOSEN = "silence_board", "silenced"
LISTED, LEAST = 12, 0.005  # heads that are listed, and what they must be worth at least
IRONIC = ("sarcasm", "irony-marks")
_HOW = """
A silenced head passes nothing on: its columns of what goes into the layer's output projection are zero, everything else is as it was
(Michel, Levy and Neubig 2019, “Are Sixteen Heads Really Better than One?”). ΔP is P(positive) without the head minus P(positive) as it
is, for this review alone; another review has another board. Effects do not add up: heads stand in for each other, so a set can do
more, or less, than its heads one by one. The column “all” silences all heads of a layer together;
the colours are scaled to the single heads.
"""


def show_silence_heads(name: str, text: str) -> None:
    """Draw the board of one review, the chosen set with its answer, and the list of heads that hold
    up the answer.
    """
    model = loaded_model(name)
    if "sentiment" not in model.gives:
        st.info(
            escape_markdown(
                f"{model.name} was not fine-tuned: it has no opinion that could change. Choose a "
                "fine-tuned model."
            )
        )
        return
    order = board_order(model, text)
    found = outcome(order)
    if found is None:
        return
    board, turning = found
    chosen = _choice(model, board, turning)
    _answer(model, text, board, chosen)
    _draw(board, chosen)
    _carriers(model, text, board, turning)


def label_of(head: "Head") -> str:
    """A head as people read it, "6·10"."""
    return f"{head[0] + 1}·{head[1] + 1}"


def _choice(
    model: "LoadedModel", board: "AblationGrid", turning: "tuple[Head, ...]"
) -> "tuple[Head, ...]":
    """Draw the picker of silenced heads with what fills and empties it."""
    every = {
        label_of((layer, head)): (layer, head)
        for layer in range(model.layers)
        for head in range(model.heads)
    }
    kept = st.session_state.get(CHOSEN)
    if kept and not set(kept) <= set(every):
        st.session_state[CHOSEN] = [label for label in kept if label in every]
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        labels = st.multiselect(
            "Silenced heads",
            list(every),
            key=CHOSEN,
            placeholder="Click cells of the board, or choose: layer·head",
            width=420,
            **BOUND,
        )
        best = turning or board.carriers(LEAST)[:1]
        if best:
            said = "Silence what turns the answer" if turning else "Silence the most needed head"
            st.button(
                said, key="silence_best", on_click=_set, args=([label_of(head) for head in best],)
            )
        st.button(
            "Silence none", key="silence_none", on_click=_set, args=([],), disabled=not labels
        )
    return tuple(sorted(every[label] for label in labels))


def _set(labels: list[str]) -> None:
    st.session_state[CHOSEN] = labels


def _answer(
    model: "LoadedModel", text: str, board: "AblationGrid", chosen: "tuple[Head, ...]"
) -> None:
    after = (
        answer_without(model.key, model.max_length, text, chosen, model)
        if chosen
        else board.p_positive
    )
    heads = f"head {label_of(chosen[0])}" if len(chosen) == 1 else f"{len(chosen)} heads"
    with st.container(horizontal=True, gap="large"):
        st.metric(
            "P(positive) as it is",
            f"{100 * board.p_positive:.1f} %",
            _said(board.p_positive),
            delta_color="off",
            delta_arrow="off",
        )
        st.metric(
            f"Without {heads}" if chosen else "Nothing silenced",
            f"{100 * after:.1f} %",
            _said(after),
            delta_color="off",
            delta_arrow="off",
        )
        st.metric("ΔP", f"{100 * (after - board.p_positive):+.1f} points" if chosen else "0")
    st.caption(
        _became(heads if chosen else "", after, turned=(after > 0.5) != (board.p_positive > 0.5))
    )


def _became(heads: str, after: float, *, turned: bool) -> str:
    """Always one line, so that the board keeps its place."""
    if not heads:
        return "Silence a head and see what becomes of the answer."
    return f"Without {heads} the answer {'turns to' if turned else 'stays'} {_said(after)}."


def _said(share: float) -> str:
    return LABELS[int(share > 0.5)]


def _draw(board: "AblationGrid", chosen: "tuple[Head, ...]") -> None:
    from bertsent.figures.ablation_heatmap import WHOLE, ablation_heatmap

    layers, heads = board.heads.shape

    def act(layer: int, head: int) -> None:
        """Silence what was clicked, or let it speak again."""
        every = (
            [label_of((layer - 1, number)) for number in range(heads)]
            if head == WHOLE
            else [label_of((layer - 1, head - 1))]
        )
        if layer > layers or head != WHOLE and head > heads:
            return
        kept = list(st.session_state.get(CHOSEN) or ())
        gone = set(every) <= set(kept)
        st.session_state[CHOSEN] = (
            [k for k in kept if k not in every]
            if gone
            else [*kept, *(e for e in every if e not in kept)]
        )

    figure = ablation_heatmap(board, chosen)
    said = _loudest(board)
    st.plotly_chart(
        figure,
        key=BOARD,
        config=UNSEEN_BAR,
        alt=f"Change of P(positive) by silencing each head. {said}",
    )
    clicks_on_tiles(BOARD, act)
    st.caption(
        escape_markdown(
            f"{said} Orange: P(positive) falls without the head; purple: it rises. Click a cell to "
            "silence it or let it speak."
        )
    )
    with st.container(horizontal=True, gap="small"):
        download_menu(
            BOARD, figure, "silenced-heads", tables={"Numbers": lambda: board_table(board)}
        )
        with st.popover("How is this computed?", type="tertiary"):
            st.markdown(_HOW)


def board_table(board: "AblationGrid") -> pd.DataFrame:
    """One row a head, and one a layer as a whole (head 0): layer, head, P(positive) without it,
    change.
    """
    layers, heads = board.heads.shape
    rows = [
        (n + 1, h + 1, board.heads[n, h], board.change[n, h])
        for n in range(layers)
        for h in range(heads)
    ]
    rows += [(n + 1, 0, board.layers[n], board.layer_change[n]) for n in range(layers)]
    return pd.DataFrame(
        rows, columns=["layer", "head (0: all)", "P(positive) without it", "change of P(positive)"]
    )


def _loudest(board: "AblationGrid") -> str:
    import numpy as np

    place = np.unravel_index(np.abs(board.change).argmax(), board.change.shape)
    head = (int(place[0]), int(place[1]))
    return (
        f"Head {label_of(head)} matters most here: without it P(positive) is "
        f"{100 * board.heads[head]:.1f} % "
        f"instead of {100 * board.p_positive:.1f} %."
    )


def _carriers(
    model: "LoadedModel", text: str, board: "AblationGrid", turning: "tuple[Head, ...]"
) -> None:
    """The heads whose silence takes most from the answer, and what they look at."""
    from bertsent.figures.attention_heatmap import strongest

    answer, truth = _said(board.p_positive), _ironic().get(text)
    ironic = truth is not None and LABELS[truth] == answer
    st.subheader(
        "Heads that carry the irony" if ironic else f"Heads that hold up the answer {answer}",
        anchor=False,
    )
    carriers = board.carriers(LEAST)[:LISTED]
    if not carriers:
        st.caption(
            "No single head is worth half a point of this answer: others stand in for whichever is "
            "silenced."
        )
        return
    maps = whole_maps(model, text)
    rows = [
        (
            label_of(h),
            100 * board.heads[h],
            100 * board.change[h],
            strongest(maps.tokens, maps.weights[h], maps.special, head=h),
        )
        for h in carriers
    ]
    table = pd.DataFrame(
        rows, columns=["head", "P(positive) without it", "ΔP in points", "what it looks at"]
    )
    st.dataframe(
        table,
        hide_index=True,
        key="silence_list",
        column_config={
            "P(positive) without it": st.column_config.NumberColumn(format="%.1f %%"),
            "ΔP in points": st.column_config.NumberColumn(format="%+.1f"),
        },
    )
    st.caption(escape_markdown(_sentence(answer, truth, turning)))


def _sentence(answer: str, truth: int | None, turning: "tuple[Head, ...]") -> str:
    if turning:
        names = (
            " and ".join(label_of(head) for head in turning)
            if len(turning) < 3
            else f"the first {len(turning)} of them"
        )
        said = f"Silencing {names} {'together ' if len(turning) > 1 else ''}turns the answer."
    else:
        said = (
            "The answer does not turn, however many of them are silenced together: it rests on "
            "many heads."
        )
    if truth is None:
        return said
    if LABELS[truth] == answer:
        return (
            f"{said} The review is ironic and the model sees it: without these heads it falls "
            "back towards the literal words."
        )
    return (
        f"{said} The review is ironic, and the model takes it literally: these heads hold up "
        "the wrong answer."
    )


@st.cache_data(max_entries=1, show_spinner=False)
def _ironic() -> dict[str, int]:
    """The ironic reviews that are known, with what they mean: the presets, and those of the
    built-in set.
    """
    from bertsent.data.sources import load_reviews
    from bertsent.ui.shared.review_bar import PRESETS

    known = {
        e.text: e.label
        for e in load_reviews("builtin")
        if e.phenomenon in IRONIC and e.label is not None
    }
    return {**known, PRESETS["Sarcasm"]: 0, PRESETS["Superhero"]: 0}
