"""How far back an early word still reaches: the gradient of several networks' answers at each word
of one review, and where it lies on average over many.
"""

from collections.abc import Callable
from functools import partial

import numpy as np
import streamlit as st

from bertsent.figures.before_bert import mean_reach_lines, reach_heatmap
from bertsent.probing.before_bert.compared import (
    IN_A_ROW,
    LONG,
    compared_networks,
    long_reviews,
    rows_of_reviews,
    scores_sentence,
)
from bertsent.probing.before_bert.reach import (
    Reach,
    by_place,
    mean_reach,
    mean_reach_table,
    reach_sentence,
    reach_table,
    thirds_sentence,
)
from bertsent.probing.before_bert.shipped import readers_hash
from bertsent.probing.loaded_model import LoadedModel
from bertsent.progress import Progress
from bertsent.ui.shared import (
    BY_CONTENT,
    JobRequest,
    choose,
    escape_markdown,
    loaded_model,
    outcome,
    result,
    show_figure,
    show_help,
)

ROW, SHUFFLED, ALONE = "in a row", "in a row and shuffled", "one at a time"
TEXTS: dict[str, Callable[[], list[str]]] = {
    ROW: rows_of_reviews,
    SHUFFLED: partial(rows_of_reviews, shuffled=True),
    ALONE: long_reviews,
}
TOKENS = 20_000  # about what the mean costs: some seconds, so it is made in the background
NO_ANSWER = (
    "{name} was not fine-tuned: it has no answer whose gradient could be taken, so its row is "
    "missing. Choose the built-in model or a run."
)


def show_reach(name: str, text: str) -> None:
    """Draw the share of the gradient at each word for every network.

    Raises:
        BadInput: there is no word.
        NotAvailable: the networks that ship are missing or damaged.
    """
    model = loaded_model(name)
    with result("reach"):
        found = _found(model, text, readers_hash())
        words = next(iter(found.values())).words
        show_figure(
            reach_heatmap({name: reach.shares for name, reach in found.items()}, words),
            "reach_chart",
            "bertsent-reach-of-words",
            reach_sentence(found),
            tables={"Gradients": lambda: reach_table(found)},
        )
    st.caption(escape_markdown(f"{_answers(found)} {_unknown(found)}".strip()))
    if "sentiment" not in model.gives:
        st.caption(escape_markdown(NO_ANSWER.format(name=model.name)))
    with result("reach_mean"):
        _show_mean(model)
    show_help("words", "before_bert_reach", scores=scores_sentence())


@st.cache_data(
    max_entries=64,
    max_size="20MB",
    show_spinner="Asking the networks …",
    hash_funcs=BY_CONTENT,
)
def _found(model: LoadedModel, text: str, weights: str) -> dict[str, Reach]:
    return {name: measure(text) for name, measure in compared_networks(model).items()}


def _answers(found: dict[str, Reach]) -> str:
    said = [f"{name} {100 * reach.p_positive:.0f} %" for name, reach in found.items()]
    return f"P(positive): {'; '.join(said)}."


def _unknown(found: dict[str, Reach]) -> str:
    first = next(iter(found.values()))
    words = [word for word, not_known in zip(first.words, first.unknown, strict=True) if not_known]
    if not words:
        return ""
    listed = ", ".join(f"“{word}”" for word in dict.fromkeys(words))
    return f"The LSTMs have no vector of their own for {listed}."


def _show_mean(model: LoadedModel) -> None:
    """The same over many reviews, so that what a single one says matters less."""
    order = choose("Built-in reviews", list(TEXTS), "before_mean")

    def work(progress: Progress) -> dict[str, np.ndarray]:
        return mean_reach(compared_networks(model), TEXTS[order](), progress=progress)

    found = outcome(
        JobRequest(
            f"before-bert-{readers_hash()}-{model.key}-{order}",
            work,
            "Reading built-in reviews",
            "Read built-in reviews",
            tokens=TOKENS,
        )
    )
    if found is None:
        return
    thirds = {name: by_place(shares, 3) for name, shares in found.items()}
    show_figure(
        mean_reach_lines(found),
        "reach_mean_chart",
        "bertsent-mean-reach",
        thirds_sentence(thirds, _where(order)),
        tables={"Means": lambda: mean_reach_table(found)},
    )


def _where(order: str) -> str:
    count = len(TEXTS[order]())
    if order == ALONE:
        return f"On average over {count} built-in reviews of at least {LONG} words"
    mixed = ", the words of each shuffled" if order == SHUFFLED else ""
    return f"On average over {count} texts of {IN_A_ROW} words, built-in reviews in a row{mixed}"
