"""What an answer costs: cross-entropy over the labels, and binary cross-entropy over N reviews
(lecture slides, Appendix A1 and A1b).
"""

import numpy as np

from bertsent.errors import BadInput
from bertsent.worked_examples.softmax import LOGITS, softmax_of_logits
from bertsent.worked_examples.typed_values import matrix, numbers
from bertsent.worked_examples.worked_example import Input, Quantity, Slip, Values, WorkedExample
from bertsent.worked_examples.written_numbers import MINUS, short, written

ROUNDING = 0.011  # probabilities of two decimals may sum to that much more or less than 1
MOST = 12  # reviews of the table


def cross_entropy(truth: np.ndarray, probabilities: np.ndarray, logits: np.ndarray) -> Values:
    """−Σ y log p of the probabilities as they are printed, and of those that the logits give; all
    (2,).

    Raises:
        BadInput: truth or probabilities do not sum to 1, or the true label has probability 0.
    """
    for name, shares in (("y", truth), ("p", probabilities)):
        BadInput.raise_if(
            abs(shares.sum() - 1) > ROUNDING,
            f"The numbers of {name} sum to {shares.sum():.4g}.",
            "Give probabilities, which sum to 1.",
        )
    BadInput.raise_if(
        ((probabilities == 0) & (truth > 0)).any(),
        "The true label has the probability 0, and −log 0 is infinite.",
        "Give it a little more than 0.",
    )
    exact = softmax_of_logits(logits)["probabilities"]
    return {
        "loss": _cross_entropy(truth, probabilities),
        "exact": exact,
        "exact_loss": _cross_entropy(truth, exact),
    }


def _cross_entropy(truth: np.ndarray, probabilities: np.ndarray) -> float:
    named = truth > 0  # 0 log 0 counts as 0
    return float(-(truth[named] * np.log(probabilities[named])).sum())


def binary_cross_entropy(truth: np.ndarray, p_positive: np.ndarray) -> np.ndarray:
    """−[y log ŷ + (1 − y) log(1 − ŷ)] of each review, (N,)."""
    return np.asarray(-(truth * np.log(p_positive) + (1 - truth) * np.log1p(-p_positive)))


def loss_of_one(p_positive: np.ndarray) -> Values:
    """The loss where the label is positive, for several ŷ, (n,), by the natural logarithm and by
    the one to base 10.
    """
    return {
        "losses": binary_cross_entropy(np.ones_like(p_positive), p_positive),
        "base_10": -np.log10(p_positive),
    }


def mean_loss(reviews: np.ndarray) -> Values:
    """The loss of each row (y, ŷ) of (N, 2), and their mean.

    Raises:
        BadInput: a label is neither 0 nor 1, or a probability is not between them.
    """
    truth, p_positive = reviews.T
    wrong = [short(label) for label in truth if label not in (0, 1)]
    BadInput.raise_if(wrong, f"{', '.join(wrong)} is no label.", "Give y as 0 or 1.")
    outside = [short(p) for p in p_positive if not 0 < p < 1]
    BadInput.raise_if(
        outside, f"{', '.join(outside)} is not between 0 and 1.", "Give each ŷ as in 0.9."
    )
    losses = binary_cross_entropy(truth, p_positive)
    return {"losses": losses, "mean": float(losses.mean())}


def _finding(found: Values) -> str:
    true = LABEL_NAMES[int(found["truth"].argmax())]
    return (
        f"Only the term of the true label, {true}, counts: the loss is "
        f"{written(found['loss'])} from the probabilities as printed and "
        f"{written(found['exact_loss'])} from the logits, without rounding in between."
    )


def _one_finding(found: Values) -> str:
    p, losses = found["p_positive"], found["losses"]
    worst, best = int(losses.argmax()), int(losses.argmin())
    if len(p) == 1:
        return f"ŷ = {short(p[0])} for a positive review costs {written(losses[0], 3)}."
    return (
        f"For a positive review ŷ = {short(p[worst])} costs {written(losses[worst], 3)}, "
        f"{losses[worst] / losses[best]:,.0f} times as much as ŷ = {short(p[best])} with "
        f"{written(losses[best], 3)}: to be sure and wrong costs most."
    )


