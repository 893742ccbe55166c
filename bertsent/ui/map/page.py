"""The Map page: one line of controls, then one map, four, or the animation of a run."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from bertsent.data.examples import Reviews
from bertsent.space.projection_map import Method
from bertsent.tasks.catalogue import SENTIMENT
from bertsent.tasks.task import Task
from bertsent.ui.map.before_and_after import before_and_after
from bertsent.ui.map.checkpoint_animation import (
    animated_run,
    choose_animation,
    show_animation,
)
from bertsent.ui.map.choices import take_linked_review
from bertsent.ui.map.link_words import understand_link
from bertsent.ui.map.map_settings import (
    BOTH,
    TIME,
    choose_colour,
    choose_method,
    choose_rest,
    choose_view,
)
from bertsent.ui.map.one_map import one_map
from bertsent.ui.map.review_sample import choose_sample, choose_set, pool_of, sample_sentence
from bertsent.ui.map.search import choose_query
from bertsent.ui.shared import escape_markdown, loaded_model, result, run_task, settings
from bertsent.ui.shared.model_picker import chosen_model


def show_map(row: DeltaGenerator) -> None:
    """Draw the controls into ``row`` and what they choose below it."""
    understand_link()
    take_linked_review()
    name = chosen_model()
    run = animated_run(name)
    with row:
        places = {part: st.container(key=f"map_at_{part}", width="content") for part in _PARTS}
    with places["view"]:
        view = choose_view(run is not None)
    if view == TIME and run is not None:
        if (task := run_task(run)) == SENTIMENT:
            _animation(name, places)
        else:
            _no_animation(run.id, task)
    else:
        _maps(name, view, places)


def _read(reviews: Reviews) -> str:
    """What of the reviews is mapped, where they are more than one text each."""
    return {
        "text": "",
        "two texts": "Only the first text of each pair is mapped.",
        "aspect": "The texts are mapped without their aspects.",
    }[reviews.task.reads]


_PARTS = ("set", "method", "view", "colour", "search", "rest")


def _animation(name: str, places: dict[str, DeltaGenerator]) -> None:
    with places["method"]:
        method = choose_method()
    animation = choose_animation(name, places["colour"], places["rest"])
    show_animation(name, method, *animation)


def _no_animation(run: str, task: Task) -> None:
    words = (
        f"The animation shows P(positive) at every checkpoint, and {run} learns something else "
        f"({task.title}). Choose One map: the checkpoint in the review bar says whose it is."
    )
    with result("map"):
        st.info(escape_markdown(words))


def _maps(name: str, view: str, places: dict[str, DeltaGenerator]) -> None:
    with places["set"]:
        kind = choose_set(name)
    pool = pool_of(kind, name)
    if pool is None:
        with result("map"):
            st.info("The map of your reviews appears here once you upload a file.")
        return
    model = loaded_model(name)
    method: Method = "pca"
    if view != BOTH:
        with places["method"]:
            method = choose_method()
        with places["search"]:
            choose_query()
    with places["rest"], settings():
        reviews = choose_sample(kind, pool)
        with places["colour"]:
            colour = choose_colour(model, reviews)
        chosen = choose_rest(model, method, colour, flat=view == BOTH)
    sample = " ".join(filter(None, (sample_sentence(len(reviews), pool.total), _read(reviews))))
    if view == BOTH:
        before_and_after(name, model, reviews, chosen, sample)
    else:
        one_map(name, model, reviews, chosen, sample)
