"""Gradients and a step in, what they say in words out."""

from collections.abc import Sequence

import numpy as np
from scipy.special import softmax

from bertsent.data.examples import LABELS
from bertsent.probing.forward_pass.adamw_step import FirstStep, StepTrains
from bertsent.probing.forward_pass.attention_gradient import AttentionGradient, most_moved
from bertsent.probing.forward_pass.backward_pass import BackwardPass
from bertsent.probing.forward_pass.cross_entropy import cross_entropy
from bertsent.probing.forward_pass.written import plain, signed
from bertsent.probing.heads.attention_maps import head_name

_WHAT: dict[StepTrains, str] = {"everything": "every weight", "head": "the weights of the head"}


def error_sentence(passed: BackwardPass) -> str:
    """How large the error at the logits is, and what that means for the weights of the
    classifier.
    """
    error, label = abs(float(passed.logits[1])), LABELS[passed.label]
    right = passed.forward.probabilities[passed.label] > 0.5
    verdict = (
        "the answer is right and sure, so hardly anything is asked to change"
        if error < 0.05
        else "the answer is right but not sure"
        if right
        else "the answer is wrong, so much is asked to change"
    )
    return (
        f"With {label} true, ŷ − y is ±{error:.3g}: {verdict}. ∂L/∂W is that error times h, once "
        "with each sign, and ∂L/∂b is the error itself."
    )


def heads_sentence(passed: BackwardPass) -> str:
    """In which heads looking elsewhere would change the loss most."""
    place, sizes = most_moved(passed), passed.heads
    quiet = int((sizes < sizes.max() / 10).sum())
    return (
        f"Looking elsewhere would change the loss most in head {head_name(place)}, by up to "
        f"{plain(float(sizes.max()), '.2g')} for each unit of a score; in {quiet} of {sizes.size} "
        "heads it is less than a tenth of that."
    )


def attention_sentence(
    found: AttentionGradient, tokens: Sequence[str], where: tuple[int, int, int, int]
) -> str:
    """What more attention would do to the loss; ``where`` is layer, head, the token that looks and
    the one it looks at, all from 0.
    """
    layer, head, place, other = where
    at_weight, at_score = (
        signed(found.at_weights[other], ".2g"),
        signed(found.at_scores[other], ".2g"),
    )
    does = "raise" if found.at_scores[other] > 0 else "lower"
    return (
        f"Head {head_name((layer, head))}: “{tokens[place]}” looks at “{tokens[other]}” with α = "
        f"{found.weights[other]:.3g}. ∂L/∂α is {at_weight}, and {at_score} is left at the score, "
        f"because more attention here is less everywhere else: looking there more would {does} "
        "the loss."
    )


def query_sentence(found: AttentionGradient, tokens: Sequence[str], other: int) -> str:
    """In which of its numbers the query would have to grow for this weight to grow."""
    slope = found.of_query(other)
    most = int(np.abs(slope).argmax())
    return (
        f"Number {most + 1} of the query moves the weight on “{tokens[other]}” most: "
        f"{signed(slope[most], '.2g')} for each unit. Summed over all {len(tokens)} tokens, "
        "∂L/∂α · ∂α/∂q is the gradient at the query."
    )


def words_sentence(tokens: Sequence[str], values: np.ndarray, special: Sequence[bool]) -> str:
    """Which word raises the loss most and which lowers it most, markers left out."""
    own = np.where(np.asarray(special), 0.0, values)
    low, high = int(own.argmin()), int(own.argmax())
    said = []
    if own[low] < 0:
        said.append(f"“{tokens[low]}” lowers the loss most ({signed(own[low], '.2g')})")
    if own[high] > 0:
        said.append(f"“{tokens[high]}” raises it most ({signed(own[high], '.2g')})")
    if not said:
        return "No word changes the loss, to first order."
    return (
        f"To first order, {' and '.join(said)}: what lowers the loss speaks for the true label, "
        "what raises it against."
    )


def step_sentence(
    before: np.ndarray, after: np.ndarray, label: int, step: FirstStep, trains: StepTrains
) -> str:
    """What one step did to the answer and its loss, from the logits (2,) before and after it."""
    shares = [100 * float(softmax(logits)[label]) for logits in (before, after)]
    losses = [cross_entropy(logits, label) for logits in (before, after)]
    rate = plain(step.learning_rate, ".0e")
    moved = "falls" if losses[1] < losses[0] else "rises: the step is too long"
    return (
        f"One step at {rate} on this review alone moves {_WHAT[trains]} by at most about {rate}. "
        f"P({LABELS[label]}), the true label, goes from {shares[0]:.1f} % to {shares[1]:.1f} %; "
        f"the loss {moved}, from {losses[0]:.3g} to {losses[1]:.3g}."
    )


def rates_sentence(
    rates: Sequence[float], losses: Sequence[float], before: float, label: int
) -> str:
    """At which learning rate one step lowers the loss most, and from which on it no longer does."""
    best = int(np.argmin(losses))
    shown = [plain(rate, ".0e") for rate in rates]
    worse = [name for name, loss in zip(shown, losses, strict=True) if loss > before]
    rising = f"; at {', '.join(worse)} it rises" if worse else "; no step makes it rise"
    return (
        f"Each point is one step from the untouched model. The loss of {LABELS[label]} is lowest "
        f"after a step at {shown[best]}, {losses[best]:.3g} instead of {before:.3g}{rising}."
    )
