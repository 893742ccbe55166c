"""Choosing reviews: built-in, an upload, the host's files, IMDb and other Hub data sets, or those
of an earlier run.
"""

from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd
import streamlit as st

from bertsent.data.asked_columns import OWN, key_of
from bertsent.data.examples import Reviews, Splits
from bertsent.data.facts import review_facts
from bertsent.data.hub import dataset_path, hub_id
from bertsent.data.mixing import mix
from bertsent.data.paired_splits import toy
from bertsent.data.plain_texts import COMMENTS
from bertsent.data.sources import IMDB, host_files, load_reviews
from bertsent.data.splits import mix_contrastive, split
from bertsent.data.tables import file_bytes
from bertsent.data.task_columns import likely_task
from bertsent.data.task_facts import task_facts, truths
from bertsent.data.task_files import task_table
from bertsent.data.task_sets import small_set
from bertsent.errors import BadInput, BertsentError
from bertsent.probing.shipped_scores import BUILTIN_VALIDATION, shipped_scores, slice_of
from bertsent.tasks.catalogue import (
    ASPECTS,
    FEELINGS,
    FIVE_STEPS,
    PARAPHRASE,
    SENTIMENT,
    SIMILARITY,
)
from bertsent.tasks.masked_words import MASKED_WORDS, MaskedWords
from bertsent.tasks.mixed import THREE_TASKS, MixedTask
from bertsent.tasks.task import Rating, Task
from bertsent.training.runs.run import find_run
from bertsent.ui.fine_tune.new_run_mixture import choose_weights, three_sets
from bertsent.ui.fine_tune.new_run_task import take_suggestion
from bertsent.ui.fine_tune.new_run_upload import SUGGESTED, uploaded_reviews
from bertsent.ui.shared import BY_CONTENT, choose, escape_markdown, hub_download, run_splits

BUILT_IN, UPLOAD, HOST, HUB = "Built-in", "Upload", "On this server", "IMDb or Hub"
EARLIER, TOY = "Of an earlier run", "Toy"
KINDS = (BUILT_IN, UPLOAD, HOST, HUB)
NATURAL_SHARE = 0.001  # "each once": what the built-in set and the published recipe come with
_FIRST_ROWS = 5
_READ_BLIND = "Written for this project and read blind by a second reader; small, so expect little."
ABOUT_SMALL = {
    FIVE_STEPS.name: f"How strongly a text judges a film. {_READ_BLIND}",
    ASPECTS.name: f"What a sentence says of each of its two or three aspects. {_READ_BLIND}",
    FEELINGS.name: "Plutchik’s eight feelings, none to three at once; a number says how strong one "
    f"is, of 3, and only whether it is there is learnt. {_READ_BLIND}",
    SIMILARITY.name: "How alike two texts are, from 0 to 5, with pairs whose words overlap and "
    f"whose meanings do not. {_READ_BLIND}",
    PARAPHRASE.name: "Whether two texts say the same, with pairs whose words overlap and whose "
    f"meanings do not. {_READ_BLIND}",
}


@dataclass(frozen=True)
class ReviewsChoice:
    """The chosen reviews without the handcrafted contrastive ones, and the share of those that is
    usual for them.

    ``fixed`` are the splits of an earlier run, which are taken as they are.
    """

    kind: str
    reviews: Reviews
    usual_share: float = 0.0
    fixed: Splits | None = None

    def splits(self, share: float, seed: int) -> Splits:
        """Training and validation part, with this share of contrastive reviews in the former.

        Raises:
            BadInput: the reviews cannot be split.
        """
        if self.fixed is not None:
            return self.fixed
        reviews = load_reviews(self.reviews) if share > 0 else self.reviews
        return mix_contrastive(split(reviews, seed=seed), share)


@st.cache_resource(max_entries=8, show_spinner="Reading the reviews …")
def _read_source(
    source: str, changed: int, contrastive: bool, task: str = SENTIMENT.name
) -> Reviews:
    return load_reviews(source, contrastive=contrastive, task=task)


