"""A hyperparameter grid: its runs in a table, what each setting changed, and whether one run is
best.
"""

import pandas as pd
import streamlit as st

from bertsent.errors import BadCheckpoint
from bertsent.figures.main_effects import main_effects_chart
from bertsent.training.config import TRAINS
from bertsent.training.groups.grid import grid_table, main_effects, varied
from bertsent.training.groups.published import FACTORIAL, TASKS, published_factorial
from bertsent.training.groups.run_group import MemberState, RunGroup
from bertsent.training.runs.accuracy import RunAnswers, comparison_sentence
from bertsent.ui.fine_tune.compare_draft import POOLING_NAMES
from bertsent.ui.fine_tune.run_data import latest_answers
from bertsent.ui.shared.downloads import altair_files, download_menu
from bertsent.ui.shared.errors import escape_markdown

_NAMES = {
    "pooling": "Pooling",
    "trains": "What trains",
    "encoder_lr": "Encoder learning rate",
    "seed": "Seed",
}
_LEVELS: dict[str, dict[str, str]] = {
    "pooling": POOLING_NAMES,
    "trains": {str(level): name for level, name in TRAINS.items()},
}
_COLUMNS = {
    "Encoder learning rate": st.column_config.NumberColumn(format="%g"),
    "macro-F1": st.column_config.NumberColumn(format="%.3f"),
    "seconds": st.column_config.NumberColumn(format="%.0f"),
    "trainable parameters": st.column_config.NumberColumn(format="localized"),
}


def grid_progress(group: RunGroup, states: list[MemberState]) -> None:
    """Draw the table and the effects as far as the runs are."""
    answers = _answers(states)
    table = grid_table(group, states, answers)
    st.dataframe(_readable(table), hide_index=True, key="grid-table", column_config=_COLUMNS)
    numbers = {"Runs": table}
    factors = varied(table[list(group.factors)].to_dict("records"))
    if len(answers) > 1 and factors:
        effects = main_effects(table.assign(accuracy=100 * table["accuracy"]), factors, "accuracy")
        levels = [
            _LEVELS.get(factor, {}).get(level, level)
            for factor, level in zip(effects["factor"], effects["level"], strict=True)
        ]
        named = effects.assign(factor=effects["factor"].map(_NAMES), level=levels)
        _draw_effects(named, "validation accuracy, per cent", "grid", numbers)
        st.caption("A dot is a mean; the line runs from the lowest to the highest run.")
    else:
        download_menu("grid", None, group.name, tables=numbers)
    st.caption(escape_markdown(comparison_sentence(answers)))


def _answers(states: list[MemberState]) -> dict[str, RunAnswers]:
    found = {}
    for state in states:
        if state.status.state in ("finished", "stopped"):
            try:
                answers = latest_answers(state.run, state.history)
            except BadCheckpoint:
                continue
            if answers is not None:
                found[state.run.id] = answers
    return found


def _readable(table: pd.DataFrame) -> pd.DataFrame:
    intervals = [
        f"{100 * row.accuracy:.1f} ({100 * row.low:.1f} to {100 * row.high:.1f})"
        if pd.notna(row.accuracy)
        else ""
        for row in table.itertuples()
    ]
    words = {name: table[name].map(levels) for name, levels in _LEVELS.items() if name in table}
    kept = table.assign(**words).drop(columns=["accuracy", "low", "high"])
    kept = kept.rename(
        columns=_NAMES | {"macro_f1": "macro-F1", "parameters": "trainable parameters"}
    )
    kept.insert(len(kept.columns) - 3, "accuracy, % (95 %)", intervals)
    return kept


def _draw_effects(
    effects: pd.DataFrame, title: str, key: str, numbers: dict[str, pd.DataFrame]
) -> None:
    """A dot for the mean of each level, a line from its lowest to its highest run, and a menu to
    download both with the ``numbers`` behind them.
    """
    chart = main_effects_chart(effects, title)
    alt = f"{title}: mean, lowest and highest at each level of each setting"
    st.altair_chart(chart, key=f"{key}-effects", alt=alt)
    tables = {"Effects": effects, **numbers}
    download_menu(key, altair_files(lambda: [chart]), key, tables=tables)


def published_configurations() -> None:
    """The sixteen published configurations of one BERT shared by three tasks, and what each setting
    changed.
    """
    meaning = "; ".join(f"{factor}, {words}" for factor, words in FACTORIAL.items())
    st.caption(
        "One BERT shared by three tasks, sixteen configurations of 25 epochs each. "
        f"{escape_markdown(meaning)}. “mean” is that of the three tasks: accuracy on SST and PARA, "
        "correlation on STS."
    )
    result = st.segmented_control(
        "Result", ["mean", *TASKS], default="mean", required=True, key="factorial-result"
    )
    table = published_factorial()
    effects = main_effects(table, list(FACTORIAL), result)
    levels = effects["level"].map({False: "without", True: "with"})
    _draw_effects(effects.assign(level=levels), result, "factorial", {"Configurations": table})
    means = effects.pivot_table(index="factor", columns="level", values="mean", sort=False)
    changes = means[True] - means[False]
    st.caption(
        escape_markdown(
            ", ".join(f"{factor} changes it by {by:+.3f}" for factor, by in changes.items()) + "."
        ).replace("-", "−")
    )
    st.dataframe(table.round(3), hide_index=True, key="factorial-table")
