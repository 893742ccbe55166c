"""What K-Means finds without any label: the matrix with its reviews, how far clusters are labels,
their words, how stable they are.
"""

from dataclasses import dataclass

import pandas as pd
import streamlit as st

from bertsent.data.cache import cache_key
from bertsent.data.cleaning import shorten
from bertsent.data.examples import LABELS
from bertsent.figures.map_panels import keyword_figure
from bertsent.figures.maps import cluster_matrix_figure
from bertsent.space.cluster_agreement import Agreement, Stability, agreement, silhouette, stability
from bertsent.space.keywords import keywords
from bertsent.ui.map.map_view import ShownMap, open_review
from bertsent.ui.shared.downloads import UNSEEN_BAR, download_menu, safe_csv
from bertsent.ui.shared.errors import escape_markdown
from bertsent.ui.shared.jobs import UNASKED_TOKENS, JobRequest, outcome

MATRIX, TABLE = "map_matrix", "cluster_reviews"
_SAMPLES, _BEGINNING, _WORDS = (
    10,
    118,
    12,
)  # reviews and characters of each as printed in the paper; words a cluster
_MEASURES = {"log-odds": "z", "count": "count", "c-TF-IDF": "c_tf_idf"}
_AXES = {"z": "z of the log-odds", "count": "times", "c_tf_idf": "c-TF-IDF"}
_NEAREST = "nearest to the centre"
_HOW = r"""
- **K-Means** (Lloyd 1982) groups the vectors themselves, not the dots of the picture; cluster 0 is the largest.
- **Matched**: every cluster gets a label of its own so that most reviews agree (Hungarian method, Kuhn 1955). **Purity** calls each
  cluster by its commonest label, so many clusters make it high by themselves.
- **ARI**: the share of pairs of reviews that clusters and labels treat alike, 0 at chance and 1 when equal (Hubert and Arabie 1985).
  **NMI**: what clusters and labels tell of each other, over the mean of what each tells of itself.
- **Silhouette**: $(b - a) / \max(a, b)$ with the mean distance $a$ to its own cluster and $b$ to the next one (Rousseeuw 1987).
- **Stability**: the ARI between the clusters of ten seeds, all pairs of them.
- **Log-odds**: the z-score of the log-odds ratio of a word with an informative Dirichlet prior (Monroe et al. 2008, equation 22); above
  1.96 it is more than chance. **c-TF-IDF**: frequent here, rare elsewhere (Grootendorst 2022). Counts alone let one word lead two clusters.
"""


@dataclass(frozen=True)
class ClusterChecks:
    """What is reckoned in the background."""

    silhouette: float | None
    stability: Stability | None


def show_clusters(name: str, shown: ShownMap) -> None:
    """Draw the matrix and its numbers, the reviews of a cell or of a cluster's middle, and the
    words of every cluster.
    """
    left, right = st.columns([2, 3], gap="medium")
    with left:
        cell = _matrix(shown)
        _numbers(shown)
    with right:
        _reviews(shown, cell)
    _keywords(shown)
    with st.expander("How is this computed?", key="clusters_how"):
        st.markdown(_HOW)


def reviews_of(points: pd.DataFrame, cluster: int, label: str = "") -> pd.DataFrame:
    """The points of a cluster, or of one cell of the matrix."""
    inside = points["cluster"] == cluster
    return points[inside & (points["label"] == label)] if label else points[inside]


def _matrix(shown: ShownMap) -> tuple[int, str] | None:
    """The cluster × label matrix; gives back the cell that was clicked, if it is still there."""
    matrix = shown.atlas.matrix
    if matrix is None:
        st.caption(
            "No review of this set has a label, so there is nothing to compare the clusters with."
        )
        return None
    figure, said = cluster_matrix_figure(matrix, height=90 + 52 * len(matrix)), _sentence(matrix)
    event = st.plotly_chart(
        figure,
        key=MATRIX,
        on_select="rerun",
        selection_mode="points",
        config=UNSEEN_BAR,
        alt=said,
    )
    st.caption(f"{said} Click a cell for its reviews.")
    download_menu(MATRIX, figure, "bertsent-clusters")
    clicked = [point.get("customdata") for point in event.selection.points]
    found = [
        (c[0], c[1])
        for c in clicked
        if isinstance(c, list | tuple) and len(c) == 2 and c[0] in matrix.index and c[1] in LABELS
    ]
    return found[0] if found else None


def _sentence(matrix: pd.DataFrame) -> str:
    """The purest cluster in words."""
    counts, sizes = matrix.to_numpy(), matrix.to_numpy().sum(axis=1)
    best = int((counts.max(axis=1) / sizes.clip(1)).argmax())
    label = LABELS[int(counts[best].argmax())].lower()
    right = counts.max(axis=1).sum()
    return (
        f"Cluster {matrix.index[best]} is {counts[best].max() / max(sizes[best], 1):.1%} {label} "
        f"({counts[best].max():,} of {sizes[best]:,}); "
        f"naming each cluster by its commoner label is right for {right / max(sizes.sum(), 1):.1%}."
    ).replace("%", " %")


