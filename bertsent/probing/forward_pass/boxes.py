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
    column a token as well.
    """

    name: str
    formula: str
    part: str
    learned: bool = False
    square: bool = False


def _weights(name: str, formula: str, part: str) -> Box:
    return Box(name, formula, part, learned=True)


BOXES = (
    Box("input", "X", "inputs"),
    _weights("query weights", "W^Q", "query"),
    _weights("key weights", "W^K", "key"),
    _weights("value weights", "W^V", "value"),
    Box("queries", "Q = XW^Q + b^Q", "queries"),
    Box("keys", "K = XW^K + b^K", "keys"),
    Box("values", "V = XW^V + b^V", "values"),
    Box("scores", r"S = QK^\top / \sqrt{d}", "scores", square=True),
    Box("attention weights", r"A = \mathrm{softmax}(S)", "attention_weights", square=True),
    Box("gathered", "H = AV", "gathered"),
    Box("heads side by side", r"C = \mathrm{Concat}(H_1 \ldots H_h)", "side_by_side"),
    _weights("output weights", "W^O", "output"),
    Box("attention", "CW^O + b^O", "attention"),
    Box("input + attention", "X + CW^O + b^O", "summed"),
    Box("normalised", r"Y = \mathrm{LayerNorm}(X + CW^O + b^O)", "attended"),
    _weights("inner weights", "W_1", "inner"),
    Box("inner", "YW_1 + b_1", "inner"),
    Box("activated", r"\mathrm{act}(YW_1 + b_1)", "activated"),
    _weights("outer weights", "W_2", "outer"),
    Box("fed forward", r"F = \mathrm{act}(YW_1 + b_1)W_2 + b_2", "fed_forward"),
    Box("normalised + fed forward", "Y + F", "output_summed"),
    Box("output", r"\mathrm{LayerNorm}(Y + F)", "output"),
)
_BY_HEAD = ("query", "key", "value")  # of the learned ones, whose columns are divided among heads


def box_matrix(box: Box, layer: LayerPass, head: int) -> np.ndarray:
    """The matrix of that name; where each head has its own, that of ``head``, from 0."""
    if box.learned:
        weight = getattr(layer.weights, box.part).weight.T
        if box.part not in _BY_HEAD:
            return weight
        width = weight.shape[1] // layer.weights.heads
        return weight[:, head * width : (head + 1) * width]
    found = getattr(layer, box.part)
    return found[head] if found.ndim == 3 else found


def check_box(box: Box, layer: LayerPass, own: OwnLayer) -> Comparison | None:
    """All numbers of a matrix, of every head, beside the model's own; None for weights, which are
    its own, and for scores, which it does not keep.
    """
    if box.learned or not hasattr(own, box.part):
        return None
    return compare(box.name, getattr(layer, box.part), getattr(own, box.part))
