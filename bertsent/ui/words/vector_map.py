"""The input vectors on a map: the most frequent words, a word that is looked for, and its nearest
neighbours among all.
"""

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from bertsent.errors import BadInput
from bertsent.figures.word_map import ASKED, NEAR, word_map_figure
from bertsent.settings import home
from bertsent.space.word_map import METHODS, WordMethod, word_map
from bertsent.space.word_vectors import WordVectors, neighbours_of, neighbours_sentence
from bertsent.ui.shared import (
    JobRequest,
    choose,
    escape_markdown,
    number_columns,
    outcome,
    result,
    select,
    show_figure,
    show_help,
)
from bertsent.ui.shared.links import linked_text

WORD, METHOD, COUNT, CHART = "vectors_word", "vectors_method", "vectors_count", "word_map_chart"
COUNTS = (2_000, 1_000, 4_000)
USUAL, LONGEST, HEIGHT = "film", 60, 480


def show_word_map(vectors: WordVectors, key: str, row: DeltaGenerator) -> None:
    """The map on the left, the neighbours of the word on the right; they do not wait for the
    map.
    """
    with row:
        method = choose("Method", METHODS, METHOD, label_visibility="collapsed", width="content")
    left, right = st.columns([3, 2], gap="medium")
    with right:
        with st.container(horizontal=True, gap="small"):
            typed = linked_text(
                "Find a word, or click a dot",
                USUAL,
                key=WORD,
                longest=LONGEST,
                icon=":material/search:",
            )
            named = {count: f"{count:,} words" for count in COUNTS}
            count = select("On the map", named, COUNT, width=150)
        word, near = _neighbours(vectors, typed)
    with left, result("word_map"):
        points = _points(vectors, key, count, method)
        if points is not None:
            _show_map(points, word, near, vectors)
    show_help("words", "word_map")


def _points(vectors: WordVectors, key: str, count: int, method: WordMethod) -> pd.DataFrame | None:
    """The places of the words, once they are worked out in the background."""
    found: pd.DataFrame | None = outcome(
        JobRequest(
            f"word-map-{key}-{count}-{method}",
            lambda progress: word_map(
                vectors, count, method, cache=home() / "cache" / "space", progress=progress
            ),
            f"A map of {count:,} words",
            "Draw the map",
            lane="short" if method == "pca" else "long",
            unasked=True,
        )
    )
    return found


def _neighbours(vectors: WordVectors, typed: str) -> tuple[str, pd.DataFrame | None]:
    """The word that was found, empty where there is none, and its neighbours, drawn."""
    try:
        word = vectors.find(typed)
    except BadInput as error:
        st.info(escape_markdown(str(error)))
        return "", None
    near = neighbours_of(vectors, word)
    with result("word_neighbours"):
        st.caption(escape_markdown(neighbours_sentence(vectors, word, near)))
        st.dataframe(
            near,
            hide_index=True,
            key="word_neighbours_table",
            column_config=number_columns({"cosine": "%.3f"}),
        )
    return word, near


def _show_map(
    points: pd.DataFrame, word: str, near: pd.DataFrame | None, vectors: WordVectors
) -> None:
    found = {} if near is None else {each: NEAR for each in near["word"]}
    marked = {**found, word: ASKED} if word else {}

    def clicked() -> None:
        for point in st.session_state[CHART].selection.points:
            place = int(np.ravel(point.get("customdata") or [0])[0])
            if 1 <= place <= len(points):
                st.session_state[WORD] = str(points["word"].iloc[place - 1])

    show_figure(
        word_map_figure(points, marked, height=HEIGHT),
        CHART,
        "bertsent-word-map",
        _map_sentence(points, word, list(found), vectors),
        tables={"Places": points},
        on_select=clicked,
        selection_mode="points",
    )


def _map_sentence(points: pd.DataFrame, word: str, near: list[str], vectors: WordVectors) -> str:
    """Where the word lies, and how many of its neighbours the map really keeps near."""
    said = f"The {len(points):,} most frequent of {int(vectors.whole.sum()):,} words."
    if not word:
        return said
    place = points.index[points["word"] == word]
    if not len(place):
        shown = int(points["word"].isin(near).sum())
        return (
            f"{said} “{word}” is rarer and not among them; of its {len(near)} nearest {shown} are."
        )
    spots = points[["x", "y"]].to_numpy()
    distance = np.linalg.norm(spots - spots[place[0]], axis=1)
    shown = points.index[points["word"].isin(near)]
    nearest = set(np.argsort(distance, kind="stable")[1 : len(near) + 1])
    kept = sum(index in nearest for index in shown)
    return (
        f"{said} Of the {len(near)} nearest to “{word}” {len(shown)} are on the map, and {kept} "
        f"among its {len(near)} nearest dots: two dimensions keep only part of "
        f"{vectors.vectors.shape[1]}."
    )
