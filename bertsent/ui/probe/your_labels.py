"""Your labels: what a model answers that learned labels, or a number, from somebody's own file."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import streamlit as st

from bertsent.data.cleaning import shorten
from bertsent.data.examples import Example, Reviews
from bertsent.data.task_facts import truths
from bertsent.errors import BertsentError
from bertsent.figures.feelings import feeling_bars
from bertsent.figures.label_bars import label_bars, number_on_scale
from bertsent.probing.loaded_model import LoadedModel
from bertsent.probing.registry import find_model
from bertsent.probing.tasks.feelings import FeelingsAnswer, answer_feelings
from bertsent.probing.tasks.own_labels import LabelAnswer, NumberAnswer, answer_own
from bertsent.tasks.mixed import MixedTask
from bertsent.tasks.task import OneLabel, SeveralLabels
from bertsent.training.runs.run import find_run
from bertsent.ui.probe.pair_boxes import fill_boxes, pair_boxes
from bertsent.ui.probe.task_models import (
    choose_task_name,
    examples_menu,
    load_task_model,
    offer_training,
    task_row,
)
from bertsent.ui.shared import (
    BY_CONTENT,
    UNSEEN_BAR,
    choose_review,
    downloads_and_help,
    escape_markdown,
    plotly_chart,
    result,
    run_splits,
)
from bertsent.ui.shared.links import linked_slider
from bertsent.ui.shared.task_tabs import OWN, OWN_TEXTS

EXAMPLES, THRESHOLD = "own_examples", "own_threshold"
OFFERED, LETTERS = 6, 48  # examples in the menu, and letters of each
USUAL = ("A first text.", "A second text.")


@st.cache_data(max_entries=256, show_spinner=False, hash_funcs=BY_CONTENT)
def _answer(
    model: LoadedModel, text: str, second: str
) -> LabelAnswer | NumberAnswer | FeelingsAnswer:
    if isinstance(model.task, SeveralLabels):
        return answer_feelings(model, text)
    return answer_own(model, text, second)


def show_your_labels(text: str) -> None:
    """Draw what the model of somebody's own task says of the review, or of two texts.

    Raises:
        BertsentError: the model does not answer, or a text cannot be asked.
    """
    row = task_row()
    with row:
        name = choose_task_name("Model of your labels", OWN)
    if not name:
        offer_training("labels of your own", "bring a file with the columns “text” and “label”")
        return
    model, examples = load_task_model(name, OWN), _examples(name)
    with row:
        _offer(examples, pair=model.task.reads == "two texts")
    with result("your_labels"):
        asked = (text, "")
        if model.task.reads == "two texts":
            first = next(iter(examples), None)
            asked = pair_boxes(OWN_TEXTS, (first.text, first.second) if first else USUAL)
        _show(model, asked, _truth(name, asked))


def _examples(name: str) -> list[Example]:
    """Some validation reviews of the run that this model is of, one of each label where there are
    not too many; none of another model.
    """
    reviews = _reviews_of(name)
    if reviews is None:
        return []
    targets, first = reviews.targets, dict[str, int]()
    for place, target in enumerate(targets):
        first.setdefault(str(target), place)
    chosen = sorted(first.values(), key=targets.__getitem__)
    return [reviews.examples[place] for place in chosen[:: -(-len(chosen) // OFFERED)]]


def _reviews_of(name: str) -> Reviews | None:
    with suppress(BertsentError):
        run = find_model(name, folders=False).run
        reviews = run_splits(find_run(run)).validation if run else None
        return None if reviews is None or isinstance(reviews.task, MixedTask) else reviews
    return None


def _offer(examples: Sequence[Example], *, pair: bool) -> None:
    """The menu of examples, by their first words."""
    named = {shorten(example.text, LETTERS): example for example in examples}

    def take(example: Example) -> None:
        if pair:
            fill_boxes(OWN_TEXTS, (example.text, example.second))
        else:
            choose_review(example.text)

    if named:
        examples_menu(named, take, EXAMPLES, "Texts it did not learn from")


def _truth(name: str, asked: tuple[str, str]) -> str:
    """What the validation reviews say of these texts, if they are among them."""
    reviews = _reviews_of(name)
    for place, example in enumerate(reviews or ()):
        if reviews and (example.text, example.second) == asked:
            return f"Its file says: {_in_words(reviews, place)}."
    return ""


def _in_words(reviews: Reviews, place: int) -> str:
    task, example = reviews.task, reviews.examples[place]
    if isinstance(task, OneLabel) and example.label is not None:
        return task.labels[example.label]
    return truths(reviews.take([place]))[0]


def _show(model: LoadedModel, asked: tuple[str, str], truth: str) -> None:
    answer = _answer(model, *asked)
    place = st.container()
    if isinstance(answer, FeelingsAnswer):
        threshold = linked_slider("Threshold, per cent", 5, 95, 50, key=THRESHOLD, step=5) / 100
        title, said = answer.title(threshold), [answer.sentence(threshold), answer.sum_sentence()]
        chart: Any = feeling_bars(answer.labels, answer.probabilities, threshold)
        table = answer.table(threshold)
    else:
        title, said, table = answer.title(), [answer.sentence()], answer.table()
        chart = (
            label_bars(answer.ranked)
            if isinstance(answer, LabelAnswer)
            else number_on_scale(answer.number, answer.low, answer.high, answer.measure)
        )
    words = " ".join(filter(None, (*said, truth)))
    with place:
        st.subheader(escape_markdown(title), anchor=False)
        plotly_chart(chart, key="your-labels", config=UNSEEN_BAR, alt=words)
        st.caption(escape_markdown(f"{model.name}. {words}"))
        downloads_and_help(
            "your-labels", chart, "your-labels", ("probe", "your_labels"), tables={"Answer": table}
        )
