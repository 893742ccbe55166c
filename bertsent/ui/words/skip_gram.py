"""Skip-gram: the training pairs of a sentence, the shapes of one-hot vectors times matrices,
and word2vec that learns while one watches.
"""

import pandas as pd
import streamlit as st

from bertsent.errors import BadInput
from bertsent.figures.skip_gram import shape_boxes
from bertsent.space.word2vec import Corpus
from bertsent.ui.probe.take_apart.lecture import show_example
from bertsent.ui.shared import (
    choose,
    download_menu,
    escape_markdown,
    result,
    show_figure,
    show_help,
)
from bertsent.ui.shared.tabs import remember_parts
from bertsent.ui.words.encoder import controls_row
from bertsent.ui.words.skip_gram_texts import chosen_corpus, chosen_name
from bertsent.ui.words.skip_gram_training import show_training
from bertsent.worked_examples.skip_gram import PAIRS, SHAPES, skip_gram_pairs
from bertsent.worked_examples.worked_example import Values

PART = "skip_part"
PAIR_PART, SHAPE_PART, LIVE = "Training pairs", "Matrix shapes", "Live training"
PARTS = (PAIR_PART, SHAPE_PART, LIVE)
_BOXES = ("one-hot", "table", "vector", "vector", "matrix", "scores")


def show_skip_gram() -> None:
    """One of three parts."""
    row = controls_row()
    with row:
        part = choose("Part", PARTS, PART, label_visibility="collapsed", width="content")
        remember_parts(PART, PARTS)
    if part == LIVE:
        show_training(row)
        return
    if part == PAIR_PART:
        _show_pairs()
    else:
        _show_shapes()


def _show_pairs() -> None:
    kept: list[Values] = []
    show_example(PAIRS, kept.append)
    if kept:
        with result("skip_gram_all_pairs"):
            _all_pairs(kept[0])
    show_help("words", "skip_gram_pairs")


def _all_pairs(found: Values) -> None:
    """Every pair of the sentence, in the order in which they are read."""
    pairs = skip_gram_pairs(found["words"], found["window"])
    table = pd.DataFrame(pairs, columns=["word, given", "word, to be predicted"])
    st.caption(
        escape_markdown(
            f"All {len(pairs)} pairs with a window of {found['window']}; at an end of the "
            "sentence a word has fewer."
        )
    )
    st.dataframe(table, hide_index=True, key="skip_gram_pairs_table", height=250)
    download_menu("skip_gram_pairs", None, "bertsent-pairs", tables={"Pairs": table})


def _show_shapes() -> None:
    show_example(SHAPES, _draw_shapes)
    try:
        st.markdown(escape_markdown(own_shapes(chosen_corpus(), chosen_name())))
    except BadInput as error:
        st.info(escape_markdown(str(error)))
    show_help("words", "skip_gram_shapes")


def _draw_shapes(found: Values) -> None:
    entries, width = int(found["entries"]), int(found["width"])
    show_figure(
        shape_boxes(
            [
                ((1, entries), (entries, width), (1, width)),
                ((1, width), (width, entries), (1, entries)),
            ],
            _BOXES,
        ),
        "shapes_chart",
        "bertsent-shapes",
        f"A word is a row of the table: {width:,} numbers instead of {entries:,}.",
    )


def own_shapes(corpus: Corpus, name: str) -> str:
    """The same shapes with the words of the texts that are learned from beside."""
    size, width = len(corpus.words), 64
    return (
        f"{name}: {size:,} words have a vector, so here it is [1×{size}] · [{size}×{width}] = "
        f"[1×{width}] and [1×{width}] · [{width}×{size}] = [1×{size}], {2 * size * width:,} "
        f"weights in all. “{corpus.words[0]}” is word 1, the most frequent one; "
        f"“{corpus.words[-1]}” is word {size:,}."
    )