def choose_kind(key: str, kinds: tuple[str, ...] = KINDS) -> str:
    """Draw the choice of where the reviews come from.

    Args:
        key: begins the keys of the widgets.
        kinds: which kinds of reviews are offered.
    """
    offered = (*kinds, EARLIER) if st.session_state.get(f"{key}-run") else kinds
    return choose("Reviews", offered, f"{key}-kind", label_visibility="collapsed", bind=None)


def choose_reviews(key: str, kind: str, task: str = SENTIMENT.name) -> ReviewsChoice | None:
    """Draw what there is to choose among reviews of that kind; None while something is still
    missing.

    Args:
        key: begins the keys of the widgets.
        kind: where the reviews come from, one of those that ``choose_kind`` offers.
        task: what shall be learnt from them, one of ``asked_columns.KEYS``.

    Raises:
        BertsentError: the chosen file or data set cannot be used.
    """
    earlier = st.session_state.get(f"{key}-run")
    if kind == EARLIER and earlier:
        return _earlier(earlier, task)
    if task == THREE_TASKS.name:
        return _three_tasks(key, kind)
    if kind == TOY:
        return _toy(key)
    return {UPLOAD: _upload, HOST: _host, HUB: _hub}.get(kind, _built_in)(key, task)


def show_reviews(reviews: Reviews) -> None:
    """What a run will read: counts in words, and the first rows."""
    st.markdown(escape_markdown(_facts(reviews)))
    first, task = reviews.take(_first_rows(reviews)), reviews.task
    if isinstance(task, MaskedWords):
        _show_texts(first)
        return
    true = "score" if isinstance(task, Rating) else "label"
    table = pd.DataFrame({true: truths(first), "text": first.texts})  # the text may be cut off
    if second := {"text": "", "two texts": "second text", "aspect": "aspect"}[task.reads]:
        table[second] = [example.second for example in first]
    wide = st.column_config.TextColumn(width="medium" if second == "second text" else "large")
    st.dataframe(
        table,
        hide_index=True,
        key="first-rows",
        column_config={"text": wide, "second text": wide},
        alt=f"The first {len(first)} reviews with what is true of them",
    )


def _show_texts(first: Reviews) -> None:
    st.dataframe(
        pd.DataFrame({"text": first.texts}),
        hide_index=True,
        key="first-rows",
        alt=f"The first {len(first)} texts",
    )


def _first_rows(reviews: Reviews) -> list[int]:
    """The places of the first rows; of several tasks, of two rows for each."""
    if not isinstance(reviews.task, MixedTask):
        return list(range(min(_FIRST_ROWS, len(reviews))))
    parts = [example.part for example in reviews]
    firsts = [parts.index(part.name) for part in reviews.task.parts]
    return [place + row for place in firsts for row in range(2)]


@st.cache_resource(max_entries=16, show_spinner=False, hash_funcs=BY_CONTENT)
def _facts(reviews: Reviews) -> str:
    if reviews.task == SENTIMENT:
        return review_facts(reviews).sentence()
    return task_facts(reviews).sentence()


def _built_in(key: str, task: str) -> ReviewsChoice | None:
    if task in OWN:
        st.info("Labels and numbers of your own come with a file: choose Upload.")
        return None
    if task == MASKED_WORDS.name:
        return _texts(key)
    if task != SENTIMENT.name:
        st.caption(ABOUT_SMALL[task])
        return ReviewsChoice(BUILT_IN, small_set(task))
    table = shipped_scores()
    scored, shipped = None if table is None else slice_of(table, BUILTIN_VALIDATION, "all"), ""
    if scored is not None:
        shipped = (
            " The built-in model, which also learned from public reviews, gets "
            f"{100 * scored.accuracy:.0f} % of the validation part right."
        )
    st.caption(
        "Hard on purpose: single words mislead, and most reviews have a near copy with the other "
        f"label.{shipped}"
    )
    return ReviewsChoice(BUILT_IN, _read_source("builtin", 0, True), NATURAL_SHARE)


