"""The published experiments on the Compare tab: the pair of runs without and with contrastive
reviews, and sixteen configurations of a shared BERT.
"""

import streamlit as st

from bertsent.training.groups.grid import main_effects
from bertsent.training.groups.published import (
    FACTORIAL,
    PUBLISHED,
    SLIPS,
    TASKS,
    PublishedRun,
    published_factorial,
)
from bertsent.ui.fine_tune.compare_grid import draw_effects
from bertsent.ui.shared.errors import escape_markdown


def published_experiments() -> None:
    """Draw both."""
    pair, factorial = st.tabs(["Without and with contrastive reviews", "Sixteen configurations"])
    with pair:
        for place, printed in zip(st.columns(2, gap="medium"), PUBLISHED.values(), strict=True):
            with place:
                published_report(printed)
        with st.popover("Errors in the published figures"):
            st.markdown("\n".join(f"- {escape_markdown(slip)}" for slip in SLIPS))
    with factorial:
        _factorial()


def published_report(printed: PublishedRun) -> None:
    """A printed report with the confusion matrix that it implies."""
    st.markdown(f"**Published** · {printed.title}, {printed.validation_rows} validation reviews")
    st.code(printed.report, language=None)
    negative = printed.matrix[0][0] / sum(printed.matrix[0])
    st.caption(
        "For reference, on toy data, not measured here. Implied confusion matrix "
        f"{list(map(list, printed.matrix))}: {printed.right} of {printed.validation_rows} right, "
        f"{negative:.0%} of the negative ones. Always answering the more frequent label: "
        f"{max(map(sum, printed.matrix)) / printed.validation_rows:.0%}."
    )


def _factorial() -> None:
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
    draw_effects(effects.assign(level=levels), result, "factorial-effects")
    means = effects.pivot_table(index="factor", columns="level", values="mean", sort=False)
    changes = means[True] - means[False]
    st.caption(
        escape_markdown(
            ", ".join(f"{factor} changes it by {by:+.3f}" for factor, by in changes.items()) + "."
        ).replace("-", "−")
    )
    st.dataframe(table.round(3), hide_index=True, key="factorial-table")
