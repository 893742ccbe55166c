"""How far the kinds of evidence agree on this review, said in words, and which of them finds the
words that matter.
"""

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from bertsent.ui.shared.errors import escape_markdown
from bertsent.ui.shared.jobs import JobRequest, outcome
from bertsent.ui.why.carry import carry

if TYPE_CHECKING:
    from bertsent.probing.attribution.attributions import Attributions
    from bertsent.probing.attribution.faithfulness import DeletionCurve
    from bertsent.probing.loaded_model import LoadedModel

_HOW = r"""
- **Kendall's τ** (τ-b) compares how two kinds of evidence rank the words by size: 1 the same order, 0 no relation, −1 the reverse.
  Signs are left aside, because attention has none (Jain and Wallace 2019, “Attention is not Explanation”; the reply of Wiegreffe and
  Pinter 2019 says when it can be).
- **AOPC** (Samek et al. 2017; the comprehensiveness of DeYoung et al. 2020 is its kin) takes the words out one after the other, the
  most telling first: $\frac{1}{K+1} \sum_{k=0}^{K} [P(\text{answer}) - P(\text{answer without the first } k)]$ with K up to 10. The
  higher, the earlier the answer falls. Random order is the mean of ten orders that are always the same.
"""


def agreement(found: dict[tuple[str, str], float | None], attention: str) -> None:
    """The three τ of this review, and what they say about attention."""
    st.badge("attention is not an explanation", color="orange")
    st.caption(escape_markdown(sentence(found, attention)))
    for column, (pair, tau) in zip(st.columns(3), found.items(), strict=True):
        column.metric(f"τ, {pair[0]} and {pair[1]}", "n/a" if tau is None else f"{tau:+.2f}")


def sentence(found: dict[tuple[str, str], float | None], attention: str) -> str:
    """What this review's own τ say about attention."""
    (first, second, third) = found.values()
    if second is None:
        return (
            "τ = n/a: there is nothing to rank with one word, or where all words weigh the "
            "same. Attention is not an explanation."
        )
    strong = (
        "closely"
        if second > 0.6
        else "loosely"
        if second > 0.2
        else "barely"
        if second > -0.2
        else "inversely"
    )
    others = "" if third is None else f" The two others agree with each other at τ = {third:+.2f}."
    return (
        f"Attention ({attention}) shows where a head takes information from, not why the answer "
        "came out as it did. On this review its "
        f"order of the words agrees {strong} with what happens when they are left out: τ = "
        f"{second:+.2f}.{others}"
    )


def trusted(model: "LoadedModel", evidence: "Attributions", table: pd.DataFrame, key: str) -> None:
    """The perturbation curves and their AOPC."""
    st.markdown("**Which of them finds the words that matter?**")

    def work(progress):  # noqa: ANN001, ANN202
        from bertsent.probing.attribution.attributions import faithfulness_curves

        return faithfulness_curves(model, evidence, table, progress=progress)

    rows = 13 * (min(10, len(table)) + 1)
    order = JobRequest(
        f"trust-{key}",
        work,
        "Taking words out",
        "Take words out one by one",
        len(evidence.reading.ids) * rows,
    )
    found = outcome(order)
    if found is None:
        return
    from bertsent.figures.attribution_bars import deletion_chart
    from bertsent.figures.colours import CLUSTERS, QUIET

    curves = pd.concat([_rows(each) for each in found], ignore_index=True)
    names = [each.name for each in found]
    colours = [*CLUSTERS[:3], QUIET]
    left, right = st.columns([3, 2], gap="medium")
    with left:
        chart = deletion_chart(curves, names, colours)
        st.altair_chart(
            chart, width="stretch", key="why-deletion", alt=escape_markdown(_verdict(found))
        )
    with right:
        areas = pd.DataFrame({"order": names, "AOPC": [each.aopc for each in found]})
        st.dataframe(
            areas,
            hide_index=True,
            key="why_aopc",
            column_config={"AOPC": st.column_config.NumberColumn(format="%.3f")},
        )
        st.caption(escape_markdown(_verdict(found)))
        carry(
            "aopc",
            {"Curves": curves, "AOPC": areas},
            lambda: [deletion_chart(curves, names, colours)],
        )
    with st.expander("How is agreement computed?"):
        st.markdown(_HOW)


def _rows(found: "DeletionCurve") -> pd.DataFrame:
    return pd.DataFrame(
        {"order": found.name, "removed": range(len(found.curve)), "probability": found.curve}
    )


def _verdict(found: tuple["DeletionCurve", ...]) -> str:
    """Who finds the telling words first, and whether attention beats chance here."""
    *kinds, random = found
    if len(random.curve) < 3:
        return "With one word every order is the same."
    best = max(kinds, key=lambda each: each.aopc)
    attention, (low, high) = kinds[0], random.spread
    chance = (
        "which a random order can reach, too"
        if attention.aopc <= high
        else "more than any of ten random orders"
    )
    return (
        f"The order of {best.name} makes the answer fall earliest (AOPC {best.aopc:.3f}). "
        f"Attention reaches {attention.aopc:.3f}, {chance} "
        f"({low:.3f} to {high:.3f})."
    )
