"""The matrices of one layer in the order in which they are worked out, each with its formula: what
is multiplied, added and normalised, of all tokens at once.
"""

from dataclasses import dataclass

import numpy as np

from bertsent.probing.forward_pass.comparison import Comparison, compare
from bertsent.probing.forward_pass.layer_pass import LayerPass
from bertsent.probing.forward_pass.own_numbers import OwnLayer


@dataclass(frozen=True)
class Box:
    """A matrix: its name, its formula in LaTeX, and ``part``, what ``LayerPass`` calls it, or with
    ``learned`` what ``LayerWeights`` does. One row a token unless it is learned; ``square``: one
    column a token as well; ``by_head``: each head has its own.
    """

    name: str
    formula: str
    part: str
    learned: bool = False
    square: bool = False
    by_head: bool = False


BOXES = (
    Box("input", "X", "inputs"),
    Box("query weights", "W^Q", "query", learned=True, by_head=True),
    Box("key weights", "W^K", "key", learned=True, by_head=True),
    Box("value weights", "W^V", "value", learned=True, by_head=True),
    Box("queries", "Q = XW^Q + b^Q", "queries", by_head=True),
    Box("keys", "K = XW^K + b^K", "keys", by_head=True),
    Box("values", "V = XW^V + b^V", "values", by_head=True),
    Box("scores", r"S = QK^\top / \sqrt{d}", "scores", square=True, by_head=True),
    Box(
        *("attention weights", r"A = \mathrm{softmax}(S)", "attention_weights"),
        square=True,
        by_head=True,
    ),
    Box("gathered", "H = AV", "gathered", by_head=True),
    Box("heads side by side", r"C = \mathrm{Concat}(H_1 \ldots H_h)", "side_by_side"),
    Box("output weights", "W^O", "output", learned=True),
    Box("attention", "CW^O + b^O", "attention"),
    Box("input + attention", "X + CW^O + b^O", "summed"),
    Box("normalised", r"Y = \mathrm{LayerNorm}(X + CW^O + b^O)", "attended"),
    Box("inner weights", "W_1", "inner", learned=True),
    Box("inner", "YW_1 + b_1", "inner"),
    Box("activated", r"\mathrm{act}(YW_1 + b_1)", "activated"),
    Box("outer weights", "W_2", "outer", learned=True),
    Box("fed forward", r"F = \mathrm{act}(YW_1 + b_1)W_2 + b_2", "fed_forward"),
    Box("normalised + fed forward", "Y + F", "output_summed"),
    Box("output", r"\mathrm{LayerNorm}(Y + F)", "output"),
)


def box_matrix(box: Box, layer: LayerPass, head: int) -> np.ndarray:
    """The matrix of that name; where each head has its own, that of ``head``, from 0. Weights stand
    as in the formulas, which multiply them from the right.
    """
    if not box.learned:
        found: np.ndarray = getattr(layer, box.part)
        return found[head] if box.by_head else found
    weight: np.ndarray = getattr(layer.weights, box.part).weight.T
    width = weight.shape[1] // layer.weights.heads
    return weight[:, head * width : (head + 1) * width] if box.by_head else weight


def check_box(box: Box, layer: LayerPass, own: OwnLayer) -> Comparison | None:
    """All numbers of a matrix, of every head, beside the model's own; None for weights, which are
    its own, and for scores, which it does not keep.
    """
    if box.learned or not hasattr(own, box.part):
        return None
    return compare(box.name.capitalize(), getattr(layer, box.part), getattr(own, box.part))
