"""A model of three tasks is asked: the study's own example sentences, how well its vectors follow
similarity, and what the sources claim without a test.
"""

from functools import partial

import pandas as pd
import streamlit as st

from bertsent.data.cache import cache_key
from bertsent.data.examples import Reviews
from bertsent.data.task_sets import small_set
from bertsent.figures.rate_intervals import rate_intervals
from bertsent.probing.registry import BACKBONE, BUILTIN, shipped
from bertsent.probing.three_tasks.claims import TestedClaim, tested_claims
from bertsent.probing.three_tasks.printed_examples import answered_examples, examples_sentence
from bertsent.probing.three_tasks.sentence_vectors import vector_correlations, vectors_sentence
from bertsent.progress import Progress
from bertsent.tasks.catalogue import FIVE_STEPS, PARAPHRASE, SIMILARITY
from bertsent.ui.fine_tune.three_tasks_models import (
    choose_three_tasks_model,
    models_of,
    weights_of,
)
from bertsent.ui.fine_tune.three_tasks_own_data import ask_own_data
from bertsent.ui.shared import (
    JobRequest,
    altair_chart,
    download_menu,
    escape_markdown,
    loaded_model,
    outcome,
    result,
    show_errors,
)

EXAMPLES, VECTORS, CLAIMS = "examples", "vectors", "claims"
TITLES = {
    EXAMPLES: "The study’s example sentences, answered here",
    VECTORS: "Mean of tokens or [CLS], before and after fine-tuning",
    CLAIMS: "Claims that nobody tested, tested here",
}
_DRAWN = {"five-steps": "{:.0f}", "paraphrase": "{:.0f}", "similarity": "{:.2f}"}


def ask_three_tasks(preferred: str = "") -> None:
    """Draw a closed box for each; what is in it is computed once it is opened.

    Args:
        preferred: the run that is asked first.
    """
    for name, view in ((EXAMPLES, _examples), (VECTORS, _vectors), (CLAIMS, _claims)):
        box = st.expander(TITLES[name], key=f"three-{name}", on_change="rerun")
        if box.open:
            with box, show_errors():
                chosen = choose_three_tasks_model(f"three-{name}-model", preferred)
                if chosen or name == VECTORS:
                    view(chosen)


def _examples(chosen: str) -> None:
    key = cache_key("three-examples", weights_of(chosen))
    work = partial(_answer_examples, chosen)
    title = "Asking about the example sentences"
    table = outcome(JobRequest(key, work, title, "Ask it", tokens=400))
    if table is None:
        return
    words = examples_sentence(table)
    with result("printed_examples"):
        st.dataframe(_readable(table), hide_index=True, height="content", key="three-examples")
        st.caption(escape_markdown(words))
        download_menu("three-examples", None, "examples", tables={"Examples": table}, finding=words)


def _answer_examples(chosen: str, progress: Progress) -> pd.DataFrame:
    return answered_examples(models_of(chosen))


def _readable(table: pd.DataFrame) -> pd.DataFrame:
    texts = [f"{row.text} | {row.second}".removesuffix(" | ") for row in table.itertuples()]
    numbers = {
        name: [
            _DRAWN[task].format(value)
            for task, value in zip(table["task"], table[column], strict=True)
        ]
        for name, column in (("true", "truth"), ("printed", "printed"), ("here", "answer"))
    }
    right = ["right" if row.right else "wrong" for row in table.itertuples()]
    return pd.DataFrame({"task": table["task"], "text": texts, **numbers, "this model": right})


def _vectors(chosen: str) -> None:
    pairs = held_out(small_set(SIMILARITY.name))
    encoders = {"as pretrained": BACKBONE}
    encoders |= {"fine-tuned for two labels": BUILTIN} if shipped() else {}
    encoders |= {f"three tasks at once ({chosen})": chosen} if chosen not in ("", BUILTIN) else {}
    key = cache_key("three-vectors", pairs.sha256, weights_of(chosen) if chosen else "", *encoders)
    title = f"Reading {len(pairs):,} pairs with {len(encoders)} encoders"
    table = outcome(JobRequest(key, partial(_correlate, encoders, pairs), title, "Read them"))
    if table is None:
        return
    words = vectors_sentence(table)
    with result("sentence_vectors"):
        shown = table.rename(columns={"encoder": "group"})
        axis = "correlation of the cosine with the true similarity"
        chart = rate_intervals(shown, axis, rate="pearson", share=False, series="pooling")
        altair_chart(chart, key="three-vectors", alt=words)
        st.caption(
            escape_markdown(
                f"{words} Nothing was trained for this: the answer is the cosine. What tuning for "
                "sentiment alone forgets is why tasks are trained together. Pairs that no run here "
                "trains on, with 95 % intervals."
            )
        )
        tables = {"Correlations": table}
        download_menu("three-vectors", lambda: [chart], "vectors", tables=tables, finding=words)


def _correlate(encoders: dict[str, str], pairs: Reviews, progress: Progress) -> pd.DataFrame:
    models = {title: loaded_model(name) for title, name in encoders.items()}
    return vector_correlations(models, pairs, progress)


def held_out(reviews: Reviews) -> Reviews:
    """The rows of a small set that nothing is trained on."""
    return reviews.where([example.split != "train" for example in reviews])


def _claims(chosen: str) -> None:
    key = cache_key("three-claims", weights_of(chosen))
    title = "Asking the models about the small sets"
    found = outcome(JobRequest(key, partial(_test, chosen), title, "Test them"))
    for number, each in enumerate(found or (), start=1):
        with result(f"claim_{number}"):
            _claim(f"claim-{number}", each)
    for number, each in enumerate(ask_own_data(chosen), start=1):
        with result(f"own_claim_{number}"):
            _claim(f"own-claim-{number}", each)


def _test(chosen: str, progress: Progress) -> list[TestedClaim]:
    sets = {task.name: small_set(task.name) for task in (FIVE_STEPS, PARAPHRASE)}
    sentiment = loaded_model(BUILTIN) if shipped() else None
    return tested_claims(sentiment, models_of(chosen), sets, progress)


def _claim(name: str, each: TestedClaim) -> None:
    st.markdown(f"**{escape_markdown(each.title)}**")
    st.caption(escape_markdown(f"Claimed: {each.claim}"))
    chart = rate_intervals(each.table, each.rate)
    altair_chart(chart, key=f"three-{name}", alt=f"{each.rate}. {each.finding}")
    st.markdown(escape_markdown(each.finding))
    download_menu(
        f"three-{name}",
        lambda: [chart],
        name,
        tables={"Rates": each.table},
        finding=each.finding,
    )
