"""Which cluster of the map does a review fall into: the class, then K-Means."""

import numpy as np

from bertsent.classroom.room_events import Answer, Question
from bertsent.errors import BadInput
from bertsent.space.keywords import keywords
from bertsent.space.projection_map import ProjectionMap

PROMPT = "Which cluster of the map does this review fall into?"
WORDS = 4  # by which a cluster is known


def cluster_question(
    made: ProjectionMap,
    text: str,
    vector: np.ndarray,
    seconds: int,
    *,
    model: str = "",
    link: str = "",
) -> Question:
    """A question about a review on a finished map.

    Args:
        made: the map; its clusters are the options, each known by its words.
        text: the clean review.
        vector: (H,) where the model of the map places it.
        seconds: to vote in.
        model: the name of that model.
        link: where the lab shows it.

    Raises:
        BadInput: the map has one cluster, or its model makes vectors of another width.
    """
    ids = made.points["cluster"].to_numpy()
    BadInput.raise_if(
        len(np.unique(ids)) < 2, "The map has one cluster only.", "Choose more clusters on Map."
    )
    found = nearest_cluster(made.embeddings.vectors, ids, vector)
    return Question(
        "map",
        PROMPT,
        _names(made, ids),
        seconds,
        text=text,
        link=link,
        answers=(Answer("K-Means", found),),
        truth=found,
        model=model,
    )


def nearest_cluster(vectors: np.ndarray, ids: np.ndarray, vector: np.ndarray) -> int:
    """The cluster whose centre, the mean of its vectors, lies nearest: as K-Means places what it
    has not seen (Lloyd 1982).

    Raises:
        BadInput: vectors of different widths.
    """
    BadInput.raise_if(
        vectors.shape[1:] != np.shape(vector), "This review was read by another model."
    )
    centres = np.stack([vectors[ids == k].mean(0) for k in range(int(ids.max()) + 1)])
    return int(np.linalg.norm(centres.astype(np.float64) - vector, axis=1).argmin())


def _names(made: ProjectionMap, ids: np.ndarray) -> tuple[str, ...]:
    table = keywords(made.points["text"].tolist(), ids)
    sizes = np.bincount(ids)
    words = [table[table["cluster"] == k]["word"].head(WORDS).tolist() for k in range(len(sizes))]
    return tuple(
        f"Cluster {k}: {', '.join(each) or 'no words of its own'} ({size:,} reviews)"
        for k, (size, each) in enumerate(zip(sizes, words, strict=True))
    )
