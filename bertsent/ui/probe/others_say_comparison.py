"""All classifiers on reviews that none of them learned from: the comparison of methods, and the
reviews on which they disagree.
"""

from functools import partial

import pandas as pd
import streamlit as st

from bertsent.data.cache import cache_key
from bertsent.figures.classification import accuracy_dots, phenomenon_heatmap
from bertsent.probing.baselines.answers import (
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
from bertsent.probing.baselines.large_baselines import large_baselines
from bertsent.probing.baselines.setup import TITLES
from bertsent.ui.probe.others_say_training import ClassifierGroup
from bertsent.ui.shared import (
    JobRequest,
    choose,
    choose_review,
    choosing_table,
    download_menu,
    escape_markdown,
    outcome,
    show_figure,
    show_help,
)
from bertsent.ui.shared.jobs import jobs

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


def compare(group: ClassifierGroup) -> None:
    """Draw the table of row 001-14, its two figures, and what is missing from it."""
    found = _answered(group)
    if found is None:
        return
    answers, classifiers, notes, key = found
    table = compare_classifiers(classifiers, answers)
    st.dataframe(readable(table), hide_index=True, column_config=_COLUMNS, key="duel_methods")
    sentence = comparison_sentence(answers, group.bert.name)
    for line in (sentence, *notes):
        st.caption(escape_markdown(line))
    st.button("Time again", key="duel_compare_again", on_click=jobs().forget, args=(key,))
    show_figure(
        accuracy_dots(
            list(table["method"]),
            {"accuracy": list(zip(table["accuracy"], table["low"], table["high"], strict=True))},
        ),
        "duel_accuracy",
        "bertsent-comparison",
        sentence,
        caption="",
        tables={"Comparison": table},
    )
    if phenomena := [column for column in table.columns if column not in MEASURES]:
        st.markdown("**Right answers in per cent, by what makes a review hard**")
        show_figure(
            phenomenon_heatmap(table, phenomena, slice_counts(answers.reviews, phenomena)),
            "duel_phenomena",
            "bertsent-phenomena",
            "Accuracy by method and phenomenon",
            caption="",
        )
    show_help("probe", "others_say_comparison", title="How is this measured?")


def readable(table: pd.DataFrame) -> pd.DataFrame:
    """The first columns as they are shown: shares in per cent, an unknown training time in
    words.
    """
    shown, seconds = table[list(MEASURES)].copy(), table["train_seconds"]
    shown[["accuracy", "low", "high"]] *= 100
    return shown.assign(
        train_seconds=seconds.map("{:.3g}".format).where(seconds.notna(), "not known")
    )


def disagree(group: ClassifierGroup) -> None:
    """Draw the filter and the reviews it leaves; a row that is chosen becomes the review above."""
    found = _answered(group)
    if found is None:
        return
    answers, names = found[0], [each.name for each in group.drawn()]
    among = choose(
        "Show where", {each: each[0].upper() + each[1:] for each in FILTERS}, "duel_filter"
    )
    reviews = answers.reviews
    table = disagreements(
        reviews,
        {name: answers.p_positive[name] for name in names},
        among=among,
        bert=group.bert.name,
    )
    st.caption(
        escape_markdown(
            f"{len(table):,} of {len(reviews):,} reviews "
            f"({100 * len(table) / len(reviews):.1f} %), the largest disagreement first. Choose a "
            "row to ask about that review."
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
    choosing_table(
        table,
        "duel_table",
        list(table["text"]),
        choose_review,
        height=420,
        column_config={
            "text": st.column_config.TextColumn(width="medium"),
            "positive": "say POSITIVE",
            **columns,
        },
    )
    download_menu("duel_rows", None, "bertsent-disagreements", tables={"These reviews": table})


def _answered(
    group: ClassifierGroup,
) -> tuple[BaselineAnswers, list[Classifier], list[str], str] | None:
    """The answers to the reviews that were chosen, who gave them, notes on who is missing, and the
    key of the job; None while they are not there.
    """
    parts = group.setup.evaluation
    names = {part: f"{TITLES[part][4:].capitalize()} ({len(parts[part]):,})" for part in parts}
    reviews = parts[choose("On", names, "duel_on")]
    large, notes = large_baselines(reviews)
    classifiers = [*group.classifiers, *(each for each in large if each.key != group.bert.key)]
    if group.waiting:
        st.caption("Classifiers that are not trained yet appear here once they are.")
        if not group.baselines:
            return None
    key = f"duel-answers-{cache_key(reviews.sha256, *(each.key for each in classifiers))}"
    answers = outcome(
        JobRequest(
            key,
            partial(answer_reviews, classifiers, reviews, group.setup.trainer.cache),
            f"{len(classifiers)} classifiers answer {len(reviews):,} reviews",
            "Answer the reviews",
            lane="long",
        )
    )
    return (answers, classifiers, notes, key) if answers else None
