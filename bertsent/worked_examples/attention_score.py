"""One attention weight worked out: a query, a key, their score, and its share among all keys
(lecture slides, Appendix A2b).
"""

import numpy as np
from scipy.special import softmax

from bertsent.errors import BadInput
from bertsent.worked_examples.typed_values import numbers
from bertsent.worked_examples.worked_example import Input, Quantity, Slip, Values, WorkedExample
from bertsent.worked_examples.written_numbers import products, short, written

WORDS = ("The", "movie", "was", "not", "very", "good")


def attention_score(query: np.ndarray, key: np.ndarray, others: np.ndarray) -> Values:
    """q·k, √d, their ratio, and softmax over all scores: ``others`` (n,) and then this one.

    Raises:
        BadInput: query and key have not the same width.
    """
    BadInput.raise_if(
        len(query) != len(key),
        f"The query has {len(query)} numbers and the key {len(key)}.",
        "Give both as many.",
    )
    product, root = float(query @ key), float(np.sqrt(len(query)))
    scores = np.append(others, product / root)
    weights = softmax(scores)
    return {
        "product": product,
        "root": root,
        "score": product / root,
        "scores": scores,
        "weights": weights,
        "weight": float(weights[-1]),
    }


def key_names(count: int) -> tuple[str, ...]:
    """What the keys are called: the six words of the slide, or numbers where there are others."""
    if count == len(WORDS):
        return WORDS
    return (*(f"key {n}" for n in range(1, count)), "good")


def _finding(found: Values) -> str:
    count, weight = len(found["weights"]), found["weight"]
    place = 1 + int((found["weights"] > weight).sum())
    rank = "the largest" if place == 1 else f"number {place}"
    return (
        f"“not” gives “good” {100 * weight:.1f} % of its attention, {rank} of {count} shares; an "
        f"even share would be {100 / count:.1f} %."
    )


_VECTOR = numbers(1, 12, low=-50, high=50)

ATTENTION_SCORE = WorkedExample(
    key="attention_score",
    rows=("001-24",),
    title="One attention weight: from “not” to “good”",
    source="Lecture slides, Appendix A2b",
    says=(
        "In “The movie was not very good” the query of “not” meets the key of “good”: 0.61, "
        "divided by √3, is 0.35; softmax over all keys makes 0.18 of it."
    ),
    inputs=(
        Input("query", "Query of “not”", "0.8, 0.2, -0.1", _VECTOR),
        Input("key", "Key of “good”", "0.7, 0.3, 0.1", _VECTOR),
        Input(
            "others",
            "Scores of the other five keys",
            "0.1, 0.2, 0.3, 0.33, 0.345",
            numbers(1, 11, low=-50, high=50),
        ),
    ),
    work=attention_score,
    quantities=(
        Quantity("product", "q · k", lambda f: products(f["query"], f["key"]), said="0.61"),
        Quantity("root", "√d", lambda f: f"√{len(f['query'])}", said="1.73"),
        Quantity(
            "score",
            "score",
            lambda f: f"{short(f['product'])} / {written(f['root'])}",
            said="0.35",
        ),
        Quantity(
            "weight",
            "weight",
            lambda f: (
                f"exp({written(f['score'], 3)}) / {written(float(np.exp(f['scores']).sum()), 3)}"
            ),
            said="0.18",
        ),
    ),
    finding=_finding,
    slips=(
        Slip(
            "E-03",
            "0.18 cannot be worked out from the slide, which gives the scores of two other keys, "
            "0.1 and 0.2; the other three here were chosen so that it comes out.",
        ),
    ),
)
