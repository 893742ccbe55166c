"""One step of AdamW on one number (lecture slides, Appendix A2 and A7; Loshchilov and Hutter 2019,
algorithm 2).
"""

import numpy as np

from bertsent.worked_examples.typed_values import number, whole
from bertsent.worked_examples.worked_example import Input, Quantity, Values, WorkedExample
from bertsent.worked_examples.written_numbers import short

BETA_1, BETA_2, EPSILON = 0.9, 0.999, 1e-8  # PyTorch's own, and those of the paper


def adamw_step(
    weight: float, gradient: float, learning_rate: float, decay: float, steps: int
) -> Values:
    """A weight after ``steps`` steps of AdamW under one and the same gradient."""
    first = second = 0.0
    before, plain = weight, weight - steps * learning_rate * gradient
    for step in range(1, steps + 1):
        before, weight = weight, weight * (1 - learning_rate * decay)
        first = BETA_1 * first + (1 - BETA_1) * gradient
        second = BETA_2 * second + (1 - BETA_2) * gradient**2
        direction = first / (1 - BETA_1**step)
        scale = float(np.sqrt(second / (1 - BETA_2**step)))
        weight -= learning_rate * direction / (scale + EPSILON)
    return {
        "direction": direction,
        "scale": scale,
        "decayed": before * learning_rate * decay,
        "after": weight,
        "plain": plain,
    }


def _finding(found: Values) -> str:
    moved = abs(found["after"] - found["weight"]) / found["steps"]
    return (
        f"Each step moves the weight by {moved:.8f}, the learning rate being "
        f"{found['learning_rate']:.8f}: AdamW divides the gradient by its own size, so that a "
        "gradient ten times as large moves the weight no further."
    )


ADAMW_STEP = WorkedExample(
    key="adamw",
    rows=("001-34", "001-23"),
    title="One step of AdamW on one weight",
    source="Lecture slides, Appendix A2 and A7",
    says="θ ← θ − η · AdamW(∇L), with small η and weight decay λ. The slide has no numbers: these "
    "are usual ones.",
    inputs=(
        Input("weight", "Weight θ", "0.05", number(-100, 100)),
        Input("gradient", "Gradient", "-0.0691", number(-100, 100)),
        Input("learning_rate", "Learning rate η", "2e-5", number(0, 1)),
        Input("decay", "Weight decay λ", "0.01", number(0, 1)),
        Input("steps", "Steps", "1", whole(1, 1000)),
    ),
    work=adamw_step,
    quantities=(
        Quantity("direction", "m̂, mean gradient", "(0.9 m + 0.1 g) / (1 − 0.9ᵗ)", places=5),
        Quantity("scale", "√v̂, its size", "√((0.999 v + 0.001 g²) / (1 − 0.999ᵗ))", places=5),
        Quantity(
            "decayed",
            "weight decay",
            lambda f: f"η λ θ, with η λ = {short(f['learning_rate'] * f['decay'])}",
            places=9,
        ),
        Quantity("after", "θ after", "θ − η λ θ − η m̂ / (√v̂ + ε)", places=8),
        Quantity("plain", "by plain gradient descent", "θ − η g, as often", places=8),
    ),
    finding=_finding,
)
