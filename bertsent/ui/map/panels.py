"""The panels below a map, one at a time: extreme reviews, clusters, a decision boundary, a
selection, similarities, calibration.
"""

from bertsent.ui.map.boundary import show_boundary
from bertsent.ui.map.calibration import show_calibration
from bertsent.ui.map.clusters import show_clusters
from bertsent.ui.map.extremes import show_extremes
from bertsent.ui.map.map_view import ShownMap
from bertsent.ui.map.meaning import show_meaning
from bertsent.ui.map.selection import show_selection
from bertsent.ui.shared.tabs import Tab, choose_tab

_PANELS = (
    Tab(
        "Extremes",
        "Which reviews is it surest of, where is it sure and wrong, and where is it undecided?",
        show_extremes,
    ),
    Tab(
        "Clusters",
        "What does K-Means find without labels, and how well does that match sentiment?",
        show_clusters,
    ),
    Tab(
        "Boundary",
        "How well does a classifier on this map separate the labels, and how faithful is the map?",
        show_boundary,
    ),
    Tab(
        "Selection",
        "What do reviews that lie together have in common? Draw a box or a lasso on the map.",
        show_selection,
    ),
    Tab(
        "Meaning",
        "What does the model find similar: reviews and a query, sentences, one word in several "
        "sentences?",
        show_meaning,
    ),
    Tab(
        "Calibration",
        "When it says 90 %, is it right nine times in ten?",
        show_calibration,
    ),
)


def show_panels(name: str, shown: ShownMap) -> None:
    """Draw the row of panels and the chosen one, about the map that is shown."""
    choose_tab(_PANELS, "finding").show(name, shown)