def _texts(key: str) -> ReviewsChoice:
    offered = {"builtin": "The built-in reviews", COMMENTS: "Short comments"}
    source = choose("Texts", offered, f"{key}-texts", label_visibility="collapsed", bind=None)
    st.caption(
        "Their labels are not read. What they keep is their split: the validation and test texts "
        "are not learned from, so that the result can be judged on them afterwards."
    )
    return ReviewsChoice(BUILT_IN, _read_source(source, 0, False, MASKED_WORDS.name))


def _toy(key: str) -> ReviewsChoice:
    st.caption("71 short reviews, as many as in the published figures.")
    return ReviewsChoice(TOY, toy())


def _three_tasks(key: str, kind: str) -> ReviewsChoice | None:
    if kind not in (BUILT_IN, UPLOAD):
        st.info("Three tasks need a file each: choose Built-in or Upload.")
        return None
    sets = three_sets(key, own=kind == UPLOAD)
    return None if sets is None else ReviewsChoice(kind, mix(choose_weights(key), sets))


def _upload(key: str, task: str) -> ReviewsChoice | None:
    reviews = uploaded_reviews(key, task)
    return None if reviews is None else ReviewsChoice(UPLOAD, reviews)


def _host(key: str, task: str) -> ReviewsChoice | None:
    files = host_files()
    if not files:
        st.caption(
            "The host has provided no files. Put them into the data folder of BERTSENT_HOME, or "
            "name folders in BERTSENT_DATA."
        )
        return None
    path = files[st.selectbox("File", list(files), key=f"{key}-host")]
    changed = path.stat().st_mtime_ns
    if key == SUGGESTED:
        take_suggestion(f"{path}-{changed}", _understood_on_server(str(path), changed))
    return ReviewsChoice(HOST, _read_source(str(path), changed, False, task))


@st.cache_resource(max_entries=8, show_spinner="Reading the file …")
def _understood_on_server(path: str, changed: int) -> Task | None:
    with suppress(BertsentError):  # what is wrong is said once it is read for the chosen task
        return likely_task(task_table(file_bytes(Path(path)), path), path)
    return None


def _hub(key: str, task: str) -> ReviewsChoice | None:
    usual = IMDB[-1] if task in (SENTIMENT.name, MASKED_WORDS.name) else ""
    box = f"{key}-hub" if task == SENTIMENT.name else f"{key}-hub-{task}"
    name = hub_id(
        st.text_input("Hub id of a data set", usual, key=box, placeholder="owner/name") or ""
    )
    if not name:
        st.caption("The training part of a data set of the Hub: type its id.")
        return None
    if name in IMDB and task == SENTIMENT.name:
        st.caption(
            "The published recipe: 2,500 positive and 2,500 negative reviews drawn with seed 42, "
            "preceded by eight handcrafted ones."
        )
    if not dataset_path(name).is_file():
        hub_download("dataset", name)
        return None
    reviews = _read_source(name, dataset_path(name).stat().st_mtime_ns, False, task)
    if not len(reviews):
        raise BadInput(f"{name} has no rows.", "Choose another data set.")
    own = name in IMDB and task == SENTIMENT.name
    return ReviewsChoice(HUB, reviews, NATURAL_SHARE if own else 0.0)


def _earlier(name: str, task: str = SENTIMENT.name) -> ReviewsChoice:
    run = find_run(name)
    data, splits = run.config.data, run_splits(run)
    BadInput.raise_if(
        key_of(splits.train.task) != task,
        f"The reviews of {name} are for something else: {splits.train.task.title}.",
        "Let the new run learn that, or choose other reviews.",
    )
    st.caption(
        f"Training and validation reviews of {name}, as they are: {data.train_rows:,} and "
        f"{data.validation_rows:,}."
    )
    reviews = replace(splits.train, examples=(*splits.train, *splits.validation))
    return ReviewsChoice(EARLIER, reviews, data.contrastive_share, splits)