def _numbers(shown: ShownMap) -> None:
    """Agreement with the labels at once, silhouette and stability when they are reckoned."""
    ids, labels = shown.atlas.points["cluster"].to_numpy(), shown.reviews.labels
    found = agreement(ids, labels)
    rows = {} if found is None else _agreement_rows(found)
    vectors, k = shown.atlas.embeddings.vectors, int(ids.max()) + 1

    def work(progress) -> ClusterChecks:  # noqa: ANN001 - what ``jobs`` calls
        progress(0.05)
        near = silhouette(vectors, ids)
        progress(0.2)
        return ClusterChecks(near, stability(vectors, k) if k > 1 else None)

    checked = outcome(
        JobRequest(
            f"stable-{cache_key(shown.key)}",
            work,
            "Clustering again with ten seeds",
            "Reckon",
            UNASKED_TOKENS,
        )
    )
    if checked is not None:
        rows["silhouette"] = (
            "not defined" if checked.silhouette is None else f"{checked.silhouette:.3f}"
        )
        if checked.stability is not None:
            rows["stability (ARI between seeds)"] = (
                f"{checked.stability.mean:.3f}, lowest {checked.stability.low:.3f}"
            )
    if rows:
        st.table(pd.Series(rows, name="value"))


def _agreement_rows(found: Agreement) -> dict[str, str]:
    pairs = ", ".join(
        f"{cluster} = {LABELS[label].lower()}" for cluster, label in sorted(found.matched.items())
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
    points = shown.atlas.points
    if cell is not None:
        rows = reviews_of(points, *cell)
        st.markdown(f"**{len(rows):,} {cell[1].lower()} reviews of cluster {cell[0]}**")
    else:
        rows = _middle(shown)
    known = (
        {"P(positive)": (100 * rows["p_positive"]).tolist()}
        if rows["p_positive"].notna().all()
        else {}
    )
    table = pd.DataFrame(
        {
            **known,
            "truth": rows["label"].tolist(),
            "review": [shorten(text, _BEGINNING) for text in rows["text"]],
        }
    )
    st.session_state["cluster_rows"] = rows["id"].tolist()
    st.dataframe(
        table,
        hide_index=True,
        key=TABLE,
        on_select=_picked,
        selection_mode="single-row",
        height=min(420, 40 + 35 * max(len(table), 1)),
        column_config={
            "P(positive)": st.column_config.NumberColumn(format="%.1f %%", width="small"),
            "truth": st.column_config.TextColumn(width="small"),
        },
    )
    st.download_button(
        "These reviews as CSV",
        lambda: safe_csv(rows),
        "bertsent-cluster.csv",
        "text/csv",
        key="cluster_csv",
        on_click="ignore",
    )


def _middle(shown: ShownMap) -> pd.DataFrame:
    points = shown.atlas.points
    sizes = points["cluster"].value_counts().sort_index()
    if st.session_state.get("map_cluster") not in sizes.index:
        st.session_state.pop("map_cluster", None)
    chosen = st.segmented_control(
        f"The {_SAMPLES} reviews {_NEAREST} of",
        sizes.index.tolist(),
        default=int(sizes.index[0]),
        required=True,
        key="map_cluster",
        format_func=lambda cluster: f"cluster {cluster} ({sizes[cluster]:,})",
    )
    inside = (points["cluster"] == chosen).to_numpy()
    near = shown.atlas.nearest(shown.atlas.embeddings.vectors[inside].mean(axis=0), len(points))
    return near[near["cluster"] == chosen].head(_SAMPLES)


def _picked() -> None:
    """A row was chosen: its review opens beside the map."""
    rows, ids = st.session_state[TABLE].selection.rows, st.session_state.get("cluster_rows", [])
    if rows and rows[0] < len(ids):
        open_review(ids[rows[0]])


def _keywords(shown: ShownMap) -> None:
    """The words of every cluster side by side, by the measure that is chosen."""
    st.markdown("**Words of each cluster**")
    chosen = st.segmented_control(
        "Strongest by",
        list(_MEASURES),
        default=next(iter(_MEASURES)),
        required=True,
        key="cluster_words",
        bind="query-params",
        persist_state="session",
    )
    measure, table = _MEASURES[chosen], _words(shown.key, shown)
    clusters = sorted(shown.atlas.points["cluster"].unique())
    for start in range(0, len(clusters), 3):
        for column, cluster in zip(
            st.columns(3, gap="medium"), clusters[start : start + 3], strict=False
        ):
            mine = (
                table[table["cluster"] == cluster]
                .sort_values([measure, "word"], ascending=[False, True])
                .head(_WORDS)
            )
            with column:
                st.markdown(f"Cluster {cluster}")
                if not len(mine):
                    st.caption("No word comes twice.")
                    continue
                words = ", ".join(mine["word"])
                figure = keyword_figure(mine, measure, _AXES[measure])
                st.plotly_chart(
                    figure,
                    key=f"words_{cluster}",
                    config=UNSEEN_BAR,
                    alt=f"Strongest words: {words}",
                )
                download_menu(f"words_{cluster}", figure, f"bertsent-words-{cluster}")
    beyond = int((table["z"] > 1.96).sum())
    st.caption(
        escape_markdown(
            f"{_shared(table, measure)} {beyond:,} words are commoner in their cluster than chance "
            "allows (z above 1.96)."
        )
    )
    st.download_button(
        "Words as CSV",
        lambda: safe_csv(table),
        "bertsent-words.csv",
        "text/csv",
        key="words_csv",
        on_click="ignore",
    )


def _shared(table: pd.DataFrame, measure: str) -> str:
    """Which words lead more than one cluster: with counts some do, with log-odds none should."""
    leaders = (
        table.sort_values(measure, ascending=False)
        .groupby("cluster")
        .head(_WORDS)["word"]
        .value_counts()
    )
    twice = leaders[leaders > 1].index.tolist()
    if not twice:
        return "No word is among the strongest of two clusters."
    return f"Among the strongest of more than one cluster: {', '.join(sorted(twice)[:8])}."


@st.cache_data(max_entries=8, show_spinner=False)
def _words(key: str, _shown: ShownMap) -> pd.DataFrame:
    return keywords([e.text for e in _shown.reviews], _shown.atlas.points["cluster"].to_numpy())
