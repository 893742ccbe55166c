"""The text of a review without one of its words, for comparison with ``predict``."""

from bertsent.probing.attribution.units import SegmentedReview
from bertsent.probing.counterfactual.search import Edit, apply_edits


def text_without(review: SegmentedReview, unit: int) -> str:
    return apply_edits(review, [Edit(unit, review.units[unit].text, "")])
