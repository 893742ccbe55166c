"""Many heads at once: the shapes of every matrix on the way through multi-head attention (Vaswani
et al. 2017, section 3.2.2; Chiu 2025, section 2.1).
"""

from bertsent.errors import BadInput
from bertsent.worked_examples.typed_values import whole
from bertsent.worked_examples.worked_example import Input, Quantity, Values, WorkedExample


def head_shapes(tokens: int, width: int, heads: int) -> Values:
    """The width of one head, the shapes of what it computes, and how many numbers there are.

    Raises:
        BadInput: the heads cannot share the width evenly.
    """
    BadInput.raise_if(
        width % heads,
        f"{heads} heads cannot share a width of {width} evenly.",
        f"Choose a width that {heads} divides, such as {heads * max(1, width // heads)}.",
    )
    size = width // heads
    return {
        "size": size,
        "projected": _shape(tokens, size),
        "attention": _shape(tokens, tokens),
        "weights": heads * tokens * tokens,
        "gathered": _shape(tokens, size),
        "side_by_side": _shape(tokens, heads * size),
        "parameters": 4 * (width * width + width),
    }


def _shape(rows: int, columns: int) -> str:
    return f"{rows:,} × {columns:,}"


def _finding(found: Values) -> str:
    heads = found["heads"]
    return (
        f"{heads} heads look at the text at once and cost no more parameters than one: each works "
        f"on {found['size']} of the {found['width']:,} numbers. What they specialise in is seen on "
        "a review, not in the shapes."
    )


MULTI_HEAD = WorkedExample(
    key="multi_head",
    rows=("000-01",),
    title="Many heads at once",
    source="Chiu (2025), section 2.1",
    says=(
        "Every token becomes a query, a key and a value in each head; typically 12 or more heads "
        "run in parallel, their outputs are put side by side and multiplied by W^O. Heads are "
        "said to specialise, such as in subject and verb."
    ),
    inputs=(
        Input("tokens", "Tokens", "7", whole(1, 512)),
        Input("width", "Numbers a token", "768", whole(1, 20_000)),
        Input("heads", "Heads", "12", whole(1, 512)),
    ),
    work=head_shapes,
    quantities=(
        Quantity("size", "d of one head", lambda f: f"{f['width']:,} / {f['heads']}"),
        Quantity("projected", "Q, K and V of one head", "x W^Q, x W^K, x W^V"),
        Quantity("attention", "weights of one head", "softmax(Q Kᵀ / √d)"),
        Quantity(
            "weights",
            "attention weights of a layer",
            lambda f: f"{f['heads']} × {f['tokens']} × {f['tokens']}",
        ),
        Quantity("gathered", "output of one head", "weights × V"),
        Quantity("side_by_side", "Concat(head₁ …)", "all heads side by side, then × W^O"),
        Quantity("parameters", "parameters", "W^Q, W^K, W^V, W^O and their biases"),
    ),
    finding=_finding,
)
