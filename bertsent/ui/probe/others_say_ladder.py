"""The ladder of methods: the course's stars beside what was measured here."""

import streamlit as st

from bertsent.probing.baselines.ladder import LADDER_SETS, ladder_sentence, ladder_table, measured
from bertsent.probing.baselines.shipped import ORDINARY, TRAINED_ON
from bertsent.ui.probe.others_say_training import ClassifierGroup
from bertsent.ui.shared import downloads_and_help, escape_markdown, result


def ladder(group: ClassifierGroup) -> None:
    """Draw one row a method: stars and words of the course, and measured accuracies."""
    trained_on = group.trained_on if group.trained_on in TRAINED_ON else ORDINARY
    table, counts = ladder_table(trained_on), measured(trained_on).groupby("set")["n"].first()
    heads = {name: f"{name} (n = {counts.get(name, 0):,})" for name in LADDER_SETS}
    with result("ladder"):
        st.markdown(f"**The ladder of methods**, learned from {TRAINED_ON[trained_on]}")
        shown = table.rename(columns=heads).set_index("method")
        st.table(shown.map(escape_markdown), border="horizontal")
        st.caption(escape_markdown(ladder_sentence(trained_on)))
        downloads_and_help(
            "duel_ladder",
            None,
            f"bertsent-ladder-{trained_on}",
            ("probe", "others_say_ladder"),
            tables={"Ladder": table},
        )
