"""Where the reviews of a run came from: found by their hash, because a file name says little."""

from collections.abc import Mapping

from bertsent.data.sources import load_reviews
from bertsent.data.splits import mix_contrastive, split
from bertsent.errors import BertsentError
from bertsent.training.config import RunConfig


def matching_source(config: RunConfig, sources: Mapping[str, str]) -> str | None:
    """The name of the source that gives the very reviews of a run; None where no source does.

    Args:
        config: of the run.
        sources: what ``load_reviews`` takes, by name; those that cannot be read are passed over.
    """
    share, seed = config.data.contrastive_share, config.training.seed
    for name, source in sources.items():
        try:
            reviews = load_reviews(source, contrastive=share > 0)
            splits = mix_contrastive(split(reviews, seed=seed), share)
        except BertsentError:
            continue
        if splits.sha256 == config.data.sha256:
            return name
    return None
