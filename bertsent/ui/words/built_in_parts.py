"""The built-in reviews that the uses without fine-tuning are judged on, and the vectors of an
encoder for them.
"""

from dataclasses import dataclass
from functools import lru_cache

from bertsent.data.examples import Reviews
from bertsent.data.sources import load_reviews
from bertsent.errors import NotAvailable
from bertsent.probing.loaded_model import LoadedModel
from bertsent.probing.registry import before_training
from bertsent.progress import Progress
from bertsent.space.embedding import Embeddings, embed_reviews
from bertsent.ui.map.map_view import cache_folder
from bertsent.ui.shared import loaded_model


@lru_cache(maxsize=2)
def builtin_part(split: str) -> Reviews:
    """The “train” or the “validation” part."""
    reviews = load_reviews("builtin", contrastive=False)
    return reviews.where([example.split == split for example in reviews])


@dataclass(frozen=True)
class BothEnds:
    """A fine-tuned model and the encoder that it was before."""

    before: LoadedModel
    tuned: LoadedModel


def both_ends(name: str) -> BothEnds:
    """The models of that registry name before and after fine-tuning.

    Raises:
        NotAvailable: what it was before is not on this machine, or it does not answer with two
            labels.
    """
    before, tuned = before_training(name), loaded_model(name)
    NotAvailable.raise_if(
        before is None or before == name,
        f"What {tuned.name} was before its fine-tuning is not on this machine.",
        "Choose the built-in model or a run.",
    )
    tuned.require_head()
    return BothEnds(loaded_model(str(before)), tuned)


def mean_vectors(model: LoadedModel, reviews: Reviews, progress: Progress) -> Embeddings:
    """The mean of the last layer over the tokens of each review, and the answers; kept on disk."""
    return embed_reviews(model, reviews, pooling="mean", cache=cache_folder(), progress=progress)
