"""The texts from which word2vec learns: the built-in reviews, or a text that a visitor pastes or
uploads, which stays in the session.
"""

import hashlib

import streamlit as st

from bertsent.data.cache import cache_key
from bertsent.data.sources import load_reviews
from bertsent.errors import BadInput
from bertsent.space.word2vec import Corpus, Word2VecConfig, read_corpus
from bertsent.space.word2vec_live import MOST_WORDS, OWN, own_corpus
from bertsent.ui.shared import choose

TEXTS, TEXT, FILE = "skip_texts", "skip_text", "skip_file"
BUILT_IN, MINE = "Built-in reviews", "My own text"
MOST_CHARACTERS = 400_000
USUAL_CONFIG = Word2VecConfig()


def choose_texts() -> str:
    """The switch between the two."""
    return choose("Texts", (BUILT_IN, MINE), TEXTS, label_visibility="collapsed", width="content")


def own_text_box() -> None:
    """A box for a text and one for a file, whose text is put into the first."""
    left, right = st.columns([3, 2], gap="medium")
    left.text_area(
        f"A text of at most {MOST_WORDS:,} words; each line is read by itself",
        key=TEXT,
        height=140,
        persist_state="session",
        placeholder="Paste some pages of text",
    )
    right.file_uploader("Or a text file", ["txt"], key=FILE, on_change=_take_file)


def _take_file() -> None:
    file = st.session_state[FILE]
    if file is not None:
        text = file.getvalue()[: 4 * MOST_CHARACTERS].decode("utf-8", errors="replace")
        st.session_state[TEXT] = text[:MOST_CHARACTERS].replace("\0", "")


def chosen_name() -> str:
    """What is chosen, for sentences."""
    return str(st.session_state.get(TEXTS) or BUILT_IN)


def chosen_config(seed: int) -> Word2VecConfig:
    """How it is trained."""
    usual = USUAL_CONFIG if chosen_name() == BUILT_IN else OWN
    return Word2VecConfig(**{**vars(usual), "seed": seed})


def chosen_corpus() -> Corpus:
    """What is chosen, counted.

    Raises:
        BadInput: a visitor's text is too long, or has too few words that come twice.
    """
    if chosen_name() == BUILT_IN:
        return _built_in()
    typed = str(st.session_state.get(TEXT) or "")
    BadInput.raise_if(
        len(typed) > MOST_CHARACTERS,
        f"This text has {len(typed):,} characters; at most {MOST_CHARACTERS:,} are read.",
        "Paste a part of it.",
    )
    return own_corpus(typed)


def corpus_key(corpus: Corpus, seed: int) -> str:
    """Names the training of these texts for everybody who starts the same."""
    digest = hashlib.sha256("\n".join(corpus.words).encode())
    digest.update(corpus.ids.tobytes())
    digest.update(corpus.texts.tobytes())
    return f"word2vec-{cache_key(digest.hexdigest(), repr(chosen_config(seed)))}"


@st.cache_resource(max_entries=1, show_spinner="Counting words …")
def _built_in() -> Corpus:
    return read_corpus([row.text for row in load_reviews("builtin")], USUAL_CONFIG.min_count)
