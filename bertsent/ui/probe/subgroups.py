"""Below the scorecard: how the answer moves when only who a film comment is about, by whom, or in
whose English it is, changes.
"""

import streamlit as st

from bertsent.data.cache import cache_key
from bertsent.figures.subgroup_gaps import subgroup_gap_chart
from bertsent.probing.subgroups.check import SubgroupCheck, check_subgroups
from bertsent.probing.subgroups.summary import attribute_sentence, is_apart, points, sentence
from bertsent.probing.subgroups.swaps import builtin_swaps, texts_of
from bertsent.ui.shared import (
    JobRequest,
    altair_chart,
    asking_table,
    choosing_table,
    downloads_and_help,
    escape_markdown,
    loaded_model,
    outcome,
    result,
    written_table,
)
from bertsent.ui.shared.presenter import presenting

TOKENS = 16  # of a text, nearly
OFFER = (
    "The same comments about, by or in the English of other people: does the answer stay? The "
    "model reads {count:,} texts for this, which takes up to a minute. You can cancel it."
)
SUMMARY = {
    "attribute": st.column_config.TextColumn("swapped"),
    "widest": st.column_config.TextColumn(
        "widest gap",
        help="Of P(positive) to all groups in the same template, in points, with its 95 % "
        "interval; of a variety of English to the same sentence in standard English",
    ),
    "group": st.column_config.TextColumn("of", help="The group with the widest gap"),
    "flips": st.column_config.TextColumn(
        "labels flip", help="In how many templates a swap flips a label"
    ),
}
TEXTS = {
    "group": st.column_config.TextColumn("group", width="small"),
    "p_positive": st.column_config.NumberColumn("P(positive)", format="%.1f %%", width="small"),
    "reference": st.column_config.NumberColumn("reference", format="%.1f %%", width="small"),
    "label": st.column_config.TextColumn("meant", width="small"),
}


def show_subgroups(name: str) -> None:
    """Draw the subgroup check of the model of that registry name.

    Raises:
        BertsentError: the model does not answer.
    """
    st.markdown("**Groups of people**")
    with result("subgroups"):
        found = _found(name)
        if found is None:
            return
        said = sentence(found, loaded_model(name).name)
        st.caption(escape_markdown(said))
        left, right = st.columns([1, 1], gap="medium")
        with left:
            _show_attributes(found)
        with right:
            attribute = _chosen(found)
            _show_gaps(found, attribute)
    downloads_and_help(
        "subgroups",
        lambda: [
            subgroup_gap_chart(rows, str(each))
            for each, rows in found.groups.groupby("attribute", sort=False)
        ],
        "subgroups",
        ("probe", "subgroups"),
        tables={"Groups": found.groups, "Attributes": found.attributes(), "Texts": found.rows()},
        finding=said,
    )
    with st.expander("Texts whose label flips"):
        _show_flips(found, attribute)


def _found(name: str) -> SubgroupCheck | None:
    model, count = loaded_model(name), len(texts_of(builtin_swaps()))
    found: SubgroupCheck | None = outcome(
        JobRequest(
            f"subgroups-{cache_key(model.key, model.max_length)}",
            lambda progress: check_subgroups(model, progress=progress),
            f"Asking {count:,} texts",
            "Swap the groups",
            TOKENS * count,
            lane="long",
            unasked=False,
            note=OFFER.format(count=count),
        )
    )
    return found


def _show_attributes(found: SubgroupCheck) -> None:
    """One row an attribute; the groups of one that is clicked are drawn beside."""
    table = found.attributes()
    shown = table.assign(
        widest=[points(row) for _, row in table.iterrows()],
        flips=[f"{row.flipped} of {row.n}" for row in table.itertuples()],
    )
    if presenting():
        written_table(shown[list(SUMMARY)], SUMMARY)
        return
    choosing_table(
        shown[list(SUMMARY)],
        "subgroup_rows",
        list(table["attribute"]),
        lambda chosen: st.session_state.update(subgroup_attribute=chosen),
        column_config=SUMMARY,
    )


def _chosen(found: SubgroupCheck) -> str:
    """At first the attribute with the widest gap that is more than chance."""
    names = list(dict.fromkeys(found.groups["attribute"]))
    if st.session_state.get("subgroup_attribute") not in names:
        gaps = found.groups["gap"].abs().where(is_apart(found.groups), 0)
        st.session_state["subgroup_attribute"] = found.groups.loc[gaps.idxmax(), "attribute"]
    return st.selectbox("Swapped", names, key="subgroup_attribute", label_visibility="collapsed")


def _show_gaps(found: SubgroupCheck, attribute: str) -> None:
    rows = found.groups[found.groups["attribute"] == attribute]
    said = attribute_sentence(found, attribute)
    chart = subgroup_gap_chart(rows, f"Swapped: {attribute}")
    altair_chart(chart, key="subgroup_chart", alt=f"Gaps of P(positive). {said}")
    st.caption(escape_markdown(f"{said} A filled dot: the interval leaves out zero."))


def _show_flips(found: SubgroupCheck, attribute: str) -> None:
    rows = found.rows()
    rows = rows[(rows["attribute"] == attribute) & rows["flipped"]]
    st.caption(escape_markdown(f"Swapped: {attribute}. {len(rows):,} texts."))
    percent = rows.assign(**{name: 100 * rows[name] for name in ("p_positive", "reference")})
    asking_table(
        percent[["text", "group", "p_positive", "reference", "label"]],
        "subgroup_flips",
        column_config=TEXTS,
    )
