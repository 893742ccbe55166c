"""word2vec in the browser's sight: its loss and some words that move while it learns, its
neighbours beside those of the encoder when it has.
"""

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from bertsent.errors import BadInput, BertsentError
from bertsent.figures.altair_panels import chart_spec
from bertsent.figures.skip_gram import moving_words_chart, word2vec_loss_chart
from bertsent.space.word2vec import Corpus
from bertsent.space.word2vec_live import (
    LiveTraining,
    beside_sentence,
    live_sentence,
    train_live,
)
from bertsent.space.word_vectors import WordVectors, neighbours_of
from bertsent.ui.shared import (
    JobRequest,
    download_menu,
    draw,
    escape_markdown,
    loaded_model,
    number_columns,
    poll_interval,
    result,
    show_error,
    show_help,
    wait_for,
)
from bertsent.ui.shared.jobs import Job, jobs
from bertsent.ui.shared.links import linked_number, linked_text
from bertsent.ui.words.skip_gram_texts import (
    MINE,
    choose_texts,
    chosen_config,
    chosen_corpus,
    chosen_name,
    corpus_key,
    own_text_box,
)
from bertsent.ui.words.vectors import known_vectors

SEED, WORD, MOMENT, ENCODER = "skip_seed", "skip_word", "skip_moment", "backbone"
EVERY, HIGHEST, LONGEST = 1.0, 99, 60


def show_training(row: DeltaGenerator) -> None:
    """The choice of texts, the button, and what is learned, live and afterwards."""
    with row:
        choose_texts()
        seed = linked_number("Seed", 0, HIGHEST, 0, key=SEED, width=100)
    if chosen_name() == MINE:
        own_text_box()
    try:
        corpus = chosen_corpus()
    except BadInput as error:
        with result("skip_gram_training"):
            st.info(escape_markdown(str(error)))
        return
    key = corpus_key(corpus, seed)
    live, job = _live(key), jobs().find(key)
    done: LiveTraining | None = job.result if job is not None and job.state == "done" else None
    with result("skip_gram_training"):
        if job is None or job.state in ("failed", "cancelled"):
            _offer(key, corpus, seed, live, job)
        if done is not None:
            _show_done(done, key)
        elif job is not None and not job.over:
            wait_for(key, "Training word2vec")
            st.fragment(_show_live, run_every=poll_interval(EVERY))(live)
    if done is not None and done.vectors is not None:
        with result("skip_gram_neighbours"):
            _show_neighbours(done.vectors)
    show_help("words", "skip_gram_training")


@st.cache_resource(max_entries=16, show_spinner=False)
def _live(key: str) -> LiveTraining:
    """What is known so far of the training of that key, for everybody who watches it."""
    return LiveTraining()


def _offer(key: str, corpus: Corpus, seed: int, live: LiveTraining, job: Job | None) -> None:
    config = chosen_config(seed)
    texts = int(corpus.texts[-1]) + 1
    if job is not None and job.state == "failed":
        show_error(BertsentError(job.error))
    elif job is not None:
        st.caption("Cancelled. Nothing was kept.")
    st.caption(
        escape_markdown(
            f"{len(corpus.ids):,} words in {texts:,} texts, {len(corpus.words):,} different ones "
            f"that come at least {config.min_count} times. Each gets {config.dimensions} numbers, "
            f"random at first; {config.epochs} passes."
        )
    )
    pressed = st.button("Train" if job is None else "Train again", type="primary", key="skip_train")
    if pressed:
        JobRequest(
            key,
            lambda progress: train_live(corpus, config, live, progress=progress),
            "Training word2vec",
            "Train",
            lane="long",
        ).start()
        st.rerun()


def _show_live(live: LiveTraining) -> None:
    """What is known by now."""
    if not live.moments:
        st.container(height=400, border=False).caption("The first words are being drawn.")
        return
    _show_moment(live, len(live.moments) - 1)


def _show_moment(live: LiveTraining, number: int, sentence: str = "") -> None:
    moment = live.moments[number]
    loss = f", loss {moment.loss:.2f}" if moment.step else ""
    said = f"Step {moment.step:,} of {moment.steps:,}{loss}." if moment.step else "At the start."
    left, right = st.columns([3, 2], gap="medium")
    with left:
        draw(
            chart_spec(moving_words_chart(live.points(moment))),
            key="skip_words_chart",
            alt=sentence or said,
        )
    with right:
        losses = live.losses()
        draw(
            chart_spec(
                word2vec_loss_chart(losses[losses["step"] <= moment.step], live.moments[-1].steps)
            ),
            key="skip_loss_chart",
            alt=said,
        )
        st.caption(escape_markdown(said))
        if sentence:
            st.markdown(f"**{escape_markdown(sentence)}**")


def _show_done(live: LiveTraining, key: str) -> None:
    """The end, and by a slider every moment before it."""
    last = len(live.moments) - 1
    number = last
    if last > 0:
        number = st.slider("Look back", 0, last, last, key=f"{MOMENT}-{key}", format="frame %d")
    _show_moment(live, number, live_sentence(live))
    download_menu(
        "skip_words",
        lambda: [moving_words_chart(live.points(live.moments[number]))],
        "bertsent-word2vec",
        tables={"Places": live.points(live.moments[number]), "Loss": live.losses()},
        finding=live_sentence(live),
    )


def _show_neighbours(vectors: WordVectors) -> None:
    """The nearest words of one word, as learned here and as BERT begins to read."""
    typed = linked_text("Neighbours of", "funny", key=WORD, longest=LONGEST, width=260)
    encoder = known_vectors(loaded_model(ENCODER))
    own, other = (_nearest(each, typed) for each in (vectors, encoder))
    st.caption(escape_markdown(beside_sentence(typed, own, other)))
    left, right = st.columns(2, gap="medium")
    for place, title, found, name in (
        (left, "word2vec, trained here", own, "own"),
        (right, "BERT's input vectors", other, "encoder"),
    ):
        with place:
            st.markdown(f"**{title}**")
            if found is None:
                st.caption("No vector for this word.")
                continue
            st.dataframe(
                found,
                hide_index=True,
                key=f"skip_neighbours_{name}",
                column_config=number_columns({"cosine": "%.3f"}),
            )


def _nearest(vectors: WordVectors, typed: str) -> pd.DataFrame | None:
    try:
        return neighbours_of(vectors, vectors.find(typed))
    except BadInput:
        return None
