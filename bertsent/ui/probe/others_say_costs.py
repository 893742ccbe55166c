"""What an answer costs: the milliseconds of each classifier, and when to use which."""

from datetime import UTC, datetime

import streamlit as st

from bertsent.probing.baselines.answers import Classifier, answer_table
from bertsent.probing.baselines.course_tables import WHEN_TO_USE, trade_offs
from bertsent.probing.timing import TimingSpread, time_answers
from bertsent.ui.probe.others_say_training import ClassifierGroup, answer_of
from bertsent.ui.shared import BY_CONTENT, download_menu, escape_markdown, number_columns


def costs(group: ClassifierGroup, text: str) -> None:
    """Draw the table of all answers with the milliseconds of one."""
    classifiers = group.classifiers
    answers = {each.name: answer_of(each, text) for each in classifiers}
    spreads, when = _timed(classifiers, text)
    st.dataframe(
        answer_table(answers, spreads, group.bert.name),
        hide_index=True,
        column_config=number_columns(
            {"P(positive)": "%.4f", "ms": "%.2f", "ms from": "%.2f", "ms to": "%.2f"}
        ),
    )
    st.caption(
        f"Median of {next(iter(spreads.values())).count} answers by each at {when}, with the "
        "quartiles. The load of other people at that time is included."
    )
    st.button("Time again", key="duel_time_again", on_click=_timed.clear, args=(classifiers, text))


def when_to_use(group: ClassifierGroup, text: str) -> None:
    """Draw the table of five by two and the four trade-offs with the milliseconds of this
    review.
    """
    spreads, _ = _timed(group.classifiers, text)
    st.table(WHEN_TO_USE.map(escape_markdown).set_index("Use BERT when …"))
    st.markdown("**Four trade-offs**")
    milliseconds = {name: spread.median for name, spread in spreads.items()}
    table = trade_offs(milliseconds, group.bert.name)
    st.table(table.map(escape_markdown).set_index("trade-off"))
    st.caption(
        "The table is from the course, which gives BERT's speed in seconds. The milliseconds are "
        "for the review above, on this machine."
    )
    download_menu("duel_when", None, "bertsent-trade-offs", tables={"Trade-offs": table})


@st.cache_data(max_entries=500, show_spinner="Timing the answers …", hash_funcs=BY_CONTENT)
def _timed(classifiers: list[Classifier], text: str) -> tuple[dict[str, TimingSpread], str]:
    """The milliseconds of one answer by classifier, and when they were measured."""
    return (
        time_answers({each.name: each.p_positive for each in classifiers}, [text]),
        f"{datetime.now(UTC):%H:%M:%S} UTC",
    )
