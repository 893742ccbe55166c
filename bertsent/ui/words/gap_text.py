"""The sentence with gaps that both parts of “Fill in a word” ask about: typed with [MASK], or any
sentence of which words are hidden by a click.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from bertsent.probing.fill_mask import FilledGap, fill_hidden, fill_masks, words_of
from bertsent.settings import LIMITS
from bertsent.text.masked_sentence import MASK, has_mask
from bertsent.ui.shared import escape_markdown, linked_name
from bertsent.ui.shared.links import linked_segments, linked_text, set_in_link

TEXT, HIDDEN, TRUTHS, GAP = "mask_text", "mask_hidden", "mask_truths", "mask_gap"
_PILLS, _OF, _EXAMPLES = "mask_hidden-pills", "mask_hidden-of", "mask_examples"
_NONE = "none"
MOST_PILLS = 80  # words that can be clicked
USUAL = "The movie was not very good, so I left early."
PRESETS = {  # sentences, and which word of them is hidden
    USUAL: (5,),
    "The movie was fantastic": (3,),
    f"The {MASK} is bright today": (),
    f"The cat sat on the {MASK}": (),
    f"The movie was {MASK}": (),
    f"The {MASK} was great, but the {MASK} was awful.": (),
}


@dataclass(frozen=True)
class GapText:
    """A sentence with its typed gaps and their true words, or with the places of hidden words."""

    text: str
    chosen: tuple[int, ...] = ()
    truths: tuple[str, ...] = ()

    def filled(self, folder: Path, *, left_only: bool = False) -> list[FilledGap]:
        """Every gap with its ten likeliest words.

        Raises:
            BadInput: no word is hidden, too many, or a true word that one gap cannot hold.
            BadCheckpoint: the folder is damaged.
        """
        if has_mask(self.text):
            return fill_masks(folder, self.text, truths=self.truths, left_only=left_only)
        return fill_hidden(folder, self.text, self.chosen, left_only=left_only)


def show_examples() -> None:
    """A menu of sentences."""
    st.menu_button(
        "Examples",
        list(PRESETS),
        key=_EXAMPLES,
        on_click=_take_example,
        type="tertiary",
        help="Sentences of the course, and others; every answer is computed now",
    )


def typed_gaps(folder: Path) -> GapText:
    """Draw the box of the sentence and, where it has no [MASK], its words to click; else a box for
    the true words.

    Raises:
        BadCheckpoint: the folder is damaged.
    """
    left, right = st.columns([3, 2], gap="small")
    with left:
        text = linked_text(
            f"A sentence, with {MASK} in the place of a word or without",
            USUAL,
            key=TEXT,
            longest=LIMITS.review_chars,
            label_visibility="collapsed",
            placeholder=f"Type a sentence, with {MASK} or without, and press Enter",
        )
    masks = has_mask(text)
    with right:
        if masks:
            return GapText(text, truths=_truths(text))
        words = words_of(folder, text)
        if not words:
            return GapText(text)
        return GapText(text, chosen=_hidden(text, words))


def choose_gap(names: Sequence[str]) -> int:
    """Which gap is drawn, where there are several."""
    if len(names) == 1:
        return 0
    named = {
        str(number): escape_markdown(f"{number} {name}")
        for number, name in enumerate(names, start=1)
    }
    return int(linked_segments("Gap", named, key=GAP, label_visibility="collapsed")) - 1


def _truths(text: str) -> tuple[str, ...]:
    masks = text.upper().count(MASK)
    typed = linked_text(
        "The true word, if you know it" if masks == 1 else "The true words, with commas",
        "",
        key=TRUTHS,
        longest=400,
    )
    if not typed.strip():
        return ()
    words = [word.strip() for word in typed.split(",")]
    return (*words, *("" for _ in range(masks - len(words))))


def _hidden(text: str, words: Sequence[str]) -> tuple[int, ...]:
    usual = _usual(text, words)
    if st.session_state.get(_OF, text) != text:
        st.session_state.pop(HIDDEN, None)
        st.query_params.pop(HIDDEN, None)
    st.session_state[_OF] = text
    kept = [int(place) for place in linked_name(HIDDEN).split() if place.isdecimal()]
    chosen = [place for place in kept if place < len(words)]
    if not chosen and linked_name(HIDDEN) != _NONE:
        chosen = list(usual)
    shown = max(MOST_PILLS, *(place + 1 for place in chosen)) if chosen else MOST_PILLS
    st.session_state[HIDDEN] = _name(chosen)
    if st.session_state.get(_PILLS) != chosen:
        st.session_state[_PILLS] = chosen
    st.pills(
        f"Click words to hide them, or type {MASK}",
        range(min(len(words), shown)),
        selection_mode="multi",
        wrap=True,
        key=_PILLS,
        format_func=lambda place: escape_markdown(words[place]),
        on_change=_keep,
        label_visibility="collapsed",
    )
    set_in_link(HIDDEN, None if tuple(chosen) == usual else _name(chosen))
    return tuple(sorted(chosen))


def _usual(text: str, words: Sequence[str]) -> tuple[int, ...]:
    """What is hidden until somebody clicks: the last word."""
    if text in PRESETS:
        return PRESETS[text]
    spoken = [place for place, word in enumerate(words) if any(map(str.isalpha, word))]
    return ((spoken or [len(words) - 1])[-1],)


def _name(chosen: Sequence[int]) -> str:
    return " ".join(map(str, chosen)) or _NONE


def _keep() -> None:
    st.session_state[HIDDEN] = _name(st.session_state[_PILLS])


def _take_example() -> None:
    st.session_state[TEXT] = st.session_state[_EXAMPLES]
    st.session_state[TRUTHS] = ""
