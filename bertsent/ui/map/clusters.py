"""What K-Means finds without any label: the matrix with its reviews, how far clusters agree with
labels, their words, how stable they are.
"""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from bertsent.data.cache import cache_key
from bertsent.figures.map_panels import keyword_figure
from bertsent.figures.maps import cluster_matrix_figure
from bertsent.progress import Progress
from bertsent.space.clustering import (
    ClusterAgreement,
    agreement,
    clusters_sentence,
    silhouette,
    stability,
)
from bertsent.space.keywords import keyword_sentence, keywords
from bertsent.space.projection_map import label_names
from bertsent.ui.map.learned_from import learned_sentence
from bertsent.ui.map.map_view import ShownMap
from bertsent.ui.map.review_table import review_table
from bertsent.ui.shared import (
    JobRequest,
    choose,
    download_menu,
    escape_markdown,
    outcome,
    show_figure,
    show_help,
)

MATRIX, TABLE = "map_matrix", "cluster_reviews"
_SAMPLES = 10  # reviews, as printed in the paper
_WORDS = 12  # of a cluster
_MEASURES = {"z": "log-odds", "count": "count", "c_tf_idf": "c-TF-IDF"}
_AXES = {"z": "z of the log-odds", "count": "times", "c_tf_idf": "c-TF-IDF"}


def show_clusters(name: str, shown: ShownMap) -> None:
    """Draw the matrix and its numbers, the reviews of a cell or of a cluster's middle, and the
    words of every cluster.
    """
    left, right = st.columns([2, 3], gap="medium")
    with left:
        cell = _matrix(shown)
        _numbers(shown)
        st.caption(learned_sentence(name, shown.reviews))
    with right:
        _reviews(shown, cell)
    _keywords(shown)
    show_help("map", "clusters")


def _matrix(shown: ShownMap) -> tuple[int, str] | None:
    """The cluster × label matrix; gives back the cell that was clicked, if it is still there."""
    matrix = shown.map.matrix
    if matrix is None:
        st.caption(
            "No review of this set has a label, so there is nothing to compare the clusters with."
        )
        return None
    sentence = clusters_sentence(matrix)
    event = show_figure(
        cluster_matrix_figure(matrix),
        MATRIX,
        "bertsent-clusters",
        sentence,
        caption=f"{sentence} Click a cell for its reviews.",
        on_select="rerun",
        selection_mode="points",
    )
    cells = {(cluster, label) for cluster in matrix.index for label in matrix.columns}
    clicked = [point.get("customdata") for point in event.selection.points]
    return next((tuple(c) for c in clicked if isinstance(c, list) and tuple(c) in cells), None)


def _numbers(shown: ShownMap) -> None:
    """Agreement with the labels at once, silhouette and stability when they are computed."""
    ids, vectors = shown.map.points["cluster"].to_numpy(), shown.map.embeddings.vectors
    names, k = label_names(shown.reviews), int(ids.max()) + 1
    found = agreement(ids, shown.reviews.labels, names) if names else None
    rows = {} if found is None else _agreement_rows(found, names)

    def work(progress: Progress) -> dict[str, str]:
        progress(0.05)
        near = silhouette(vectors, ids)
        progress(0.2)
        made = {"silhouette": "not defined" if near is None else f"{near:.3f}"}
        if k > 1:
            stable = stability(vectors, k)
            made["stability (ARI between seeds)"] = f"{stable.mean:.3f}, lowest {stable.low:.3f}"
        return made

    key = f"stable-{cache_key(shown.key)}"
    rows |= outcome(JobRequest(key, work, "Clustering again with ten seeds", "Compute")) or {}
    if rows:
        st.table(pd.Series(rows, name="value"))


def _agreement_rows(found: ClusterAgreement, names: Sequence[str]) -> dict[str, str]:
    pairs = ", ".join(
        f"{cluster} = {names[label].lower()}" for cluster, label in sorted(found.matched.items())
    )
    return {
        f"matched ({pairs})": f"{100 * found.accuracy:.1f} %",
        "purity": f"{100 * found.purity:.1f} %",
        "adjusted Rand index (ARI)": f"{found.ari:.3f}",
        "normalised mutual information (NMI)": f"{found.nmi:.3f}",
    }


def _reviews(shown: ShownMap, cell: tuple[int, str] | None) -> None:
    """The reviews of the clicked cell, or those nearest to the centre of a chosen cluster; a row
    opens its review.
    """
    if cell is None:
        rows = _middle(shown)
    else:
        points, (cluster, label) = shown.map.points, cell
        rows = points[(points["cluster"] == cluster) & (points["label"] == label)]
        st.markdown(f"**{len(rows):,} {label.lower()} reviews of cluster {cluster}**")
    review_table(rows, TABLE)
    download_menu("cluster_csv", None, "bertsent-cluster", tables={"These reviews": rows})


def _middle(shown: ShownMap) -> pd.DataFrame:
    points, vectors = shown.map.points, shown.map.embeddings.vectors
    options = {
        int(cluster): f"cluster {cluster} ({n:,})"
        for cluster, n in points["cluster"].value_counts().sort_index().items()
    }
    chosen = choose(f"The {_SAMPLES} reviews nearest to the centre of", options, "map_cluster")
    centre = vectors[(points["cluster"] == chosen).to_numpy()].mean(axis=0)
    near = shown.map.nearest(centre, len(points))
    return near[near["cluster"] == chosen].head(_SAMPLES)


def _keywords(shown: ShownMap) -> None:
    st.markdown("**Words of each cluster**")
    measure, table = choose("Strongest by", _MEASURES, "cluster_words"), _words(shown.key, shown)
    clusters = sorted(shown.map.points["cluster"].unique())
    columns = [each for _ in range(0, len(clusters), 3) for each in st.columns(3, gap="medium")]
    strongest = table.sort_values([measure, "word"], ascending=[False, True])
    for column, cluster in zip(columns, clusters, strict=False):
        with column:
            st.markdown(f"Cluster {cluster}")
            mine = strongest[strongest["cluster"] == cluster].head(_WORDS)
            if not len(mine):
                st.caption("No word occurs twice.")
                continue
            show_figure(
                keyword_figure(mine, measure, _AXES[measure]),
                f"words_{cluster}",
                f"bertsent-words-{cluster}",
                f"Strongest words: {', '.join(mine['word'])}",
                caption="",
            )
    st.caption(escape_markdown(keyword_sentence(table, measure, _WORDS)))
    download_menu("words_csv", None, "bertsent-words", tables={"Words": table})


@st.cache_data(max_entries=8, show_spinner=False)
def _words(key: str, _shown: ShownMap) -> pd.DataFrame:
    return keywords(_shown.reviews.texts, _shown.map.points["cluster"].to_numpy())
