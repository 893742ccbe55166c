"""A loss landscape in, what it shows in sentences out."""

import numpy as np

from bertsent.training.loss_landscape.landscape import Landscape, PlaneKind


def landscape_sentence(found: Landscape, plane: PlaneKind, reviews: str) -> str:
    """How the loss changed along the path, what else the grid holds, and how much of the path the
    plane keeps.

    Args:
        found: the landscape.
        plane: how its directions were chosen.
        reviews: whose loss it is, "validation" or "training".
    """
    first, last = found.path_loss[0], found.path_loss[-1]
    known = found.loss[np.isfinite(found.loss)]
    way = "fell" if last < first else "rose" if last > first else "stayed"
    sentences = [
        f"On {found.reviews:,} {reviews} reviews the loss {way} from {_loss(first)} at step "
        f"{found.steps[0]:,} to {_loss(last)} at step {found.steps[-1]:,}; the highest on this "
        f"grid is {_loss(known.max())}."
    ]
    if known.min() < last - 0.005:
        sentences.append(
            f"The lowest point of the grid, {_loss(known.min())}, is not where training ended."
        )
    if known.max() > found.span[1] * 1.001:
        sentences.append(f"Colour and height end at {_loss(found.span[1])}.")
    return " ".join([*sentences, _kept_sentence(found, plane)])


def _kept_sentence(found: Landscape, plane: PlaneKind) -> str:
    share = f"The plane keeps {100 * found.kept:.3g} % of the length of the path"
    if plane == "random" and found.kept < 0.05:
        return (
            f"{share}, as is usual: two random directions among millions miss almost all of it, so "
            "its points coincide."
        )
    if plane == "path" and found.straight:
        return f"{share}. All checkpoints lie on one line, so the second direction is random."
    return f"{share}."


def precision_sentence(found: Landscape) -> str:
    """In what precision the losses were computed."""
    moved = f"Training changed {found.numbers:,} numbers; only they change here."
    if not found.rounding:
        return f"{moved} Every loss is in full precision."
    return (
        f"{moved} Checkpoints and final weights are evaluated in full precision, the rest of the "
        "grid in bfloat16, as in training; at the final weights that changes the loss by "
        f"{found.rounding:.1g}."
    )


def _loss(value: float) -> str:
    return f"{value:.3f}" if value < 10 else f"{value:.3g}"