def _mean_finding(found: Values) -> str:
    losses, (truth, p) = found["losses"], found["reviews"].T
    worst = int(losses.argmax())
    return (
        f"The mean of {len(losses)} losses is {written(found['mean'])}. Row {worst + 1}, where "
        f"y = {short(truth[worst])} and ŷ = {short(p[worst])}, makes "
        f"{100 * losses[worst] / losses.sum():.0f} % of their sum."
    )


LABEL_NAMES = ("NEGATIVE", "POSITIVE")
_PROBABILITY = numbers(2, 2, low=0, high=1)

CROSS_ENTROPY = WorkedExample(
    key="cross_entropy",
    rows=("001-21",),
    title="Cross-entropy of one answer",
    source="Lecture slides, Appendix A1b",
    says="The true label is NEGATIVE, y = [1, 0]; the answer p = [0.93, 0.07] costs 0.073.",
    inputs=(
        Input("truth", "y of NEGATIVE and POSITIVE", "1, 0", _PROBABILITY),
        Input("probabilities", "p, as the slide prints it", "0.93, 0.07", _PROBABILITY),
        Input("logits", "Logits that p comes from", "2.1, -0.5", LOGITS),
    ),
    work=cross_entropy,
    quantities=(
        Quantity(
            "loss",
            "loss from p as printed",
            lambda f: (
                f"{MINUS}("
                + " + ".join(
                    f"{short(y)} × ln {short(p)}"
                    for y, p in zip(f["truth"], f["probabilities"], strict=True)
                )
                + ")"
            ),
            said="0.073",
        ),
        Quantity("exact", "p from the logits", "softmax, not rounded"),
        Quantity("exact_loss", "loss from the logits", "the same with this p"),
    ),
    finding=_finding,
    slips=(
        Slip(
            "E-02",
            "0.073 comes from p rounded to two decimals; without rounding the loss is 0.0716.",
        ),
    ),
)

ONE_LOSS = WorkedExample(
    key="one_loss",
    rows=("001-18",),
    title="Binary cross-entropy of a positive review",
    source="Lecture slides, Appendix A1",
    says="For y = 1 the loss is −log ŷ: about 0.05 for ŷ = 0.9 and about 2.3 for ŷ = 0.1.",
    inputs=(
        Input(
            "p_positive",
            "ŷ, the predicted P(positive)",
            "0.9, 0.1",
            numbers(1, 8, low=1e-6, high=1 - 1e-6),
        ),
    ),
    work=loss_of_one,
    quantities=(
        Quantity(
            "losses",
            "loss",
            lambda f: " and ".join(f"{MINUS}ln {short(p)}" for p in f["p_positive"]),
            said="0.05, 2.3",
            why="mixes two logarithms",
            places=3,
        ),
        Quantity("base_10", "to base 10", f"{MINUS}log₁₀ ŷ", places=3),
    ),
    finding=_one_finding,
    slips=(
        Slip(
            "E-01",
            "The loss of ŷ = 0.9 is 0.105, not 0.05: the slide takes log₁₀ there and the natural "
            "logarithm for 2.3.",
        ),
    ),
)

MEAN_LOSS = WorkedExample(
    key="mean_loss",
    rows=("001-18",),
    title="Binary cross-entropy over N reviews",
    source="Lecture slides, Appendix A1",
    says=(
        "L = −1/N Σ [y log ŷ + (1 − y) log(1 − ŷ)]. The slide has no table; its two answers are "
        "the first two rows of this one, and two negative reviews follow."
    ),
    inputs=(
        Input(
            "reviews",
            "One row a review",
            "1, 0.9\n1, 0.1\n0, 0.07\n0, 0.6",
            matrix((1, MOST), (2, 2)),
            columns=("y, the label", "ŷ, P(positive)"),
        ),
    ),
    work=mean_loss,
    quantities=(
        Quantity("losses", "loss of each row", "−[y ln ŷ + (1 − y) ln(1 − ŷ)]", places=3),
        Quantity(
            "mean",
            "mean",
            lambda f: f"({' + '.join(written(x, 3) for x in f['losses'])}) / {len(f['losses'])}",
        ),
    ),
    finding=_mean_finding,
)
