"""How good the built-in model is, on the home page: measured when it was made, beside two
classifiers that count words.
"""

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from bertsent.probing.shipped_scores import (
    BUILTIN_TEST,
    BUILTIN_VALIDATION,
    MODELS,
    ONE_LINERS,
    shipped_scores,
    side_by_side,
    slice_of,
)
from bertsent.ui.shared import choose, number_columns, show_figure

if TYPE_CHECKING:
    import plotly.graph_objects as go

_HOW = """
Every review was answered once. No model was trained on them, and none was chosen by the test
part. *The test part is hard for bags of words on purpose*: reviews that counting words gets right
were left out of it, except plain ones (adversarial filtering, Zellers et al. 2018). The validation
part is not filtered: use it for a fair comparison. *One-liners* are pairs of one
line each: the one pair in eight that no model here was trained on. They are not filtered either.

A dot is the share of right answers, its line the 95 % interval (Wilson 1927), which is wide where
reviews are few. The other two were trained on the same reviews as BERT: a linear support
vector machine on word counts, and logistic regression on words and word pairs weighted by TF-IDF.
*Pairs, both right*: two reviews that differ in a word or two and in their label count once, and
only when both are right (Gardner et al. 2020); here guessing gives 25 %.
"""
_PARTS = {
    BUILTIN_TEST: "Test part",
    BUILTIN_VALIDATION: "Validation part",
    ONE_LINERS: "One-liners",
}


def scores() -> None:
    """Draw the comparison; nothing where no model ships."""
    table = shipped_scores()
    if table is None:
        return
    st.subheader("How good is the built-in model?", anchor=False)
    _headline(table)
    of = choose("Reviews", _PARTS, "scores_of", bind=None)
    show_figure(
        _figure(of),
        "scores",
        "bertsent-scores",
        "Accuracy by phenomenon of three classifiers",
        caption="",
        tables={"All scores": table},
    )
    numbers, how = st.columns(2, gap="medium")
    with numbers.expander("The numbers"):
        columns = number_columns(dict.fromkeys(MODELS, "%.1f"))
        st.dataframe(side_by_side(table, of), column_config=columns)
    how.expander("How is this measured?").markdown(_HOW)


def _headline(table: pd.DataFrame) -> None:
    whole = {of: slice_of(table, of, "all") for of in table["set"].unique() if of not in _PARTS}
    listed = "; ".join(f"{of} {100 * found.accuracy:.1f} %" for of, found in whole.items() if found)
    st.caption(
        f"On public development sets: {listed}. Below: reviews of this project, by what makes them "
        "hard."
    )


@st.cache_resource(show_spinner=False)
def _figure(of: str) -> "go.Figure":
    from bertsent.figures.classification import accuracy_dots

    table = shipped_scores()
    assert table is not None
    shown, intervals = side_by_side(table, of), {}
    for model in MODELS:
        found = [slice_of(table, of, name, model) for name in shown.index]
        intervals[model] = [(each.accuracy, *each.interval) for each in found if each]
    return accuracy_dots(list(shown.index), intervals, [f"({n:,.0f})" for n in shown["n"]])
