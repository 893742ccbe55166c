"""Words with one vector each in, what such vectors know out: nearest neighbours by cosine and
arithmetic with words, with honest ranks.

The vectors are those of an encoder's input, one for each entry of its vocabulary, or any others:
those that word2vec learns are looked at in the same way.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from bertsent.data.cleaning import shorten
from bertsent.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Callable

    from bertsent.probing.loaded_model import LoadedModel

MOST_TERMS = 8  # words that can be added and subtracted
SHOWN = 10
ONE_LETTER = ("a", "i")
_SIGNS = re.compile(r"[+\-\N{MINUS SIGN}\N{EN DASH}]")
_TERM = re.compile(r"([+-]?)\s*([^+\-]*)")


@dataclass(frozen=True, eq=False)
class WordVectors:
    """One vector for each word: ``vectors`` (V, H).

    Args:
        words: the most frequent first, where their order says anything.
        vectors: row by row.
        pieces: what a word that is not among them is read as instead, if that is known.
    """

    words: tuple[str, ...]
    vectors: np.ndarray = field(repr=False)
    pieces: "Callable[[str], Sequence[str]] | None" = field(default=None, repr=False)

    @cached_property
    def places(self) -> dict[str, int]:
        """The row of each word."""
        return {word: place for place, word in enumerate(self.words)}

    @cached_property
    def lengths(self) -> np.ndarray:
        """(V,): the length of each vector, never 0."""
        return np.maximum(np.linalg.norm(self.vectors, axis=1), 1e-12)

    @cached_property
    def whole(self) -> np.ndarray:
        """(V,): whether an entry is a whole word, or its beginning, in letters: no ``##piece``, no
        marker, no number, no single sign.
        """
        return np.array(
            [word.isalpha() and (len(word) > 1 or word in ONE_LETTER) for word in self.words]
        )

    def __len__(self) -> int:
        return len(self.words)

    def find(self, typed: str) -> str:
        """The entry that a person means; capital letters count only where the vocabulary has them.

        Raises:
            BadInput: nothing is typed, or there is no such entry.
        """
        word = typed.strip()
        BadInput.raise_if(not word, "There is no word to look up.", "Type one.")
        for form in (word, word.lower()):
            if form in self.places:
                return form
        read = list(self.pieces(word)) if self.pieces else []
        if len(read) == 1 and read[0] in self.places and not read[0].startswith("["):
            return read[0]  # without its accents
        instead = f" It is read in pieces: {' '.join(read[:12])}." if len(read) > 1 else ""
        raise BadInput(
            f"“{shorten(word, 40)}” is none of the {len(self):,} entries that have a vector."
            f"{instead}",
            "Type another word.",
        )

    def direction(self, word: str) -> np.ndarray:
        """The vector of a word, brought to length 1: (H,) float64."""
        place = self.places[word]
        return self.vectors[place].astype(np.float64) / self.lengths[place]

    def cosines(self, query: np.ndarray) -> np.ndarray:
        """(V,): the cosine of every word with a vector (H,)."""
        length = max(float(np.linalg.norm(query)), 1e-12)
        asked = (query / length).astype(self.vectors.dtype)
        return np.asarray((self.vectors @ asked) / self.lengths, dtype=np.float64)

    def cosine(self, first: str, second: str) -> float:
        """The cosine of two words."""
        return float(self.direction(first) @ self.direction(second))

    def most_frequent(self, count: int) -> np.ndarray:
        """The rows of the first ``count`` whole words."""
        return np.flatnonzero(self.whole)[:count]


def input_vectors(model: "LoadedModel") -> WordVectors:
    """The vectors with which an encoder begins to read: one for each entry of its vocabulary, by
    id. They share the memory of the model and must not be written to.

    The vocabulary of BERT lists whole words by how often they occurred in the text it was made
    from.
    """
    from bertsent.probing.forward_pass.encoder_weights import numbers
    from bertsent.probing.heads.attention_modules import embedding_tables

    table = numbers(embedding_tables(model.model.bert)["token"].weight)
    named = {place: piece for piece, place in model.tokenizer.fast.get_vocab().items()}
    words = tuple(named.get(place, f"[{place}]") for place in range(len(table)))
    return WordVectors(words, table, lambda word: model.tokens(word).pieces[1:-1])


def nearest_words(
    vectors: WordVectors,
    query: np.ndarray,
    *,
    leave_out: Collection[str] = (),
    n: int = SHOWN,
) -> pd.DataFrame:
    """The ``n`` whole words whose vectors point most nearly where ``query`` (H,) does: columns
    ``rank``, ``word``, ``cosine``.
    """
    cosines = vectors.cosines(query)
    order = _order(vectors, cosines, leave_out)[:n]
    return pd.DataFrame(
        {
            "rank": np.arange(1, len(order) + 1),
            "word": [vectors.words[place] for place in order],
            "cosine": cosines[order],
        }
    )


def neighbours_of(vectors: WordVectors, word: str, n: int = SHOWN) -> pd.DataFrame:
    """The nearest neighbours of a word, itself left out, as ``nearest_words`` gives them."""
    return nearest_words(vectors, vectors.direction(word), leave_out=(word,), n=n)


def rank_of(
    vectors: WordVectors, query: np.ndarray, word: str, leave_out: Collection[str] = ()
) -> int:
    """The place of ``word`` among whole words by their cosine with ``query``: 1 is the nearest.

    Args:
        leave_out: words that are not counted; ``word`` itself always is.
    """
    cosines = vectors.cosines(query)
    before = vectors.whole & (cosines > cosines[vectors.places[word]])
    skipped = sum(bool(before[vectors.places[each]]) for each in {*leave_out} - {word})
    return int(before.sum()) - skipped + 1


def _order(vectors: WordVectors, cosines: np.ndarray, leave_out: Collection[str]) -> np.ndarray:
    offered = vectors.whole.copy()
    offered[[vectors.places[word] for word in leave_out]] = False
    rows = np.flatnonzero(offered)
    found: np.ndarray = rows[np.argsort(-cosines[rows], kind="stable")]
    return found


@dataclass(frozen=True)
class Arithmetic:
    """Words that are added (+1) or subtracted (-1), and the word that is hoped for, or empty."""

    terms: tuple[tuple[int, str], ...]
    expected: str = ""

    @property
    def words(self) -> tuple[str, ...]:
        """The words of the question."""
        return tuple(word for _, word in self.terms)

    def __str__(self) -> str:
        signs = "".join(
            f" {'+' if sign > 0 else '−'} {word}" for sign, word in self.terms
        ).removeprefix(" + ")
        return signs.strip()


def read_arithmetic(vectors: WordVectors, typed: str) -> Arithmetic:
    """What was typed, such as “king - man + woman = queen”; what follows the = may be left out.

    Raises:
        BadInput: it is no such sum, or a word has no vector.
    """
    left, equals, right = typed.partition("=")
    plain = _SIGNS.sub(lambda found: "+" if found[0] == "+" else "-", left).strip()
    BadInput.raise_if(not plain, "There is nothing to work out.", "Type king - man + woman.")
    terms = []
    for sign, written in _TERM.findall(plain):
        if not sign and not written:
            continue  # the end
        words = written.split()
        BadInput.raise_if(
            len(words) != 1,
            f"“{shorten(' '.join(words), 40)}” stands where one word belongs."
            if words
            else "A sign has no word behind it.",
            "Put + or - between single words: king - man + woman.",
        )
        terms.append((-1 if sign == "-" else 1, vectors.find(words[0])))
    BadInput.raise_if(
        len(terms) > MOST_TERMS,
        f"These are {len(terms)} words.",
        f"Add and subtract at most {MOST_TERMS}.",
    )
    return Arithmetic(tuple(terms), vectors.find(right) if equals and right.strip() else "")


@dataclass(frozen=True)
class ArithmeticResult:
    """Where a sum of word vectors points.

    ``nearest`` has columns ``rank``, ``word``, ``cosine`` and ``asked``: words of the question are
    counted. The ranks are those of the expected word: among all whole words, with the words of the
    question left out as usual, and beside the first word alone, without any arithmetic; 0 where no
    word is expected.
    """

    question: Arithmetic
    count: int  # whole words that are ranked
    nearest: pd.DataFrame
    answer: str  # the nearest that is no word of the question
    answer_cosine: float
    rank: int = 0
    rank_left_out: int = 0
    rank_alone: int = 0


def work_out(vectors: WordVectors, question: Arithmetic, n: int = SHOWN) -> ArithmeticResult:
    """Add and subtract the vectors of words, each brought to length 1 first (Mikolov, Yih and Zweig
    2013, "Linguistic regularities in continuous space word representations"), and rank all whole
    words by their cosine with the result.

    Raises:
        BadInput: the words cancel out.
    """
    query = sum_of(vectors, question)
    nearest = nearest_words(vectors, query, n=n)
    nearest["asked"] = nearest["word"].isin(question.words)
    (answer,) = nearest_words(vectors, query, leave_out=question.words, n=1).to_dict("records")
    ranks = (0, 0, 0)
    if question.expected:
        first = vectors.direction(question.words[0])
        ranks = (
            rank_of(vectors, query, question.expected),
            rank_of(vectors, query, question.expected, question.words),
            rank_of(vectors, first, question.expected, question.words),
        )
    return ArithmeticResult(
        question,
        int(vectors.whole.sum()),
        nearest,
        str(answer["word"]),
        float(answer["cosine"]),
        *ranks,
    )


def sum_of(vectors: WordVectors, question: Arithmetic) -> np.ndarray:
    """(H,): the sum of the directions of its words with their signs.

    Raises:
        BadInput: they cancel out.
    """
    query = np.sum([sign * vectors.direction(word) for sign, word in question.terms], axis=0)
    BadInput.raise_if(
        np.linalg.norm(query) < 1e-6, "These words cancel out.", "Leave one of them out."
    )
    return query


def arithmetic_sentence(found: ArithmeticResult) -> str:
    """What came out, whichever way: the nearest word, the warning about the words of the question,
    and the ranks of the word that was expected.
    """
    question, top = found.question, found.nearest.iloc[0]
    answer = f"“{found.answer}” (cosine {found.answer_cosine:.2f})"
    if top["asked"]:
        said = (
            f"{question} lands nearest to “{top['word']}” ({top['cosine']:.2f}), a word of the "
            f"question itself. Such words are usually left out without saying so; then the answer "
            f"is {answer}."
        )
    else:
        said = f"{question} lands nearest to {answer}, of all {found.count:,} words."
    expected = question.expected
    if not expected:
        return said
    if expected in question.words:
        return f"{said} “{expected}” is a word of the question, number {found.rank:,} here."
    ranks = (
        f"“{expected}” is number {found.rank:,} of {found.count:,}, and number "
        f"{found.rank_left_out:,} with the words of the question left out"
    )
    return f"{said} {ranks}; {_without_arithmetic(found)}"


def _without_arithmetic(found: ArithmeticResult) -> str:
    first, alone, after = found.question.words[0], found.rank_alone, found.rank_left_out
    beside = f"beside “{first}” alone, without any arithmetic, it is number {alone:,}"
    if alone == after:
        return f"{beside}, too: the arithmetic adds nothing to the rank."
    return f"{beside}, so the arithmetic {'helps' if after < alone else 'harms'}."


def neighbours_sentence(
    vectors: WordVectors, word: str, found: pd.DataFrame, opposite: str = ""
) -> str:
    """The nearest neighbours of a word, and where its opposite stands among all."""
    nearest = ", ".join(
        f"{row.word} {row.cosine:.2f}" for row in found.head(4).itertuples(index=False)
    )
    said = f"Nearest to “{word}”: {nearest}."
    if not opposite:
        return said
    rank = rank_of(vectors, vectors.direction(word), opposite, (word,))
    return (
        f"{said} “{opposite}”, its opposite, is number {rank:,} of {int(vectors.whole.sum()) - 1:,}"
        f" (cosine {vectors.cosine(word, opposite):.2f})."
    )
