"""The numbers of the hour below the question: how sure and right the class was, how far it agrees,
and its votes as tables.
"""

import pandas as pd
import streamlit as st

from bertsent.classroom.agreement import agreement_sentence, agreement_table
from bertsent.classroom.class_calibration import (
    calibration_table,
    class_calibration_sentence,
    class_reliability,
)
from bertsent.classroom.hour_tables import question_table, vote_table
from bertsent.classroom.room import Room
from bertsent.classroom.tally import revealed
from bertsent.figures.votes import class_reliability_figure
from bertsent.ui.shared import (
    UNSEEN_BAR,
    download_menu,
    downloads_and_help,
    escape_markdown,
    plotly_chart,
    presented_table,
    result,
)

_PERCENT = {"sure": "%.0f %%", "right": "%.0f %%", "ECE": "%.2f"}


def show_numbers(room: Room) -> None:
    """Draw what the revealed questions say of the class and of the models; nothing before that."""
    state = room.look()
    if not revealed(state):
        return
    left, right = st.columns(2, gap="medium")
    table = calibration_table(state)
    if len(table):
        with left, result("class_calibration"):
            st.markdown("**As sure as right?**")
            finding = class_calibration_sentence(state)
            figure = class_reliability_figure(class_reliability(state))
            plotly_chart(figure, key="class_calibration_chart", config=UNSEEN_BAR, alt=finding)
            st.caption(escape_markdown(finding))
            downloads_and_help(
                "class_calibration_chart",
                figure,
                "bertsent-class-calibration",
                ("class_hour", "calibration"),
                tables={"Calibration": table},
            )
    with right, result("class_agreement"):
        st.markdown("**Do they agree?**")
        agreed = agreement_table(state)
        if len(agreed):
            same = [
                f"{n} of {of}" for n, of in zip(agreed["same"], agreed["questions"], strict=True)
            ]
            shown = pd.DataFrame({"model": agreed["model"], "same": same, "κ": agreed["kappa"]})
            presented_table(shown, {"κ": "%.2f"}, missing="not defined")
        st.caption(escape_markdown(agreement_sentence(state)))
        if len(table):
            shown = table.assign(sure=100 * table["sure"], right=100 * table["right"])
            shown = shown.rename(columns={"ece": "ECE"})
            presented_table(shown, _PERCENT)
        download_menu(
            "class_votes",
            None,
            f"bertsent-{room.code}",
            tables={
                "Questions": question_table(state),
                "Votes": vote_table(state),
                "Agreement": agreed,
            },
        )
