"""The worked examples of Each layer."""

import pandas as pd
import streamlit as st

from bertsent.figures.colours import CLUSTERS, HIGHLIGHT
from bertsent.figures.layer_lines import Line, layer_lines
from bertsent.figures.number_grids import Grid, number_grids
from bertsent.figures.worked_examples import attention_bars
from bertsent.probing.loaded_model import LoadedModel
from bertsent.ui.attention.heads import HOW
from bertsent.ui.probe.take_apart.lecture import Card
from bertsent.ui.shared import escape_markdown, show_figure
from bertsent.ui.shared.frame import ATTENTION
from bertsent.worked_examples.attention_by_hand import ATTENTION_BY_HAND
from bertsent.worked_examples.attention_score import ATTENTION_SCORE, key_names
from bertsent.worked_examples.it_pair import IT_PAIR
from bertsent.worked_examples.model_cards import MODEL_CARDS
from bertsent.worked_examples.multi_head import MULTI_HEAD
from bertsent.worked_examples.worked_example import Values

_TARGETS = ((HIGHLIGHT, "circle"), (CLUSTERS[0], "diamond"))  # colour and mark of each word
_SENTENCES = (("first", "solid"), ("second", "dot"))


def _bars(model: LoadedModel, found: Values) -> None:
    weights = found["weights"]
    words = key_names(len(weights))
    show_figure(
        attention_bars(words, weights, len(weights) - 1),
        "attention_score_bars",
        "attention-of-not",
        f"The attention of “not” to each of {len(weights)} words: {found['weight']:.2f} goes to "
        "“good”.",
        caption="",
        tables={"Weights": pd.DataFrame({"word": words, "weight": weights})},
    )


def _lines(lines: dict[str, Line], quantity: str, key: str, sentence: str) -> None:
    table = pd.DataFrame({name: line.values for name, line in lines.items()})
    first = next(iter(lines.values())).begins
    table.insert(0, "layer", range(first, first + len(table)))
    show_figure(
        layer_lines(lines, quantity),
        key,
        key.replace("_", "-"),
        sentence,
        caption="",
        tables={"Numbers": table},
    )


def _it_pair(model: LoadedModel, found: Values) -> None:
    """Where “it” looks, and how its vector changes, layer by layer, side by side."""
    word, *targets = found["words"]
    looks = {
        f"to {target}, {sentence}": Line(found["by_layer"][s, t], colour, dash, mark)
        for s, (sentence, dash) in enumerate(_SENTENCES)
        for t, (target, (colour, mark)) in enumerate(zip(targets, _TARGETS, strict=True))
    }
    changes = {
        f"“{word}”": Line(found["changed"], HIGHLIGHT, begins=0),
        "mean of the other shared words": Line(
            found["others_changed"], CLUSTERS[0], "dot", "diamond", begins=0
        ),
    }
    left, right, in_head = st.columns([9, 9, 7], gap="medium")
    with left:
        _lines(
            looks,
            "attention, mean of the heads",
            "it_pair_looks",
            f"Attention from {word} to {' and '.join(targets)} in both sentences by layer.",
        )
    with right:
        _lines(
            changes,
            "change, 1 − cosine",
            "it_pair_changes",
            f"How much the vector of {word} and those of the other words change with the ending.",
        )

    layer, head = (int(n) + 1 for n in found["head"])
    grid = Grid(
        f"Head {layer}·{head}",
        f"from “{word}”",
        found["in_head"],
        [sentence for sentence, _ in _SENTENCES],
        [f"to {target}" for target in targets],
        places=3,
    )
    in_head.html(number_grids([grid]))


def _cards(model: LoadedModel, found: Values) -> None:
    table = {escape_markdown(name): card for name, card in found["table"].items()}
    st.table(table, border="horizontal")


def _multi_head(model: LoadedModel, found: Values) -> None:
    """The way to the heads themselves."""
    st.caption(
        "Attention draws the same for your review: every head of the model in use, and beside the "
        "grid one of them from x to W^O, step by step, with the model’s card."
    )
    st.page_link(
        ATTENTION.file,
        label="How attention works, on your review",
        query_params={"look": "Heads", "beside": HOW},
    )


LAYERS_CARDS = (
    Card(ATTENTION_SCORE, _bars),
    Card(ATTENTION_BY_HAND),
    Card(MULTI_HEAD, _multi_head),
    Card(IT_PAIR, _it_pair, wide=True),
    Card(MODEL_CARDS, _cards, wide=True),
)
