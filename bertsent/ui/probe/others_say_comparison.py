"""All classifiers on reviews that none of them learned from: the comparison of methods, the reviews
on which they disagree, and when to use which.
"""

import hashlib
from functools import partial

import pandas as pd
import streamlit as st

from bertsent.probing.baselines.answers import (
    ALONE_RIGHT,
    ALONE_WRONG,
    ANY,
    FILTERS,
    MEASURES,
    BaselineAnswers,
    Classifier,
    answer_reviews,
    compare_classifiers,
    comparison_sentence,
    disagreements,
    slice_counts,
)
from bertsent.probing.baselines.course_tables import WHEN_TO_USE, trade_offs
from bertsent.probing.baselines.large_baselines import large_baselines
from bertsent.probing.baselines.setup import TITLES
from bertsent.ui.probe.others_say_training import ClassifierGroup
from bertsent.ui.shared.downloads import UNSEEN_BAR, download_menu, safe_csv
from bertsent.ui.shared.errors import escape_markdown
from bertsent.ui.shared.jobs import JobRequest, jobs, outcome
from bertsent.ui.shared.review_bar import choose_review

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
    "ms_low": st.column_config.NumberColumn("ms from", format="%.2f"),
    "ms_high": st.column_config.NumberColumn("ms to", format="%.2f"),
    "bytes": st.column_config.NumberColumn("size", format="bytes"),
}
_HOW = """
Each classifier answered every review once. The 95 % interval of an accuracy is Wilson's (1927),
with as many reviews as the minimal pairs are worth (Rao and Scott 1992); macro-F1 is the mean of
both classes' F1. Two methods are compared review by review, the two sides of a minimal pair as
one: the interval of a difference is that of Bonett and Price (2012), and a method is called best
only when it differs from every other one by McNemar's exact test (1947), corrected for their
number. Milliseconds are the median of twenty reviews of all lengths, one at a time, with the
quartiles. The size of a frozen BERT includes its encoder, and its training the vectors that the
three classifiers on top share. The built-in test part is *hard for bags of words on purpose*
(adversarial filtering, Zellers et al. 2018): for a fair comparison, use
validation.
"""


def compare(group: ClassifierGroup) -> None:
    """Draw the table of row 001-14, its two figures, and what is missing from it."""
    found = _answered(group)
    if found is None:
        return
    from bertsent.figures.baseline_charts import phenomenon_heatmap
    from bertsent.figures.slice_accuracies import accuracy_dots

    answers, classifiers, notes, key = found
    table = compare_classifiers(classifiers, answers)
    st.dataframe(readable(table), hide_index=True, column_config=_COLUMNS, key="duel_methods")
    sentence = comparison_sentence(answers, group.bert.name)
    for line in (sentence, *notes):
        st.caption(escape_markdown(line))
    st.button("Time again", key="duel_compare_again", on_click=jobs().forget, args=(key,))
    intervals = list(zip(table["accuracy"], table["low"], table["high"], strict=True))
    figure = accuracy_dots(list(table["method"]), {"accuracy": intervals})
    st.plotly_chart(figure, key="duel_accuracy", config=UNSEEN_BAR, alt=sentence)
    download_menu("duel_accuracy", figure, "bertsent-accuracy")
    phenomena = [column for column in table.columns if column not in MEASURES]
    if phenomena:
        st.markdown("**Right answers in per cent, by what makes a review hard**")
        counts = slice_counts(answers.reviews, phenomena)
        figure = phenomenon_heatmap(table, phenomena, counts)
        alt = "Accuracy by method and phenomenon"
        st.plotly_chart(figure, key="duel_phenomena", config=UNSEEN_BAR, alt=alt)
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


def readable(table: pd.DataFrame) -> pd.DataFrame:
    """The first columns as they are shown: shares in per cent, an unknown training time in
    words.
    """
    shown = table[list(MEASURES)].copy()
    shown[["accuracy", "low", "high"]] *= 100
    seconds = shown["train_seconds"].map("{:.3g}".format)
    return shown.assign(train_seconds=seconds.where(shown["train_seconds"].notna(), "not known"))


