"""Aspects: what a sentence says of each thing in it, the input as the model reads it, and where the
aspect looks.
"""

import html
from collections.abc import Sequence

import streamlit as st

from bertsent.data.cleaning import typed_review
from bertsent.errors import BadInput
from bertsent.figures.aspect_bars import SIGNS, aspect_bars
from bertsent.figures.step_bars import step_colours
from bertsent.probing.loaded_model import LoadedModel
from bertsent.probing.tasks.aspect_finder import find_aspects, may_be_asked, words_in
from bertsent.probing.tasks.aspects import (
    AspectAnswer,
    AspectInput,
    answer_aspects,
    aspect_table,
    aspects_sentence,
    check_aspect,
    marked_aspects,
    read_aspect,
)
from bertsent.settings import LIMITS
from bertsent.ui.probe.take_apart.cards import show_inputs, style_cards
from bertsent.ui.probe.task_models import (
    examples_menu,
    offer_training,
    scored_model,
    task_row,
)
from bertsent.ui.shared import (
    BY_CONTENT,
    UNSEEN_BAR,
    current_review,
    downloads_and_help,
    escape_markdown,
    linked_name,
    plotly_chart,
    result,
    show_error,
)
from bertsent.ui.shared.links import linked_segments, linked_text, set_in_link
from bertsent.ui.shared.task_tabs import ASPECTS

SENTENCE, CHOSEN, ASKED = ASPECTS.texts  # the last: the sentence that the chosen ones are of
LOOKED_AT, EXAMPLES = "aspect_looked_at", "aspects_examples"
PRESETS = {  # the first is row 001-30
    "Phone": "The phone camera is excellent but battery life is terrible.",
    "Restaurant": "The soup was cold, but the waiter could not have been kinder.",
    "Film": "The acting is superb, the plot makes no sense, and the film runs two hours.",
    "Turned": "Nobody could call the service slow.",
}
MOST = 8  # aspects asked of one sentence
BETWEEN = "|"
STYLE = (
    "<style>.aspects {overflow-wrap: anywhere; line-height: 1.9; font-size: 1.15rem} "
    ".aspects mark {border-radius: 3px; padding: 1px 5px; font-weight: 600}</style>"
)


@st.cache_data(max_entries=256, show_spinner=False, hash_funcs=BY_CONTENT)
def _answers(
    model: LoadedModel, sentence: str, aspects: tuple[str, ...]
) -> tuple[AspectAnswer, ...]:
    return answer_aspects(model, sentence, aspects)


@st.cache_data(max_entries=256, show_spinner=False, hash_funcs=BY_CONTENT)
def _read(model: LoadedModel, sentence: str, aspect: str) -> AspectInput:
    return read_aspect(model, sentence, aspect)


def show_aspects() -> None:
    """Draw what the sentence says of each aspect.

    Raises:
        BertsentError: the model does not answer, or the sentence cannot be asked.
    """
    with task_row():
        typed = linked_text(
            "Sentence",
            PRESETS["Phone"],
            key=SENTENCE,
            longest=LIMITS.review_chars,
            label_visibility="collapsed",
            placeholder="A sentence with aspects",
        )
        examples_menu(PRESETS, _take, EXAMPLES)
        st.button("Use the review", key="aspects-review", type="tertiary", on_click=_take_review)
        model = scored_model("Model of aspects", ASPECTS)
    if model is None:
        offer_training("what is said of each aspect")
        return
    sentence = typed_review(typed, LIMITS.review_chars)
    place = result("aspects")
    aspects = _chosen_aspects(sentence)
    if not aspects:
        place.info("No aspect was found. Click the words below that something is said of.")
        return
    with place:
        answers = _answers(model, sentence, aspects)
        st.html(STYLE + marked_html(marked_aspects(sentence, answers)))
        _show_answers(answers, model.name)
    _show_input(model, sentence, aspects)


def marked_html(parts: Sequence[tuple[str, AspectAnswer | None]]) -> str:
    """The sentence with its aspects on the colour of their label, a sign before each; all of it
    escaped.
    """
    drawn = []
    for text, answer in parts:
        said = html.escape(text)
        if answer is not None:
            place = answer.labels.index(answer.label)
            back = step_colours(len(answer.labels))[place]
            ink = "#FFFFFF" if place == len(answer.labels) - 1 else "#000000"
            sign = SIGNS[place] if len(answer.labels) == len(SIGNS) else ""
            said = f'<mark style="background:{back};color:{ink}">{sign}&nbsp;{said}</mark>'
        drawn.append(said)
    return f"<div class='aspects'>{''.join(drawn)}</div>"


def _take(sentence: str) -> None:
    st.session_state[SENTENCE] = sentence


def _forget_chosen() -> None:
    st.session_state.pop(CHOSEN, None)
    set_in_link(CHOSEN, None)


def _take_review() -> None:
    try:
        _take(current_review())
    except BadInput as error:
        show_error(error)


def _chosen_aspects(sentence: str) -> tuple[str, ...]:
    """Those that were found, or clicked, or that the link names; what is not in the sentence is
    named and left out.
    """
    if st.session_state.get(ASKED, sentence) != sentence:  # those were of another sentence
        _forget_chosen()
    st.session_state[ASKED] = sentence
    found = [span.text for span in find_aspects(sentence)][:MOST]
    words = [span.text for span in words_in(sentence) if may_be_asked(span.text)]
    kept = linked_name(CHOSEN).split(BETWEEN) if linked_name(CHOSEN) else found
    usual = _in_sentence(kept, sentence)
    options = list(dict.fromkeys([*found, *usual, *words]))
    widget = f"aspect-words-{hash(sentence)}"
    if widget not in st.session_state:
        st.session_state[widget] = usual
    chosen = st.pills(
        "Click words to add or remove aspects",
        options,
        selection_mode="multi",
        key=widget,
        format_func=escape_markdown,
    )
    aspects = tuple(each for each in options if each in chosen)[:MOST]
    same = list(aspects) == found
    st.session_state[CHOSEN] = "" if same else BETWEEN.join(aspects)
    set_in_link(CHOSEN, None if same else BETWEEN.join(aspects))
    return aspects


def _in_sentence(aspects: list[str], sentence: str) -> list[str]:
    there = []
    for aspect in aspects[:MOST]:
        try:
            check_aspect(aspect, sentence)
            there.append(aspect)
        except BadInput as error:
            show_error(error)
    return there


def _show_answers(answers: tuple[AspectAnswer, ...], name: str) -> None:
    chart = aspect_bars(answers[0].labels, {each.aspect: each.probabilities for each in answers})
    said = aspects_sentence(answers)
    plotly_chart(chart, key="aspect-bars", config=UNSEEN_BAR, alt=said)
    st.caption(escape_markdown(f"{name}. {said}"))
    downloads_and_help(
        "aspect-bars",
        chart,
        "aspects",
        ("probe", "aspects"),
        tables={"Aspects": aspect_table(answers)},
    )


def _show_input(model: LoadedModel, sentence: str, aspects: tuple[str, ...]) -> None:
    with result("aspect_input"):
        options = {aspect: escape_markdown(aspect) for aspect in aspects}
        aspect = linked_segments("Aspect", options, key=LOOKED_AT, label_visibility="collapsed")
        read = _read(model, sentence, aspect)
        style_cards()
        said = read.sentence(aspect)
        percent = [f"{100 * share:.0f} %" if share else "" for share in read.shares]
        show_inputs(read.inputs, {"segment": read.inputs.segments, "looked at": percent}, alt=said)
        st.caption(escape_markdown(said))
