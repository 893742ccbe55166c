"""Clusters: whether the vectors of reviews form the two labels by themselves, before fine-tuning
and after it.
"""

import pandas as pd
import streamlit as st

from bertsent.errors import BadInput, NotAvailable
from bertsent.figures.maps import cluster_matrix_figure
from bertsent.progress import Progress, part
from bertsent.space.without_fine_tuning import TwoClusters, clusters_compared, two_clusters
from bertsent.ui.shared import (
    JobRequest,
    escape_markdown,
    number_columns,
    outcome,
    result,
    show_figure,
    show_help,
)
from bertsent.ui.words.built_in_parts import BothEnds, both_ends, builtin_part, mean_vectors

BEFORE, AFTER = "Before fine-tuning", "After fine-tuning"


def show_clusters(name: str) -> None:
    """Draw the cluster × label counts at both ends of the fine-tuning.

    Args:
        name: of the fine-tuned model.
    """
    with result("two_clusters"):
        try:
            ends = both_ends(name)
            found: tuple[TwoClusters, TwoClusters] | None = outcome(
                JobRequest(
                    f"two-clusters-{ends.before.key}-{ends.tuned.key}",
                    lambda progress: _measure(ends, progress),
                    f"Reading {len(builtin_part('validation')):,} built-in reviews",
                    "Read the reviews",
                )
            )
        except (NotAvailable, BadInput) as error:
            st.info(escape_markdown(str(error)))
            return
        if found is not None:
            _draw(*found)
    show_help("words", "without_clusters")


def _measure(ends: BothEnds, progress: Progress) -> tuple[TwoClusters, TwoClusters]:
    validation = builtin_part("validation")
    labels = [int(label == 1) for label in validation.labels]
    before = mean_vectors(ends.before, validation, part(progress, 0.0, 0.45))
    after = mean_vectors(ends.tuned, validation, part(progress, 0.45, 0.9))
    return two_clusters(before.vectors, labels), two_clusters(after.vectors, labels)


def _draw(before: TwoClusters, after: TwoClusters) -> None:
    st.markdown(f"**{escape_markdown(clusters_compared(before, after))}**")
    columns = st.columns(2, gap="medium")
    sides = ((BEFORE, before, "before"), (AFTER, after, "after"))
    for column, (title, found, key) in zip(columns, sides, strict=True):
        with column:
            show_figure(
                cluster_matrix_figure(found.matrix),
                f"two_clusters_{key}",
                f"bertsent-two-clusters-{key}",
                f"{title}: matched to the labels, the clusters are right on "
                f"{100 * found.measures.accuracy:.1f} % of {found.measures.reviews:,} reviews.",
                tables={"Counts": found.matrix.reset_index()},
            )
    rows = [
        (title, 100 * f.measures.purity, 100 * f.measures.accuracy, f.measures.ari, f.measures.nmi)
        for title, f, _ in sides
    ]
    table = pd.DataFrame(rows, columns=["vectors", "purity", "matched", "ARI", "NMI"]).round(3)
    st.dataframe(
        table.replace(0.0, 0.0),  # no minus before a zero
        hide_index=True,
        key="two_clusters_table",
        column_config=number_columns(
            {"purity": "%.1f %%", "matched": "%.1f %%", "ARI": "%.3f", "NMI": "%.3f"}
        ),
    )
