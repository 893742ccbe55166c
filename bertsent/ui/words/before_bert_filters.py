"""Filters over words: what each filter of a small CNN finds in a review and adds to its answer, and
the course's example of a detector that is cut short.
"""

import pandas as pd
import streamlit as st

from bertsent.data.sources import load_reviews
from bertsent.figures.before_bert import feature_map, filter_bars
from bertsent.probing.before_bert.compared import scores_sentence
from bertsent.probing.before_bert.networks import CNN
from bertsent.probing.before_bert.shipped import readers_hash, shipped_readers
from bertsent.probing.before_bert.word_filters import (
    FilterMatches,
    best_matches,
    filter_matches,
    matches_sentence,
    width_of,
)
from bertsent.ui.probe.take_apart.lecture import show_example
from bertsent.ui.shared import (
    escape_markdown,
    number_columns,
    result,
    select,
    show_figure,
    show_help,
)
from bertsent.worked_examples.word_filter import LIKE_DETECTOR

SHOWN = 9  # filters with a bar
STRONGEST = 0


def show_filters(text: str) -> None:
    """Draw the filters that decide, one of them large, and the worked example.

    Raises:
        BadInput: there is no word.
        NotAvailable: the networks that ship are missing or damaged.
    """
    found = filter_matches(shipped_readers()[CNN], text)
    ranked = found.rows["filter"].tolist()
    left, right = st.columns([5, 6], gap="medium")
    with right:
        named = {STRONGEST: "the strongest", **{n: f"filter {n}" for n in sorted(ranked)}}
        chosen = select("Filter", named, "before_filter", width=200) or ranked[0]
    with left, result("filters"):
        _show_contributions(found, ranked.index(chosen))
    with right, result("filter"):
        _show_filter(found, chosen)
    show_help("words", "before_bert_filters", scores=scores_sentence((CNN,)))
    show_example(LIKE_DETECTOR)


def _show_contributions(found: FilterMatches, chosen: int) -> None:
    top = found.rows.head(SHOWN)
    names = [f"{row.filter}: {row.words or '–'}" for row in top.itertuples()]
    show_figure(
        filter_bars(names, top["contribution"].tolist(), chosen),
        "filters_chart",
        "bertsent-filters",
        matches_sentence(found),
        tables={"Filters": found.rows},
    )


def _show_filter(found: FilterMatches, chosen: int) -> None:
    row = found.rows.set_index("filter").loc[chosen]
    where = f"largest on “{row.words}”: {row.match:.2f}" if row.words else "nothing matches"
    spans, places = width_of(chosen), found.places(chosen)
    stands = "1 place" if len(places) == 1 else f"{len(places)} places"
    sentence = (
        f"Filter {chosen} spans {spans} words and whole vectors, so its map over "
        f"{len(found.words)} words has {stands}; {where}. Only this one number goes on, times "
        f"{row.weight:+.2f}."
    ).replace("-", "\N{MINUS SIGN}")
    matches = found.maps[chosen - 1]
    show_figure(
        feature_map(places, matches),
        "filter_chart",
        f"bertsent-filter-{chosen}",
        sentence,
        tables={"Matches": pd.DataFrame({"words": places, "match": matches})},
    )
    st.caption(escape_markdown(f"What filter {chosen} likes best in the built-in reviews:"))
    st.dataframe(
        _elsewhere(chosen, readers_hash()),
        hide_index=True,
        key="filter_elsewhere",
        column_config=number_columns({"match": "%.2f"}),
    )


@st.cache_data(max_entries=48, max_size="5MB", show_spinner="Reading built-in reviews …")
def _elsewhere(number: int, weights: str) -> pd.DataFrame:
    texts = [row.text for row in load_reviews("builtin") if row.split == "validation"]
    return best_matches(shipped_readers()[CNN], texts, number)
