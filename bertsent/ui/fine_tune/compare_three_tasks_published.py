"""The published experiment on three tasks at once: its eighteen rows, what each setting changed,
and what its own table contradicts.
"""

import streamlit as st

from bertsent.figures.main_effects import main_effects_chart
from bertsent.training.groups.factor_effects import effects_sentence, factor_effects
from bertsent.training.groups.grid import main_effects
from bertsent.training.groups.published import FACTORIAL, TASKS, published_factorial
from bertsent.training.groups.published_three_tasks import ROWS, SOURCE, all_rows, remarks
from bertsent.ui.fine_tune.three_tasks_asked import ask_three_tasks
from bertsent.ui.shared import altair_chart, choose, download_menu, escape_markdown, result

_NUMBER = st.column_config.NumberColumn(format="%.3f")
_COLUMNS = dict.fromkeys((*TASKS, "mean"), _NUMBER)


def published_configurations() -> None:
    """Draw what was printed; nothing here was computed by this program but the effects."""
    _effects()
    published_rows()
    with result("remarks"):
        st.markdown("**What it says, and what its numbers say**")
        st.markdown("\n".join(f"- {escape_markdown(each)}" for each in remarks()))
    ask_three_tasks()


def published_rows() -> None:
    """Draw the table as it was printed."""
    with result("published_rows"):
        st.markdown("**All eighteen rows, as published**")
        st.dataframe(
            all_rows(),
            hide_index=True,
            height="content",
            key="factorial-table",
            column_config=_COLUMNS,
        )
        sizes = ", ".join(f"{name} {rows:,}" for name, rows in ROWS.items())
        words = f"Published, not measured here: {SOURCE}. Training rows: {sizes}; 25 epochs each."
        st.caption(escape_markdown(words))
        download_menu("published-rows", None, "published", tables={"Rows": all_rows()})


def _effects() -> None:
    picked = choose(
        "Result", ("mean", *TASKS), "factorial-result", label_visibility="collapsed", bind=None
    )
    table = published_factorial()
    effects = main_effects(table, list(FACTORIAL), picked)
    found = factor_effects(table, list(FACTORIAL), picked)
    meaning = "; ".join(f"{factor}, {words}" for factor, words in FACTORIAL.items())
    levels = effects["level"].map({False: "without", True: "with"})
    with result("published"):
        chart = main_effects_chart(effects.assign(level=levels), picked)
        words = (
            f"Published: {effects_sentence(found, picked)} One BERT shared by three tasks, sixteen "
            f"configurations of 25 epochs each: {meaning}. A dot is the mean of eight of them, the "
            "line runs from the lowest to the highest. “mean” is that of accuracy on SST and PARA "
            "and the correlation on STS."
        )
        altair_chart(chart, key="factorial-effects", alt=f"{picked} by setting. {words}")
        st.caption(escape_markdown(words))
        tables = {"Effects": found, "Levels": effects, "Configurations": table}
        download_menu("factorial", lambda: [chart], "factorial", tables=tables)
