"""What would flip it: the fewest word changes after which the model answers otherwise, shown as
edits.
"""

import html

import streamlit as st

from bertsent.data.cache import cache_key
from bertsent.probing.answer import answer_label
from bertsent.probing.attribution.units import SegmentedReview, segment_review
from bertsent.probing.counterfactual.candidates import own_words
from bertsent.probing.counterfactual.search import (
    MOST,
    Counterfactual,
    CounterfactualSearch,
    Edit,
    EditKind,
    find_counterfactuals,
)
from bertsent.ui.probe.no_answer import knows_no_word
from bertsent.ui.shared import (
    LINKED,
    JobRequest,
    choose_review,
    download_menu,
    escape_markdown,
    loaded_model,
    outcome,
    result,
    settings,
    show_help,
)

KINDS: dict[EditKind, tuple[str, str]] = {
    "neighbours": (
        "Neighbours",
        "A word becomes one of the eight nearest words in the model's own vocabulary.",
    ),
    "opposites": (
        "Opposites",
        "A word becomes its opposite from a list of about eighty pairs, such as great and "
        "terrible.",
    ),
    "delete": ("Leave out", "A word is left out."),
    "not": ("Insert “not”", "“not” is put in front of a word."),
}
CARDS = 5
WHOLE, AROUND = 60, 12  # a longer review is shown with so many words around each change


def show_counterfactuals(name: str, text: str) -> None:
    """Draw the search for the smallest change that flips the answer of the model of that registry
    name.

    Raises:
        BertsentError: the model does not answer, or nothing may be changed.
    """
    model = loaded_model(name)
    if knows_no_word(model, text):
        return
    kinds, own = _controls()
    with result("flip"):
        if not kinds:
            _offer_kinds()
            return
        review = segment_review(model, text)
        found = outcome(
            JobRequest(
                f"flip-{cache_key(model.key, model.max_length, review.text, kinds, own)}",
                lambda progress: find_counterfactuals(
                    model, text, kinds=kinds, own=own, progress=progress
                ),
                "Trying changes",
                "Search for a flip",
                len(review.ids) * min(600, len(review.units) * 14) * 2,
            )
        )
        if found is None:
            return
        _show_search(found, review)
    _show_numbers(found)


def _controls() -> tuple[tuple[EditKind, ...], tuple[str, ...]]:
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        typed = st.text_input(
            "Words of your own to try",
            key="flip_own",
            max_chars=600,
            placeholder="Words of your own to try: gripping, superb, mediocre",
            label_visibility="collapsed",
            **LINKED,
        )
        with settings():
            st.caption("Which changes are tried")
            kinds: list[EditKind] = [
                kind
                for kind, (label, about) in KINDS.items()
                if st.checkbox(label, value=True, key=f"flip_{kind}", help=about, **LINKED)
            ]
    own = own_words(typed or "")
    return (*kinds, *(("own",) if own else ())), own


def _offer_kinds() -> None:
    st.info("Allow at least one kind of change, or type words of your own to try.")
    st.button(
        "Allow all kinds",
        key="flip_all",
        type="primary",
        on_click=st.session_state.update,
        args=({f"flip_{kind}": True for kind in KINDS},),
    )


def _show_search(found: CounterfactualSearch, review: SegmentedReview) -> None:
    st.subheader(escape_markdown(found.headline()), anchor=False)
    cards = found.counterfactuals[:CARDS] or ((found.closest,) if found.closest else ())
    for number, each in enumerate(cards):
        _show_card(each, review, number)
    cut = " The review continues, but the model does not read the rest." if review.cut else ""
    st.caption(escape_markdown(found.extent_sentence() + cut))


def _show_numbers(found: CounterfactualSearch) -> None:
    table = found.table()
    if len(table):
        with st.expander(f"All {len(table)} counterfactuals in numbers"):
            st.dataframe(table, hide_index=True, key="flip_table")
    with st.container(horizontal=True, gap="small"):
        if len(table):
            download_menu("flips", None, "flips", tables={"Flips": table})
        show_help("probe", "what_would_flip_it", most=MOST)


def _show_card(each: Counterfactual, review: SegmentedReview, number: int) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small", border=True):
        edits = "; ".join(edit.sentence() for edit in each.edits)
        st.html(f'<div class="flip">{edited_html(each, review)}</div>')
        st.markdown(f"**{escape_markdown(answer_label(each.p_positive))}**", width=190)
        st.button(
            "Ask this one",
            key=f"flip-take-{number}",
            on_click=choose_review,
            args=(each.text,),
            help=escape_markdown(f"It becomes the review. Change: {edits}"),
            type="tertiary",
            width="content",
        )


def edited_html(flip: Counterfactual, review: SegmentedReview) -> str:
    """The review with its changes struck out and underlined, as HTML; of a long review what is
    around them.
    """
    changes = {edit.position: edit for edit in flip.edits}
    reach = len(review.units) if len(review.units) <= WHOLE else AROUND
    parts, end, gap = [], 0, False
    for number, unit in enumerate(review.units):
        between, end = review.text[end : unit.start], unit.end
        if min(abs(number - position) for position in changes) > reach:
            parts.append("" if gap else " … ")
            gap = True
            continue
        parts.append("" if gap else html.escape(between))
        gap = False
        edit = changes.get(number)
        parts.append(_edit_html(edit, unit.text) if edit else html.escape(unit.text))
    return "".join(parts)


def _edit_html(edit: Edit, word: str) -> str:
    new = f"<ins>{html.escape(edit.after)}</ins>" if edit.after else ""
    old = f"<del>{html.escape(word)}</del>" if edit.before else ""
    return f"{old} {new}".strip() if old else f"{new} {html.escape(word)}"
