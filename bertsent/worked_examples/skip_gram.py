"""Skip-gram: a sentence in, its training pairs out; one-hot vectors times matrices (Mikolov, Chen,
Corrado and Dean 2013, "Efficient estimation of word representations in vector space").
"""

import re
from collections.abc import Sequence

import numpy as np

from bertsent.data.cleaning import shorten
from bertsent.errors import BadInput
from bertsent.worked_examples.typed_values import text, whole
from bertsent.worked_examples.worked_example import Input, Quantity, Values, WorkedExample

SENTENCE = "The friendly dog plays in the park"
MOST_WORDS = 2_000  # of a typed text that are used
LONGEST = 300  # characters of the sentence of the card
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_SEED = 0


def read_words(typed: str) -> list[str]:
    """The words of a text in small letters, without marks.

    Raises:
        BadInput: there are fewer than two.
    """
    words = _WORD.findall(typed.lower())
    BadInput.raise_if(
        len(words) < 2,
        "A pair needs two words, and there is one here." if words else "There is no word here.",
        "Type a sentence.",
    )
    return words


def skip_gram_pairs(words: Sequence[str], window: int) -> list[tuple[str, str]]:
    """Each word with every word at most ``window`` places before or behind it, in the order of the
    text.
    """
    return [pair for place in range(len(words)) for pair in pairs_at(words, place, window)]


def pairs_at(words: Sequence[str], place: int, window: int) -> list[tuple[str, str]]:
    """The pairs of the word at one place."""
    around = range(max(0, place - window), min(len(words), place + window + 1))
    return [(words[place], words[other]) for other in around if other != place]


def pairs_of_word(sentence: str, window: int, word: str) -> Values:
    """The pairs of the first ``word`` of a sentence, how many there are of all words, and its
    place.

    Raises:
        BadInput: the sentence does not have the word.
    """
    words, asked = read_words(sentence), word.lower().strip()
    BadInput.raise_if(
        asked not in words,
        f"The sentence does not have the word “{shorten(asked, 30)}”.",
        f"Choose one of its words, such as “{words[0]}”.",
    )
    place = words.index(asked)
    return {
        "words": words,
        "place": place,
        "pairs": tuple(f"({a},{b})" for a, b in pairs_at(words, place, window)),
        "all": len(skip_gram_pairs(words, window)),
    }


def _pairs_finding(found: Values) -> str:
    own, most = len(found["pairs"]), 2 * found["window"]
    edge = (
        ""
        if own == most
        else f", fewer than the {most} of a word in the middle, for the sentence ends there"
    )
    return (
        f"“{found['words'][found['place']]}” has {own} {'pair' if own == 1 else 'pairs'}{edge}; "
        f"all {len(found['words'])} words together have {found['all']}. Each pair is one example: "
        "the first word is given, the second one is to be predicted. No label was needed."
    )


PAIRS = WorkedExample(
    key="skip_gram_pairs",
    rows=("002-04",),
    title="Training pairs of a sentence",
    source="“The friendly dog plays in the park”",
    says="With a window of 2, “dog” is paired with the two words before it and the two behind it.",
    inputs=(
        Input("sentence", "Sentence", SENTENCE, text(LONGEST)),
        Input("window", "Window", "2", whole(1, 10)),
        Input("word", "Word", "dog", text(40)),
    ),
    work=pairs_of_word,
    quantities=(
        Quantity(
            "pairs",
            "pairs of the word",
            lambda f: f"{f['window']} to each side of place {f['place'] + 1}",
            said="(dog,the), (dog,friendly), (dog,plays), (dog,in)",
        ),
        Quantity("all", "pairs of all words", "the same for every word"),
    ),
    finding=_pairs_finding,
)


def one_hot_shapes(entries: int, width: int, place: int) -> Values:
    """The way of a one-hot vector (1, ``entries``) through the two matrices of skip-gram, filled
    with random numbers: times (``entries``, ``width``) to its ``vector`` (1, ``width``), times
    (``width``, ``entries``) to ``scores`` and their softmax ``probabilities`` (1, ``entries``).
    ``change`` is the largest difference between that product and the row itself.

    Args:
        place: of the word, from 1.

    Raises:
        BadInput: there is no such place.
    """
    BadInput.raise_if(
        not 1 <= place <= entries,
        f"There is no word {place:,} among {entries:,}.",
        f"Give 1 to {entries:,}.",
    )
    random = np.random.default_rng(_SEED)
    table = random.normal(0, 0.3, (entries, width)).astype(np.float32)
    outputs = random.normal(0, 0.3, (width, entries)).astype(np.float32)
    one_hot = np.zeros((1, entries), dtype=np.float32)
    one_hot[0, place - 1] = 1
    vector = one_hot @ table
    scores = (vector @ outputs).astype(np.float64)
    powers = np.exp(scores - scores.max())
    probabilities = powers / powers.sum()
    return {
        "first": tuple(_shape(each) for each in (one_hot, table, vector)),
        "second": tuple(_shape(each) for each in (vector, outputs, scores)),
        "row": vector[0, :3].astype(np.float64),
        "change": float(np.abs(vector[0] - table[place - 1]).max()),
        "weights": table.size + outputs.size,
        "probability": float(probabilities[0, place - 1]),
        "sum": float(probabilities.sum()),
    }


def _shape(array: np.ndarray) -> str:
    return f"[{array.shape[0]}×{array.shape[1]}]"


def _shapes_finding(found: Values) -> str:
    products, width = found["entries"] * found["width"], found["width"]
    same = "exactly" if found["change"] == 0 else f"up to {found['change']:.0e}"
    return (
        f"The product is {same} row {found['place']:,} of the table: of {products:,} products all "
        f"but {width:,} are with 0, so nobody multiplies, and the row is looked up. The softmax "
        f"over all {found['entries']:,} words sums to {found['sum']:.4f}; it would need "
        f"{products:,} products for every pair, which negative sampling avoids."
    )


SHAPES = WorkedExample(
    key="skip_gram_shapes",
    rows=("002-03",),
    title="One-hot vector times matrix",
    source="Skip-gram for “dog”",
    says=(
        "“dog” is word 217 of 10,000; its one-hot vector picks its vector of 64 numbers, such as "
        "[0.2, −0.4, 0.1, …, 0.7], from the table, and a second matrix gives every word a score. "
        "Here both matrices are random, as before training."
    ),
    inputs=(
        Input("entries", "Words", "10000", whole(2, 20_000)),
        Input("width", "Numbers of a vector", "64", whole(1, 300)),
        Input("place", "Place of the word, from 1", "217", whole(1, 20_000)),
    ),
    work=one_hot_shapes,
    quantities=(
        Quantity(
            "first",
            "one-hot · table = vector",
            lambda f: f"row {f['place']:,} of the table",
            said="[1×10000] [10000×64] [1×64]",
        ),
        Quantity(
            "second",
            "vector · matrix = scores",
            "one score for each word",
            said="[1×64] [64×10000] [1×10000]",
        ),
        Quantity("row", "the vector begins", "random here"),
        Quantity(
            "weights", "weights", lambda f: f"2 · {f['entries']:,} · {f['width']:,}", places=0
        ),
        Quantity("probability", "softmax for the word itself", "exp(score) / sum", places=6),
        Quantity("sum", "sum of the softmax", "over all words", said="1"),
    ),
    finding=_shapes_finding,
)
