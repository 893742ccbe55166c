"""Everybody judged on reviews that nobody learned from: the comparison of methods, and the reviews
on which they part.
"""

import hashlib
from functools import partial

import pandas as pd
import streamlit as st

from bertsent.data.examples import Reviews
from bertsent.errors import BertsentError
from bertsent.probing.ab_comparison import compare_arms
from bertsent.probing.baselines.answers import (
    ALONE_RIGHT,
    ALONE_WRONG,
    ANY,
    FILTERS,
    BaselineAnswers,
    Classifier,
    answer_reviews,
    compare_classifiers,
    disagreements,
)
from bertsent.probing.baselines.large_baselines import large_baselines, model_facts
from bertsent.probing.baselines.trainer import TrainedBaseline
from bertsent.settings import LIMITS
from bertsent.ui.probe.others_say_baselines import TITLES, Ring
from bertsent.ui.shared.downloads import UNSEEN_BAR, download_menu, safe_csv
from bertsent.ui.shared.errors import escape_markdown, show_error
from bertsent.ui.shared.jobs import jobs, wait_for
from bertsent.ui.shared.model_picker import loaded_model

TABLE = "duel_table"
_FILTER_WORDS = {
    ANY: "Any two differ",
    ALONE_RIGHT: "BERT alone is right",
    ALONE_WRONG: "BERT alone is wrong",
}
_COLUMNS = {
    "accuracy": st.column_config.NumberColumn("accuracy", format="%.1f %%"),
    "low": st.column_config.NumberColumn("95 % from", format="%.1f %%"),
    "high": st.column_config.NumberColumn("to", format="%.1f %%"),
    "macro_f1": st.column_config.NumberColumn("macro-F1", format="%.3f"),
    "train_seconds": st.column_config.TextColumn("training, s"),
    "ms_per_review": st.column_config.NumberColumn("ms a review", format="%.2f"),
    "bytes": st.column_config.NumberColumn("size", format="bytes"),
}
_FIXED = (
    "method",
    "accuracy",
    "low",
    "high",
    "macro_f1",
    "train_seconds",
    "ms_per_review",
    "bytes",
)
_HOW = """
Each review was answered once by everybody. The interval is Wilson's (1927) at 95 %; macro-F1 is the mean of both classes' F1. A
difference is judged review by review, the two sides of a minimal pair as one (Bonett and Price 2012). Milliseconds are the median of
twenty reviews of all lengths, one at a time, on this machine. The size of a frozen BERT counts its encoder too, and its training the
vectors that the three classifiers on top share. The built-in test part is *hard on word counters on purpose* (adversarial filtering,
Zellers et al. 2018): where fairness to them matters, compare on validation.
"""


def compare(
    ring: Ring,
    ready: dict[str, TrainedBaseline],
    bert: str,
    name: str,
    _five: list[str],
    *,
    settled: bool,
) -> None:
    """Draw the table of row 001-14, its two figures, and what is missing from it."""
    reviews, answers, entrants = _judge(ring, ready, bert, name, settled=settled)
    notes = large_baselines(reviews)[1]
    if answers is None:
        return
    from bertsent.figures.baseline_charts import accuracy_intervals, phenomenon_heatmap

    table = compare_classifiers(entrants, answers)
    phenomena = [column for column in table.columns if column not in _FIXED]
    st.dataframe(printed(table), hide_index=True, column_config=_COLUMNS, key="duel_methods")
    said = sentence(table, answers, bert)
    st.caption(escape_markdown(said))
    for note in notes:
        st.caption(escape_markdown(note))
    figure = accuracy_intervals(table)
    st.plotly_chart(figure, key="duel_accuracy", config=UNSEEN_BAR, alt=said)
    download_menu("duel_accuracy", figure, "bertsent-accuracy")
    if phenomena:
        counts = pd.Series([e.phenomenon for e in reviews]).value_counts().to_dict()
        counts |= {
            p: len({e.pair for e in reviews if e.pair}) for p in phenomena if p not in counts
        }
        st.markdown("**Right answers in per cent, by what makes a review hard**")
        figure = phenomenon_heatmap(table, phenomena, counts)
        st.plotly_chart(
            figure, key="duel_phenomena", config=UNSEEN_BAR, alt="Accuracy by method and phenomenon"
        )
        download_menu("duel_phenomena", figure, "bertsent-phenomena")
    st.download_button(
        "Comparison as CSV",
        safe_csv(table),
        "bertsent-comparison.csv",
        "text/csv",
        key="duel_methods_csv",
        on_click="ignore",
    )
    st.expander("How is this measured?").markdown(_HOW)


def printed(table: pd.DataFrame) -> pd.DataFrame:
    """The first columns as they are shown: shares in per cent, an unknown training time in
    words.
    """
    shown = table[list(_FIXED)].copy()
    shown[["accuracy", "low", "high"]] *= 100
    shown["train_seconds"] = [
        "not known" if pd.isna(s) else f"{s:.3g}" for s in shown["train_seconds"]
    ]
    return shown