def disagree(group: ClassifierGroup) -> None:
    """Draw the filter and the reviews it leaves; a row that is chosen becomes the review above."""
    found = _answered(group)
    if found is None:
        return
    answers, names = found[0], group.drawn()
    among = st.segmented_control(
        "Show where",
        FILTERS,
        default=ANY,
        required=True,
        format_func=lambda each: _FILTER_WORDS[each],
        key="duel_filter",
        bind="query-params",
        persist_state="session",
    )
    p_positive = {name: answers.p_positive[name] for name in names}
    reviews = answers.reviews
    table = disagreements(reviews, p_positive, among=among or ANY, bert=group.bert.name)
    st.caption(
        escape_markdown(
            f"{len(table):,} of {len(reviews):,} reviews ({len(table) / len(reviews):.1%}), the "
            "largest disagreement first. Choose a row to ask about that review."
        )
    )
    columns = {
        each: st.column_config.NumberColumn(
            each.replace("logistic regression", "LR").replace("small network", "network"),
            format="%.2f",
            help=f"P(positive) of {each}",
        )
        for each in names
    }
    st.dataframe(
        table,
        hide_index=True,
        height=420,
        key=TABLE,
        on_select=_choose_review,
        selection_mode="single-row",
        column_config={
            "text": st.column_config.TextColumn(width="medium"),
            "positive": "say POSITIVE",
            **columns,
        },
    )
    st.session_state["duel_rows"] = list(table["text"])
    st.download_button(
        "These reviews as CSV",
        lambda: safe_csv(table),
        "bertsent-disagreements.csv",
        "text/csv",
        key="duel_rows_csv",
        on_click="ignore",
    )


def _choose_review() -> None:
    """A row of the disagreements was chosen: its review becomes the one under examination."""
    rows, texts = st.session_state[TABLE].selection.rows, st.session_state.get("duel_rows", [])
    if rows and rows[0] < len(texts):
        choose_review(texts[rows[0]])


def _answered(
    group: ClassifierGroup,
) -> tuple[BaselineAnswers, list[Classifier], list[str], str] | None:
    """The answers to the reviews that were chosen, who gave them, notes on who is missing, and the
    key of the job; None while they are not there.
    """
    parts = group.setup.evaluation
    part = st.segmented_control(
        "On",
        list(parts),
        default=next(iter(parts)),
        required=True,
        format_func=lambda p: f"{TITLES[p][4:].capitalize()} ({len(parts[p]):,})",
        key="duel_on",
        bind="query-params",
        persist_state="session",
    )
    reviews = parts.get(part, next(iter(parts.values())))
    large, notes = large_baselines(reviews)
    classifiers = [*group.classifiers, *(each for each in large if each.key != group.bert.key)]
    if group.waiting:
        st.caption("Classifiers that are not trained yet appear here once they are.")
        if not group.baselines:
            return None
    names = " ".join([reviews.sha256, *(each.key for each in classifiers)])
    key = f"duel-answers-{hashlib.sha256(names.encode()).hexdigest()[:32]}"
    cache = group.setup.trainer.cache
    title = f"{len(classifiers)} classifiers answer {len(reviews):,} reviews"
    work = partial(answer_reviews, classifiers, reviews, cache)
    answers = outcome(JobRequest(key, work, title, "Answer the reviews", lane="long"))
    return (answers, classifiers, notes, key) if answers else None


def when_to_use(milliseconds: dict[str, float], bert: str) -> None:
    """Draw the table of five by two and the four trade-offs with the milliseconds of this
    review.
    """
    st.table(WHEN_TO_USE.map(escape_markdown).set_index("Use BERT when …"))
    st.markdown("**Four trade-offs**")
    table = trade_offs(milliseconds, bert)
    st.table(table.map(escape_markdown).set_index("trade-off"))
    st.caption(
        "The table is from the course, which gives BERT's speed in seconds. The milliseconds are "
        "for the review above, on this machine."
    )
    st.download_button(
        "Trade-offs as CSV",
        safe_csv(table),
        "bertsent-trade-offs.csv",
        "text/csv",
        key="duel_when_csv",
        on_click="ignore",
    )
