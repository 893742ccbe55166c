"""What the class is asked next: a sentence, a cluster of the map, a head, or a curve. Nothing here
shows a model's answer: the teacher's screen is often the projector.
"""

from collections.abc import Callable
from urllib.parse import urlencode

import numpy as np
import streamlit as st

from bertsent.classroom.questions.curve import PROMPTS, curve_question
from bertsent.classroom.questions.head import OPTIONS, head_question, word_names, words_at
from bertsent.classroom.questions.map_cluster import cluster_question
from bertsent.classroom.room import Room
from bertsent.classroom.room_events import Question
from bertsent.data.cleaning import typed_review
from bertsent.errors import BadInput, BertsentError
from bertsent.probing.attribution.units import segment_review
from bertsent.probing.heads.attention_maps import AttentionMaps, head_name
from bertsent.probing.loaded_model import LoadedModel
from bertsent.settings import LIMITS
from bertsent.training.runs.run import find_run, list_runs
from bertsent.ui.class_hour.opening import do
from bertsent.ui.class_hour.vote_sentence import sentence_form
from bertsent.ui.map.map_view import ShownMap
from bertsent.ui.shared import (
    PUZZLE,
    choose,
    linked_choice,
    loaded_model,
    run_title,
    select,
    show_error,
)
from bertsent.ui.shared.frame import MAP
from bertsent.ui.shared.model_picker import choose_model, chosen_model

SECONDS = (15, 20, 30, 45, 60, 90, 120, 300)
USUAL_SECONDS = 30
LONGER = "The movie was not very good"  # has words enough to choose from
SHORT = 40  # words of a review whose head is asked about
Make = Callable[[int], Question]


def compose(room: Room) -> None:
    """Draw the choice of a question and the button that asks it."""
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        kind = choose("Ask about", list(FORMS), "vote_kind")
        seconds = st.selectbox(
            "Time to vote",
            SECONDS,
            SECONDS.index(USUAL_SECONDS),
            format_func=_time,
            key="vote_seconds",
            width=130,
            persist_state="session",
        )
        if kind != "Curve":
            choose_model(labelled=True)
    make = None
    try:
        make = FORMS[kind]()
    except BertsentError as error:
        show_error(error)
    st.button(
        "Ask the class",
        type="primary",
        key="vote_ask",
        disabled=make is None,
        on_click=_ask,
        args=(room, make, seconds),
    )


def _time(seconds: int) -> str:
    return f"{seconds} seconds" if seconds < 120 else f"{seconds // 60} minutes"


def _ask(room: Room, make: Make | None, seconds: int) -> None:
    def ask() -> None:
        if make is not None:
            room.ask(make(seconds))

    do(ask)


def _map_form() -> Make | None:
    shown: ShownMap | None = st.session_state.get("map_shown")
    if shown is None:
        st.caption("Draw a map first: its clusters are what the class chooses from.")
        st.page_link(MAP.file, label="Draw one on Map")
        return None
    model = loaded_model(chosen_model())
    BadInput.raise_if(
        model.name != shown.model,
        f"The map was drawn by {shown.model}.",
        "Choose that model, or draw the map anew.",
    )
    k = len(set(shown.map.points["cluster"]))
    st.caption(f"The last map that you drew: {len(shown.reviews):,} reviews in {k} clusters.")
    text = _review_box("vote_map_text", PUZZLE)

    def make(seconds: int) -> Question:
        clean, options = typed_review(text, LIMITS.review_chars), shown.map.options
        vectors, _ = model.embed_and_answer([clean], pooling=options.pooling, layer=options.layer)
        return cluster_question(
            shown.map, clean, vectors[0], seconds, model=model.name, link=_link("Map", clean)
        )

    return make


def _head_form() -> Make | None:
    model = loaded_model(chosen_model())
    text = _review_box("vote_head_text", LONGER)
    maps = _words_of(model, typed_review(text, LIMITS.review_chars))
    places = words_at(maps.tokens)
    if not OPTIONS < len(places) <= SHORT:
        st.caption(f"Write a review of {OPTIONS + 1} to {SHORT} words.")
        return None
    heads = {head: head_name(head) for head in np.ndindex(maps.layers, maps.heads)}
    names = word_names(maps.tokens)
    with st.container(horizontal=True, gap="small"):
        head = st.selectbox(
            "Head",
            list(heads),
            help="layer·head",
            format_func=heads.__getitem__,
            key="vote_head",
            width=160,
        )
        source = st.selectbox(
            "From the word",
            places,
            index=len(places) - 1,
            format_func=names.__getitem__,
            key="vote_head_from",
            width=200,
        )
    return lambda seconds: head_question(
        maps, head, source, seconds, text=text, model=model.name, link=_link("Attention", text)
    )


def _words_of(model: LoadedModel, text: str) -> AttentionMaps:
    units = segment_review(model, text).units
    return model.attend(text).in_words(units).without_special()


def _curve_form() -> Make | None:
    runs = {run.id: run_title(run) for run in list_runs()}
    if not runs:
        st.caption("There is no run yet. Start one on Fine-tune; the class can bet on it live.")
        return None
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        name = linked_choice("Run", runs, key="vote_run", width=320)
        prompts = {kind: said.format(run="the run") for kind, said in PROMPTS.items()}
        asked = select("Question", prompts, "vote_curve")
    run = find_run(name)
    if run.alive():
        st.caption("It still trains: the answer can be revealed once it has ended.")
    return lambda seconds: curve_question(run, asked, seconds)


def _link(page: str, text: str) -> str:
    return f"/{page}?{urlencode({'text': text})}"


def _review_box(key: str, usual: str) -> str:
    st.session_state.setdefault(key, usual)
    return str(st.text_input("Review", max_chars=LIMITS.review_chars, key=key))


FORMS: dict[str, Callable[[], Make | None]] = {
    "Sentence": sentence_form,
    "Map": _map_form,
    "Head": _head_form,
    "Curve": _curve_form,
}
