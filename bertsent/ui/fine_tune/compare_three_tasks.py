"""Three tasks at once in every combination of settings: the runs in a table, what each setting
changes with its interval, and beside it what was published.
"""

import pandas as pd
import streamlit as st

from bertsent.figures.factor_effects import OWN, PUBLISHED, factor_effects_chart
from bertsent.training.groups.factor_effects import effects_sentence, factor_effects
from bertsent.training.groups.published import published_factorial
from bertsent.training.groups.run_group import MemberState, RunGroup
from bertsent.training.groups.three_tasks import MEASURES, tasks_table
from bertsent.ui.shared import altair_chart, choose, download_menu, escape_markdown, result
from bertsent.written_numbers import written

FACTORS = {
    "CLS": "the vector of [CLS] instead of the mean of all tokens",
    "SW": "one network for paraphrase and similarity",
    "WL": "half of the loss for sentiment, a quarter for each of the others",
    "ED": "extra data",
    "JS": "the overlap of the two texts' tokens (Jaccard) is appended",
    "FF": "feed-forward heads with a skip connection instead of linear ones",
}
TITLES = {"mean": "Mean", "SST": "SST", "PARA": "PARA", "STS": "STS"}
WHAT = (
    "SST is accuracy over five steps, PARA accuracy of paraphrases, STS the correlation of "
    "similarity, mean that of the three."
)


def tasks_progress(group: RunGroup, states: list[MemberState]) -> None:
    """Draw the effects and the table as far as the runs are."""
    table = tasks_table(group, states)
    over = table[table["state"].isin(("finished", "stopped"))]
    with result("group"):
        measure = choose("Result", TITLES, "tasks-result", label_visibility="collapsed")
        factors, what = list(group.factors), TITLES[measure]
        effects = factor_effects(over, factors, measure)
        words = effects_sentence(effects, measure)
        if len(effects):
            _draw(effects, factors, measure, words)
        st.caption(escape_markdown(f"{words} {_best(over)} {_meaning(factors)}".strip()))
        download_menu(
            "tasks",
            None,
            group.name,
            tables={"Runs": table, f"Effects on {what}": effects},
            finding=words,
        )
    _runs_table(table, factors)


def best_run(group: RunGroup, states: list[MemberState]) -> str:
    """The run with the highest mean so far; "" before there is one."""
    known = tasks_table(group, states).dropna(subset=["mean"])
    return str(known.loc[known["mean"].idxmax(), "run"]) if len(known) else ""


def _draw(effects: pd.DataFrame, factors: list[str], measure: str, words: str) -> None:
    printed = factor_effects(published_factorial(), factors, measure)
    both = pd.concat([effects.assign(series=OWN), printed.assign(series=PUBLISHED)])
    chart = factor_effects_chart(both, f"change of {measure}")
    alt = f"What each setting changes of {measure}, here and as published. {words}"
    altair_chart(chart, key=f"tasks-effects-{measure}", alt=alt)


def _best(over: pd.DataFrame) -> str:
    if len(over) < 2:
        return ""
    best = over.loc[over["mean"].idxmax()]
    return (
        f"The best mean of {len(over)} runs is {best['mean']:.3f} ({best['run']}); the best of so "
        "many flatters itself on the reviews that it was chosen on."
    )


def _meaning(factors: list[str]) -> str:
    meaning = "; ".join(f"{name}, {FACTORS[name]}" for name in factors)
    return f"{meaning}. {WHAT} Intervals are from the runs alone, one of each combination."


def _runs_table(table: pd.DataFrame, factors: list[str]) -> None:
    names = [
        ", ".join(name if on else f"!{name}" for name, on in zip(factors, row, strict=True))
        for row in table[factors].itertuples(index=False)
    ]
    begun = table["epoch"] > 0
    numbers = {name: _words(table[name], ".3f") for name in MEASURES}
    after = {"epoch": _words(table["epoch"].where(begun), ".3g")}
    after |= {"seconds": _words(table["seconds"].where(begun), ".0f")}
    shown = table.drop(columns=factors).assign(**numbers, **after)
    shown.insert(0, "configuration", names)
    st.dataframe(shown, hide_index=True, height="content", key="tasks-table")


def _words(column: pd.Series, form: str) -> list[str]:
    """Numbers as text, nothing where there is none yet."""
    return ["" if pd.isna(value) else written(value, form) for value in column]
