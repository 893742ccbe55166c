"""A sentence for the class: one's own, one of the built-in set, or one on which the models differ.
It shows none of their answers.
"""

from collections.abc import Callable
from functools import partial
from urllib.parse import urlencode

import pandas as pd
import streamlit as st

from bertsent.classroom.questions.sentence import LONGEST, most_disputed, sentence_question
from bertsent.classroom.room_events import Question
from bertsent.data.cache import cache_key
from bertsent.data.examples import LABELS, Example, Reviews
from bertsent.data.sources import load_reviews
from bertsent.errors import BertsentError, NotAvailable
from bertsent.probing.baselines.answers import Classifier
from bertsent.probing.baselines.shipped import FOUR, TRAINED_ON, shipped_baselines
from bertsent.probing.pairs.template_grid import GridTemplate, lines_of
from bertsent.settings import home
from bertsent.ui.probe.irony_grid import USUAL
from bertsent.ui.probe.others_say_training import CHOICES, bert_classifier
from bertsent.ui.shared import JobRequest, choose, escape_markdown, outcome, select, show_error
from bertsent.ui.shared.model_picker import MODEL

OWN, BUILT_IN, DISPUTED = "Your own", "Built-in", "Models disagree"
HARD, GRID = "Hard one-liners", "Irony grid"
NO_LABEL = "Not known"
_PICK = 60  # of the disputed ones


def sentence_form() -> Callable[[int], Question] | None:
    """Draw the choice of a sentence; gives back what makes the question, None while there is
    none.
    """
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        source = choose("From", (OWN, BUILT_IN, DISPUTED), "vote_source")
        learned = select(
            "Simpler classifiers learned from",
            {name: CHOICES[name] for name in TRAINED_ON},
            "vote_trained",
            width=220,
        )
    classifiers = _classifiers(learned)
    text, truth = _own() if source == OWN else _drawn(source, classifiers)
    if not text.strip():
        if source == OWN:
            st.caption("Write a sentence first.")
        return None
    link = f"/Probe?{urlencode({'text': text, 'probe': 'Others say'})}"
    return lambda seconds: sentence_question(text, classifiers, seconds, truth=truth, link=link)


def _classifiers(learned: str) -> list[Classifier]:
    """Those that can answer, from the simplest to the chosen model; says who cannot."""
    found: list[Classifier] = []
    for ask in (lambda: _baselines(learned), _bert):
        try:
            found += ask()
        except BertsentError as error:
            show_error(error)
    NotAvailable.raise_if(not found, "No model can answer.", "The class alone is no prediction.")
    return found


def _bert() -> list[Classifier]:
    name = st.session_state.get(MODEL)
    if not name:
        raise NotAvailable("No model that classifies is chosen.", "The others are asked alone.")
    return [bert_classifier(name)]


def _baselines(learned: str) -> list[Classifier]:
    shipped = shipped_baselines(learned)
    return [shipped[name] for name in FOUR]


def _own() -> tuple[str, int | None]:
    text = st.text_input(
        "Sentence",
        max_chars=LONGEST,
        key="vote_text",
        placeholder="Write a review that is not easy to read",
    )
    label = choose("It is", (NO_LABEL, *LABELS), "vote_truth")
    return text or "", None if label == NO_LABEL else LABELS.index(label)


def _drawn(source: str, classifiers: list[Classifier]) -> tuple[str, int | None]:
    if source == BUILT_IN:
        reviews = _hard_reviews()
        labels = [LABELS[example.label or 0] for example in reviews]
        table = pd.DataFrame({"text": reviews.texts, "true": labels})
        about = "a hard one-liner of the test part, which no model here has learned from"
    else:
        which = choose("Among", (HARD, GRID), "vote_among")
        reviews = _hard_reviews() if which == HARD else _grid_reviews()
        found = _disputed(reviews, classifiers)
        if found is None:
            return "", None
        table, about = found.head(_PICK), "the sentence on which they differ most comes first"
    if not len(table):
        st.caption("The models agree on all of these.")
        return "", None
    row = st.selectbox(
        f"Sentence: {about}",
        range(len(table)),
        format_func=lambda place: table["text"].iloc[place],
        key=f"vote_row_{source}_{len(table)}",
    )
    label = table["true"].iloc[row]
    st.caption(
        escape_markdown(
            f"{len(table):,} to choose from. "
            + ("Its label is known and revealed with the answers." if label else "It has no label.")
        )
    )
    return table["text"].iloc[row], LABELS.index(label) if label else None


def _disputed(reviews: Reviews, classifiers: list[Classifier]) -> pd.DataFrame | None:
    cache = home() / "cache" / "duel"
    key = cache_key(reviews.sha256, *(each.key for each in classifiers))
    return outcome(
        JobRequest(
            f"disputed-{key}",
            partial(most_disputed, classifiers, reviews, cache),
            f"{len(classifiers)} models answer {len(reviews):,} sentences",
            "Find them",
            lane="long",
            unasked=True,
        )
    )


@st.cache_resource(show_spinner=False)
def _hard_reviews() -> Reviews:
    """The built-in test part as far as it can be read from the last row."""
    whole = load_reviews("builtin")
    return whole.where([e.split == "test" and len(e.text) <= LONGEST for e in whole])


@st.cache_resource(show_spinner=False)
def _grid_reviews() -> Reviews:
    """The sentences of the irony grid as it ships; none has a label."""
    plan = GridTemplate(
        USUAL["grid_template"],
        lines_of(USUAL["grid_openers"]),
        lines_of(USUAL["grid_adjectives"]),
        USUAL["grid_noun"],
    )
    filled = [plan.fill(opener, adj) for opener in plan.openers for adj in plan.adjectives]
    return Reviews("irony grid", tuple(Example(f"grid-{n}", t) for n, t in enumerate(filled)))
