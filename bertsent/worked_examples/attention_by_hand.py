"""Attention in six calculations on matrices that one can multiply by hand: inputs, query, key and
value, scores, scaling, softmax, weighted sum (BERT notes, section 4.3).
"""

import numpy as np
from scipy.special import softmax

from bertsent.errors import BadInput
from bertsent.worked_examples.typed_values import matrix
from bertsent.worked_examples.worked_example import Input, Quantity, Values, WorkedExample

WORDS = ("not", "very", "good", "word 4", "word 5")
MOST = len(WORDS)
_SIZE = matrix((1, MOST), (1, 5), low=-50, high=50)


def attention_by_hand(
    inputs: np.ndarray, to_query: np.ndarray, to_key: np.ndarray, to_value: np.ndarray
) -> Values:
    """softmax(QKᵀ/√d)V with every matrix on the way; ``inputs`` (T, W), the others (W, d).

    Raises:
        BadInput: the matrices do not fit each other.
    """
    width = inputs.shape[1]
    for name, weights in (("W^Q", to_query), ("W^K", to_key), ("W^V", to_value)):
        BadInput.raise_if(
            len(weights) != width,
            f"{name} has {len(weights)} rows.",
            f"Each word has {width} numbers, so it needs {width}.",
        )
    BadInput.raise_if(
        to_query.shape[1] != to_key.shape[1],
        f"W^Q has {to_query.shape[1]} columns and W^K {to_key.shape[1]}.",
        "A query is multiplied with a key: give both as many.",
    )
    queries, keys, values = inputs @ to_query, inputs @ to_key, inputs @ to_value
    scores = queries @ keys.T
    scaled = scores / np.sqrt(keys.shape[1])
    weights = softmax(scaled, axis=-1)
    return {
        "queries": queries,
        "keys": keys,
        "values": values,
        "scores": scores,
        "scaled": scaled,
        "weights": weights,
        "gathered": weights @ values,
    }


def _finding(found: Values) -> str:
    weights = found["weights"]
    row, column = divmod(int(weights.argmax()), len(weights))
    return (
        f"“{WORDS[row]}” gives “{WORDS[column]}” the largest weight, {weights[row, column]:.2f}; "
        f"each row of weights sums to 1. What “{WORDS[row]}” gathers is the mean of the values "
        "with these weights."
    )


ATTENTION_BY_HAND = WorkedExample(
    key="attention_by_hand",
    rows=("002-16",),
    title="Attention, six calculations by hand",
    source="BERT notes, section 4.3",
    says=(
        "The notes show six figures named “Attention Calculation”, of which the text that we have "
        "keeps the names only. The way is that of Vaswani et al. (2017), section 3.2.1; the "
        "numbers are ours."
    ),
    inputs=(
        Input("inputs", "1 Inputs x, a word a row", "1, 0, 1\n0, 1, 0\n1, 1, 0", _SIZE, lines=3),
        Input("to_query", "W^Q", "1, 0\n0, 1\n0, -1", _SIZE, lines=3),
        Input("to_key", "W^K", "1, -1\n1, 0\n-1, 1", _SIZE, lines=3),
        Input("to_value", "W^V", "1, 2\n0, 1\n-1, 0", _SIZE, lines=3),
    ),
    work=attention_by_hand,
    quantities=(
        Quantity("queries", "2 Queries", "Q = x W^Q", rows=WORDS, places=2),
        Quantity("keys", "2 Keys", "K = x W^K", rows=WORDS, places=2),
        Quantity("values", "2 Values", "V = x W^V", rows=WORDS, places=2),
        Quantity("scores", "3 Scores", "Q Kᵀ", rows=WORDS, columns=WORDS, places=2),
        Quantity("scaled", "4 Scaled", "Q Kᵀ / √d", rows=WORDS, columns=WORDS, places=2),
        Quantity("weights", "5 Weights", "softmax of a row", rows=WORDS, columns=WORDS, places=2),
        Quantity("gathered", "6 Weighted sum", "weights × V", rows=WORDS, places=2),
    ),
    finding=_finding,
)
