"""Word vectors and a detector in, its feature map and the one maximum out: a filter over words has
to span whole vectors (BERT notes, "CNN for NLP").
"""

from collections.abc import Callable

import numpy as np

from bertsent.errors import BadInput
from bertsent.worked_examples.typed_values import numbers, text, whole
from bertsent.worked_examples.worked_example import Input, Quantity, Slip, Values, WorkedExample

WIDTH = 5  # numbers of a word vector
HEIGHTS = (2, 3, 4)  # words that filters of three sizes span
LONGEST = 12  # words
WORDS = """\
I, 0, 1, 0, 0, 0
like, 1, 0, 0, 1, 0
films, 0, 0, 1, 1, 0
and, 0, 1, 1, 0, 0
hate, 1, 0, 0, 0, 1
trailers, 0, 0, 1, 0, 1"""
Row = tuple[str | float, ...]  # a word and its numbers


def word_vectors_of() -> Callable[[str], tuple[Row, ...]]:
    """A reader of words with ``WIDTH`` numbers each, a line a word, commas in between."""
    one, row = text(30), numbers(WIDTH, WIDTH, low=-100, high=100)

    def read(typed: str) -> tuple[Row, ...]:
        lines = [line for line in typed.split("\n") if line.strip(" ,")]
        BadInput.raise_if(
            not 1 <= len(lines) <= LONGEST,
            f"There {'is 1 row' if len(lines) == 1 else f'are {len(lines)} rows'} here.",
            f"Give 1 to {LONGEST} words, a row each.",
        )
        split = [line.partition(",") for line in lines]
        return tuple((one(word), *row(values).tolist()) for word, _, values in split)

    return read


def match_words(sentence: tuple[Row, ...], detector: np.ndarray, seen: int) -> Values:
    """The feature map (N, 1) of a one-word detector that spans whole vectors, that of its first
    ``seen`` numbers alone, the maximum of each, and the words that reach it.
    """
    words = tuple(str(row[0]) for row in sentence)
    vectors = np.array([row[1:] for row in sentence], float)
    whole_map = vectors @ detector
    short_map = vectors[:, :seen] @ detector[:seen]
    return {
        "vectors": vectors,
        "maps": np.stack([whole_map, short_map], axis=1),
        "maximum": float(whole_map.max()),
        "short_maximum": float(short_map.max()),
        "best": _reaching(words, whole_map),
        "short_best": _reaching(words, short_map),
        "short_detector": detector[:seen],
        "lengths": tuple(f"{max(0, len(words) - height + 1)} × 1" for height in HEIGHTS),
    }


def _reaching(words: tuple[str, ...], found: np.ndarray) -> tuple[str, ...]:
    """The words with the largest match, each once."""
    largest = found >= found.max() - 1e-12
    return tuple(dict.fromkeys(word for word, most in zip(words, largest, strict=True) if most))


def _finding(found: Values) -> str:
    seen, best, short = found["seen"], found["best"], found["short_best"]
    named, short_named = (" and ".join(f"“{word}”" for word in some) for some in (best, short))
    if seen == WIDTH:
        return f"The detector spans all {WIDTH} numbers of a vector; its maximum is at {named}."
    if best == short:
        return (
            f"Cut to {seen} of {WIDTH} numbers the detector still finds {named} here; type vectors "
            f"that differ only behind number {seen} and it will not."
        )
    return (
        f"Over all {WIDTH} numbers the maximum is at {named}. Cut to {seen} < {WIDTH} the detector "
        f"cannot see the rest of a vector: its maximum is at {short_named}."
    )


LIKE_DETECTOR = WorkedExample(
    key="like_detector",
    rows=("002-22",),
    title="A detector for “like”",
    source="BERT notes, “CNN for NLP”",
    says=(
        "The vector of “like” is [1, 0, 0, 1, 0]. A detector that spans 3 of its 5 numbers sees "
        "[1, 0, 0] only, which means something else. Of each filter one maximum is kept; where it "
        "was matters less. The other vectors of the sentence are made up here."
    ),
    inputs=(
        Input(
            "sentence",
            "Words and their vectors",
            WORDS,
            word_vectors_of(),
            columns=("word", *(str(n) for n in range(1, WIDTH + 1))),
        ),
        Input("detector", "Detector", "1, 0, 0, 1, 0", numbers(WIDTH, WIDTH, low=-100, high=100)),
        Input("seen", "Numbers that the short one sees", "3", whole(1, WIDTH)),
    ),
    work=match_words,
    quantities=(
        Quantity("detector", "the detector", "spans a whole vector", "1, 0, 0, 1, 0", places=0),
        Quantity(
            "short_detector",
            "the short one",
            lambda found: f"its first {found['seen']} numbers",
            "1, 0, 0",
            places=0,
        ),
        Quantity("maximum", "maximum", "of the feature map, one number a filter", places=2),
        Quantity("best", "is at", ""),
        Quantity("short_maximum", "maximum, cut short", "", places=2),
        Quantity("short_best", "is at", ""),
        Quantity(
            "lengths",
            "maps over 2, 3 and 4 words",
            "N − h + 1 places of a filter over h words; N × 1 for h = 1 or with padding",
        ),
        Quantity(
            "maps",
            "Feature maps",
            "detector · vector, a row a word",
            places=1,
            columns=("whole", "cut short"),
        ),
    ),
    finding=_finding,
    slips=(
        Slip(
            "E-18",
            "A filter does not span 1 × N with N the number of words: it spans the whole width of "
            "the vectors and a few words. Its feature map is as long as the sentence, N × 1.",
        ),
    ),
)
