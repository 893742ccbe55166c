"""Softmax of two logits and the cross-entropy of the answer (lecture slides, Appendix A1b)."""

import numpy as np

from bertsent.worked_examples.typed_values import numbers
from bertsent.worked_examples.worked_example import Input, Quantity, Values, WorkedExample
from bertsent.worked_examples.written_numbers import listed, short, written

LOGITS = numbers(2, 2, low=-50, high=50)


def softmax_of_logits(logits: np.ndarray) -> Values:
    """exp(z), their sum, and each one's share of it: z (2,) for NEGATIVE and POSITIVE."""
    powers = np.exp(logits)
    total = float(powers.sum())
    return {"powers": powers, "total": total, "probabilities": powers / total}


def _finding(found: Values) -> str:
    negative, positive = found["probabilities"]
    apart = found["logits"][0] - found["logits"][1]
    if negative == positive:
        return "Equal logits give 0.5 and 0.5: the random classifier of the left-hand chart."
    label = "NEGATIVE" if apart > 0 else "POSITIVE"
    times = np.exp(abs(apart))
    return (
        f"The logits are {short(abs(apart))} apart, so {label} is exp({short(abs(apart))}) = "
        f"{times:,.1f} times as probable as the other label: {max(negative, positive):.4f} against "
        f"{min(negative, positive):.4f}. Only the difference counts."
    )


SOFTMAX = WorkedExample(
    key="softmax",
    rows=("001-19", "001-20"),
    title="Softmax: from two logits to two probabilities",
    source="Lecture slides, Appendix A1b",
    says=(
        "For “Great, another boring movie” a fine-tuned classifier is said to give the logits 2.1 "
        "and −0.5; before fine-tuning its answer is about 0.5 and 0.5."
    ),
    inputs=(Input("logits", "Logits z of NEGATIVE and POSITIVE", "2.1, -0.5", LOGITS),),
    work=softmax_of_logits,
    quantities=(
        Quantity(
            "powers",
            "exp(z)",
            lambda f: " and ".join(f"exp({short(z)})" for z in f["logits"]),
            said="8.17, 0.61",
        ),
        Quantity(
            "total",
            "sum",
            lambda f: listed(f["powers"]).replace(", ", " + "),
            said="8.78",
            why="adds 8.17 and 0.61, which are rounded",
        ),
        Quantity(
            "probabilities",
            "probabilities",
            lambda f: " and ".join(
                f"{written(power)} / {written(f['total'])}" for power in f["powers"]
            ),
            said="0.93, 0.07",
        ),
    ),
    finding=_finding,
)
