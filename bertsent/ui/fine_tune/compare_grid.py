"""A hyperparameter grid: its runs in a table, what each setting changed, and whether one run is
best.
"""

import pandas as pd
import streamlit as st

from bertsent.figures.main_effects import main_effects_chart
from bertsent.training.config import TRAINS
from bertsent.training.groups.grid import grid_table, main_effects, varied
from bertsent.training.groups.run_group import MemberState, RunGroup
from bertsent.training.runs.accuracy import comparison_sentence
from bertsent.ui.fine_tune.compare_draft import POOLING_NAMES
from bertsent.ui.fine_tune.run_data import answers_of
from bertsent.ui.shared import altair_chart, download_menu, escape_markdown, result

_NAMES = {
    "pooling": "Pooling",
    "trains": "Trained parts",
    "encoder_lr": "Encoder learning rate",
    "seed": "Seed",
    "macro_f1": "macro-F1",
    "parameters": "trainable parameters",
}
_LEVELS = {
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
    over = [state for state in states if state.status.state in ("finished", "stopped")]
    answers = answers_of({state.run.id: (state.run, state.history) for state in over})
    table = grid_table(group, states, answers)
    factors = varied(table[list(group.factors)].to_dict("records"))
    if len(answers) > 1 and factors:
        effects = main_effects(table.assign(accuracy=100 * table["accuracy"]), factors, "accuracy")
        levels = [
            _LEVELS.get(factor, {}).get(level, level)
            for factor, level in zip(effects["factor"], effects["level"], strict=True)
        ]
        named = effects.assign(factor=effects["factor"].map(_NAMES), level=levels)
        with result("group"):
            dots = "A dot is a mean; the line runs from the lowest to the highest run."
            words, title = comparison_sentence(answers), "validation accuracy, per cent"
            _draw_effects(named, title, "grid", {"Runs": table}, f"{words} {dots}")
        _runs_table(table)
    else:
        with result("group"):
            _runs_table(table)
            st.caption(escape_markdown(comparison_sentence(answers)))
        download_menu("grid", None, group.name, tables={"Runs": table})


def _runs_table(table: pd.DataFrame) -> None:
    st.dataframe(_readable(table), hide_index=True, key="grid-table", column_config=_COLUMNS)


def _readable(table: pd.DataFrame) -> pd.DataFrame:
    share = (100 * table[["accuracy", "low", "high"]].astype("float64")).map("{:.1f}".format)
    intervals = share["accuracy"] + " (" + share["low"] + " to " + share["high"] + ")"
    words = {name: table[name].map(levels) for name, levels in _LEVELS.items() if name in table}
    shown = table.assign(**words).drop(columns=["accuracy", "low", "high"])
    shown.insert(
        shown.columns.get_loc("macro_f1"),
        "accuracy, % (95 %)",
        intervals.where(table["accuracy"].notna(), ""),
    )
    return shown.rename(columns=_NAMES)


def _draw_effects(
    effects: pd.DataFrame, title: str, key: str, numbers: dict[str, pd.DataFrame], words: str
) -> None:
    chart = main_effects_chart(effects, title)
    alt = f"{title}: mean, lowest and highest at each level of each setting"
    altair_chart(chart, key=f"{key}-effects", alt=f"{alt}. {words}")
    st.caption(escape_markdown(words))
    download_menu(key, lambda: [chart], key, tables={"Effects": effects, **numbers})