def sentence(table: pd.DataFrame, answers: BaselineAnswers, bert: str) -> str:
    """How far the chosen BERT is from the best of the others, review by review, and whether that is
    more than chance.
    """
    own, others = (
        table[table["method"] == bert].iloc[0],
        table[table["method"] != bert].sort_values("accuracy", ascending=False),
    )
    if not len(others):
        return f"{bert} is right for {own['accuracy']:.1%}."
    best = others.iloc[0]
    found = compare_arms(
        answers.reviews, answers.p_positive[best["method"]], answers.p_positive[bert]
    )
    points = 100 * found.difference
    way = "above" if points >= 0 else "below"
    chance = (
        " That may be chance."
        if found.low <= 0 <= found.high
        else " That is more than chance among the reviews explains."
    )
    reach = f"{100 * found.low:+.1f} to {100 * found.high:+.1f}".replace("-", "−")
    return (
        f"{bert} is right for {own['accuracy']:.1%}, {abs(points):.1f} points {way} the best of "
        f"the others, {best['method']}"
        f" ({best['accuracy']:.1%}); 95 % interval of the difference {reach} points.{chance}"
    )


def disagree(
    ring: Ring,
    ready: dict[str, TrainedBaseline],
    bert: str,
    name: str,
    five: list[str],
    *,
    settled: bool,
) -> None:
    """Draw the filter and the reviews it leaves; a row that is chosen becomes the review above."""
    reviews, answers, entrants = _judge(ring, ready, bert, name, settled=settled)
    if answers is None:
        return
    among = st.segmented_control(
        "Show where",
        FILTERS,
        default=ANY,
        required=True,
        format_func=_FILTER_WORDS.get,
        key="duel_filter",
        bind="query-params",
        persist_state="session",
    )
    own = {
        entrant.name: answers.p_positive[entrant.name]
        for entrant in entrants
        if entrant.name in five
    }
    table = disagreements(reviews, own, among=among or ANY, bert=bert)
    share = len(table) / len(reviews)
    st.caption(
        escape_markdown(
            f"{len(table):,} of {len(reviews):,} reviews ({share:.1%}), the most torn first. "
            "Choose a row to ask about that review."
        )
    )
    columns = {
        each: st.column_config.NumberColumn(
            _short(each), format="%.2f", help=f"P(positive) of {each}"
        )
        for each in own
    }
    st.dataframe(
        table,
        hide_index=True,
        height=420,
        key=TABLE,
        on_select=_take,
        selection_mode="single-row",
        column_config={
            "text": st.column_config.TextColumn(width="medium"),
            "positive": "say POSITIVE",
            **columns,
        },
    )
    texts = {example.id: example.text for example in reviews}
    st.session_state["duel_rows"] = [texts[each] for each in table["id"]]
    st.download_button(
        "These reviews as CSV",
        lambda: safe_csv(table),
        "bertsent-disagreements.csv",
        "text/csv",
        key="duel_rows_csv",
        on_click="ignore",
    )


def _short(name: str) -> str:
    return name.replace("logistic regression", "LR").replace("small network", "network")


def _take() -> None:
    """A row of the disagreements was chosen: its review is the specimen now."""
    rows, texts = st.session_state[TABLE].selection.rows, st.session_state.get("duel_rows", [])
    if rows and rows[0] < len(texts):
        st.session_state["text"] = texts[rows[0]].strip()[: LIMITS.review_chars]


def _judge(
    ring: Ring, ready: dict[str, TrainedBaseline], bert: str, name: str, *, settled: bool
) -> tuple[Reviews, BaselineAnswers | None, list[Classifier]]:
    """The reviews that were chosen, everybody's answers to them when they are there, and who
    everybody is.
    """
    parts = list(ring.judged)
    part = st.segmented_control(
        "On",
        parts,
        default=parts[0],
        required=True,
        format_func=lambda p: f"{TITLES[p][4:].capitalize()} ({len(ring.judged[p]):,})",
        key="duel_on",
        bind="query-params",
        persist_state="session",
    )
    reviews = ring.judged.get(part, ring.judged[parts[0]])
    entrants = _entrants(ready, bert, name, reviews)
    if not settled and not ready:
        st.caption("Everybody's answers will be here when the others are trained.")
        return reviews, None, entrants
    if not settled:
        st.caption("The others are still learning; they appear here when they are done.")
    return reviews, _answers(ring, reviews, entrants), entrants


def _entrants(
    ready: dict[str, TrainedBaseline], bert: str, name: str, reviews: Reviews
) -> list[Classifier]:
    model = loaded_model(name)
    seconds, size = model_facts(name)
    found = [
        Classifier(t.name, t.key, t.contestant.p_positive, t.seconds, t.disk_bytes)
        for t in ready.values()
    ]
    own = Classifier(
        bert,
        f"{model.key} {model.max_length}",
        lambda texts: model.probabilities(texts)[:, 1],
        seconds,
        size,
    )
    return [*found, own, *(elder for elder in large_baselines(reviews)[0] if elder.key != own.key)]


def _answers(ring: Ring, reviews: Reviews, entrants: list[Classifier]) -> BaselineAnswers | None:
    key = f"duel-answers-{hashlib.sha256(' '.join([reviews.sha256, *(e.key for e in entrants)]).encode()).hexdigest()[:32]}"
    job = jobs().find(key) or jobs().start(key, partial(_work, entrants, reviews, ring.arena.cache))
    if job.state == "done":
        return job.result
    if not job.over:
        wait_for(key, f"Asking {len(entrants)} about {len(reviews):,} reviews")
        return None
    if job.state == "failed":
        show_error(BertsentError(job.error))
    if st.button("Ask them", key="duel_ask_all", type="primary"):
        jobs().start(key, partial(_work, entrants, reviews, ring.arena.cache))
        st.rerun()
    return None


def _work(entrants: list[Classifier], reviews: Reviews, cache, progress) -> BaselineAnswers:  # noqa: ANN001
    return answer_reviews(entrants, reviews, cache, progress=progress)
