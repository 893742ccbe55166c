"""The three derivatives of the lecture's last page on numbers that one can follow, each beside a
difference quotient: what the loss does when a number is nudged a little (Appendix A7).
"""

from collections.abc import Callable

import numpy as np
from scipy.special import log_softmax, softmax

from bertsent.errors import BadInput
from bertsent.probing.forward_pass.comparison import magnitude
from bertsent.worked_examples.typed_values import matrix, numbers
from bertsent.worked_examples.worked_example import Input, Quantity, Values, WorkedExample
from bertsent.worked_examples.written_numbers import listed, written

NUDGE = 1e-5
LABELS_MOST = 4


def difference_quotient(
    function: Callable[[np.ndarray], np.ndarray | float], at: np.ndarray
) -> np.ndarray:
    """Central differences of a function of a vector (n,): one row for each number of ``at``, with
    what becomes of each number of the function.
    """
    nudges = NUDGE * np.eye(len(at))
    return np.array(
        [
            (np.asarray(function(at + nudge)) - np.asarray(function(at - nudge))) / (2 * NUDGE)
            for nudge in nudges
        ]
    )


def loss_gradient(logits: np.ndarray, truth: np.ndarray) -> Values:
    """∂L/∂z = ŷ − y and ∂ŷ/∂z = ŷᵢ(δᵢⱼ − ŷⱼ), beside their difference quotients; both (n,).

    Raises:
        BadInput: there is not one y for each logit, or they do not sum to 1.
    """
    BadInput.raise_if(
        len(logits) != len(truth),
        f"There are {len(logits)} logits and {len(truth)} numbers of y.",
        "Give one y for each logit.",
    )
    BadInput.raise_if(
        abs(truth.sum() - 1) > 1e-9,
        f"The numbers of y sum to {truth.sum():.4g}.",
        "Give 1 to the true label and 0 to the others.",
    )
    answer = softmax(logits)
    return {
        "answer": answer,
        "gradient": answer - truth,
        "measured": difference_quotient(lambda z: -float(truth @ log_softmax(z)), logits),
        "jacobian": answer[:, None] * (np.eye(len(logits)) - answer),
        "jacobian_measured": difference_quotient(softmax, logits).T,
    }


def weight_gradient(query: np.ndarray, keys: np.ndarray) -> Values:
    """∂αⱼ/∂q = αⱼ(kⱼ − Σ αₖkₖ)/√d for every key: ``query`` (d,), ``keys`` (T, d).

    Raises:
        BadInput: query and keys have not the same width.
    """
    BadInput.raise_if(
        keys.shape[1] != len(query),
        f"The query has {len(query)} numbers and each key {keys.shape[1]}.",
        "Give all as many.",
    )
    root = np.sqrt(len(query))
    weights = softmax(keys @ query / root)
    mean = weights @ keys
    return {
        "weights": weights,
        "mean_key": mean,
        "gradient": weights[:, None] * (keys - mean) / root,
        "measured": difference_quotient(lambda q: softmax(keys @ q / root), query).T,
    }


def _loss_finding(found: Values) -> str:
    gradient = found["gradient"]
    off = max(
        np.abs(gradient - found["measured"]).max(),
        np.abs(found["jacobian"] - found["jacobian_measured"]).max(),
    )
    return (
        f"Formula and difference quotient differ by at most {magnitude(float(off))}. A step "
        f"against the gradient moves the logits by {listed(-gradient, 3)} times the learning "
        "rate: the nearer the answer is to y, the less there is to learn from it."
    )


def _weight_finding(found: Values) -> str:
    gradient = found["gradient"]
    off = np.abs(gradient - found["measured"]).max()
    key = int(np.linalg.norm(gradient, axis=1).argmax())
    sums = written(float(np.abs(gradient.sum(axis=0)).max()), 4)
    return (
        f"Formula and difference quotient differ by at most {magnitude(float(off))}. Weight "
        f"{key + 1} reacts most to the query. The rows add up to {sums}: what one "
        "weight gains the others lose."
    )


LOSS_GRADIENT = WorkedExample(
    key="loss_gradient",
    rows=("001-34",),
    title="From the loss to the logits: ŷ − y",
    source="Lecture slides, Appendix A7",
    says="∂L/∂zⱼ = ŷⱼ − yⱼ, and ∂ŷᵢ/∂zⱼ = ŷᵢ(δᵢⱼ − ŷⱼ). The slide has no numbers: the logits of "
    "Appendix A1b stand here.",
    inputs=(
        Input("logits", "Logits z", "2.1, -0.5", numbers(2, LABELS_MOST, low=-50, high=50)),
        Input("truth", "y", "1, 0", numbers(2, LABELS_MOST, low=0, high=1)),
    ),
    work=loss_gradient,
    quantities=(
        Quantity("answer", "ŷ", "softmax(z)"),
        Quantity(
            "gradient",
            "∂L/∂z",
            lambda f: " and ".join(
                f"{written(p)} − {y:g}" for p, y in zip(f["answer"], f["truth"], strict=True)
            ),
        ),
        Quantity("measured", "by difference", "(L(z + h) − L(z − h)) / 2h"),
        Quantity("jacobian", "∂ŷ/∂z", "ŷᵢ(δᵢⱼ − ŷⱼ)"),
        Quantity("jacobian_measured", "∂ŷ/∂z by difference", "(ŷ(z + h) − ŷ(z − h)) / 2h"),
    ),
    finding=_loss_finding,
)

WEIGHT_GRADIENT = WorkedExample(
    key="weight_gradient",
    rows=("001-34",),
    title="From an attention weight to the query",
    source="Lecture slides, Appendix A7",
    says="∂αⱼ/∂q = αⱼ(kⱼ − Σ αₖkₖ)/√d. The slide has no numbers: the query of “not” and the key "
    "of “good” of Appendix A2b stand here, with two more keys of ours.",
    inputs=(
        Input("query", "Query q", "0.8, 0.2, -0.1", numbers(1, 6, low=-50, high=50)),
        Input(
            "keys",
            "Keys, a row each",
            "0.7, 0.3, 0.1\n0.1, -0.4, 0.2\n-0.3, 0.5, 0.6",
            matrix((2, 6), (1, 6), low=-50, high=50),
            lines=3,
        ),
    ),
    work=weight_gradient,
    quantities=(
        Quantity("weights", "α", "softmax(K q / √d)"),
        Quantity("mean_key", "Σ αₖkₖ", "the keys' mean with these weights"),
        Quantity("gradient", "∂α/∂q", "αⱼ(kⱼ − Σ αₖkₖ)/√d"),
        Quantity("measured", "∂α/∂q by difference", "(α(q + h) − α(q − h)) / 2h"),
    ),
    finding=_weight_finding,
)
