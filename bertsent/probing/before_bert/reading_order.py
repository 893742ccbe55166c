"""What each kind of network reads in which order: which words a word's vector knows, and in how
many steps one after the other.
"""

from dataclasses import dataclass

import numpy as np

UNSEEN, ITSELF, FROM_LEFT, FROM_RIGHT, TOGETHER = range(5)
MEANING = {
    UNSEEN: "not read",
    ITSELF: "the word itself",
    FROM_LEFT: "read from the left",
    FROM_RIGHT: "read from the right, apart from the left",
    TOGETHER: "both sides mixed in one vector",
}


@dataclass(frozen=True)
class ReadingOrder:
    """A kind of network: its name, who is of this kind, what its steps are, and which words the
    vector of a word knows: ``sees`` maps the number of words to codes (T, T), a row a word.
    """

    name: str
    models: str
    steps: str
    reads: str
    left: int
    right: int
    window: int | None = None

    def sees(self, words: int) -> np.ndarray:
        """(T, T): row i has what the vector of word i knows of each word."""
        row, column = np.indices((words, words))
        codes = np.where(column < row, self.left, self.right)
        if self.window is not None:
            codes = np.where(abs(row - column) < self.window, codes, UNSEEN)
        return np.where(row == column, ITSELF, codes)


ORDERS = (
    ReadingOrder(
        "One vector a word",
        "word2vec",
        "none: a table is looked up",
        "nothing but the word; “bank” has one vector everywhere",
        UNSEEN,
        UNSEEN,
    ),
    ReadingOrder(
        "CNN, 3 words wide",
        "Kim 2014",
        "1: all places at once",
        "the words that a filter spans; then only the best place counts",
        TOGETHER,
        TOGETHER,
        window=3,
    ),
    ReadingOrder(
        "LSTM, left to right",
        "ULMFiT",
        "one a word, each waits for the one before",
        "everything so far, squeezed into one state",
        FROM_LEFT,
        UNSEEN,
    ),
    ReadingOrder(
        "Two one-way LSTMs, joined",
        "ELMo",
        "one a word, in each direction",
        "the left in one half, the right in the other; no unit sees both",
        FROM_LEFT,
        FROM_RIGHT,
    ),
    ReadingOrder(
        "LSTM, both ways",
        "biLSTM",
        "one a word and layer, in each direction",
        "from its second layer on both sides mixed, still word after word",
        TOGETHER,
        TOGETHER,
    ),
    ReadingOrder(
        "Transformer, left only",
        "GPT",
        "1 a layer: all words at once",
        "what stands before, each word directly; a mask hides the rest",
        FROM_LEFT,
        UNSEEN,
    ),
    ReadingOrder(
        "Transformer, both sides",
        "BERT",
        "1 a layer: all words at once",
        "all other words directly, in every layer",
        TOGETHER,
        TOGETHER,
    ),
)


def order_of(model: str) -> ReadingOrder:
    """The order in which that model reads."""
    return next(order for order in ORDERS if order.models == model)


def orders_sentence(words: int) -> str:
    """How many of all pairs of words each kind can use, counted."""
    pairs = words * (words - 1)
    counts = {
        order.name: int(np.isin(order.sees(words), (FROM_LEFT, FROM_RIGHT, TOGETHER)).sum())
        for order in ORDERS
    }
    apart = order_of("ELMo").sees(words)
    return (
        f"Of the {pairs} ordered pairs of {words} words, left-only models use "
        f"{counts['Transformer, left only']}, BERT all {counts['Transformer, both sides']}. ELMo "
        f"reaches all {counts['Two one-way LSTMs, joined']} as well, but never in one place: "
        f"{int((apart == FROM_LEFT).sum())} in its left half, {int((apart == FROM_RIGHT).sum())} "
        "in its right one."
    )
