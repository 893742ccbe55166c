"""Word vectors in, how well they keep words of some relation apart or together out: analogies by
kind, opposites beside words of one meaning and beside random pairs, one-hot beside dense.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from bertsent.space.word_vectors import (
    Arithmetic,
    WordVectors,
    rank_of,
    work_out,
)

# a - b + c = d, by what relates them
ANALOGIES: dict[str, tuple[str, ...]] = {
    "man and woman": (
        "king man woman queen",
        "actor man woman actress",
        "brother man woman sister",
        "uncle man woman aunt",
        "father man woman mother",
        "son man woman daughter",
        "husband man woman wife",
        "prince man woman princess",
    ),
    "one and several": (
        "films film movie movies",
        "books book song songs",
        "cars car dog dogs",
        "eyes eye hand hands",
        "stories story scene scenes",
        "actors actor director directors",
    ),
    "country and capital": (
        "paris france italy rome",
        "berlin germany spain madrid",
        "tokyo japan china beijing",
        "london england ireland dublin",
        "moscow russia france paris",
        "athens greece egypt cairo",
    ),
    "degrees": (
        "better good bad worse",
        "biggest big small smallest",
        "faster fast slow slower",
        "stronger strong weak weaker",
        "youngest young old oldest",
    ),
    "times of a verb": (
        "walked walk talk talked",
        "swimming swim run running",
        "wrote write sing sang",
        "made make take took",
        "went go come came",
    ),
}
ANTONYMS = tuple(
    tuple(pair.split())
    for pair in (
        "good bad,boring exciting,great terrible,love hate,happy sad,funny serious,fast slow,"
        "hot cold,big small,strong weak,beautiful ugly,rich poor,easy difficult,old new,light dark,"
        "early late,success failure,hero villain,win lose,begin end,true false,open closed,"
        "always never,best worst"
    ).split(",")
)
SYNONYMS = tuple(
    tuple(pair.split())
    for pair in (
        "good fine,boring dull,great wonderful,love passion,happy glad,funny hilarious,"
        "fast quick,hot warm,big large,strong powerful,beautiful lovely,rich wealthy,easy simple,"
        "old ancient,light bright,early soon,success achievement,hero champion,win triumph,"
        "begin start,true real,closed shut,always forever,best finest"
    ).split(",")
)
KINDS = ("opposites", "same meaning", "random pairs")
AMONG = 5_000  # random pairs are drawn from so many of the most frequent words


def analogy_table(vectors: WordVectors) -> pd.DataFrame:
    """Every analogy of the list whose words all have a vector: columns ``kind``, ``question``,
    ``expected`` and the ranks of the expected word (``rank``, ``left out``, ``alone``).
    """
    rows = []
    for kind, lines in ANALOGIES.items():
        for line in lines:
            first, minus, plus, expected = words = line.split()
            if not all(word in vectors.places for word in words):
                continue
            question = Arithmetic(((1, first), (-1, minus), (1, plus)), expected)
            found = work_out(vectors, question)
            ranks = (found.rank, found.rank_left_out, found.rank_alone)
            rows.append((kind, str(question), expected, *ranks))
    columns = ["kind", "question", "expected", "rank", "left out", "alone"]
    return pd.DataFrame(rows, columns=columns)


def analogy_sentence(table: pd.DataFrame) -> str:
    """How many analogies come out, counted in the three ways."""
    if table.empty:
        return "None of the analogies has all its words here."
    first = {name: int((table[name] == 1).sum()) for name in ("left out", "rank", "alone")}
    return (
        f"Of {len(table)} analogies {first['left out']} come out with the words of the question "
        f"left out, {first['rank']} when they may be the answer; {first['alone']} would without "
        "any arithmetic, as the nearest neighbour of the first word."
    )


def pair_table(vectors: WordVectors, *, random: int = 1_000, seed: int = 42) -> pd.DataFrame:
    """Pairs of words with their cosine: columns ``kind`` (of ``KINDS``), ``first``, ``second``,
    ``cosine`` and ``rank``, that of the second among the neighbours of the first (0 for random
    pairs, which are of frequent words).
    """
    rows = []
    for kind, pairs in zip(KINDS, (ANTONYMS, SYNONYMS), strict=False):
        for first, second in pairs:
            if first in vectors.places and second in vectors.places:
                rank = rank_of(vectors, vectors.direction(first), second, (first,))
                rows.append((kind, first, second, vectors.cosine(first, second), rank))
    for i, j in random_pairs(vectors, random, seed):
        first, second = vectors.words[i], vectors.words[j]
        rows.append((KINDS[2], first, second, vectors.cosine(first, second), 0))
    return pd.DataFrame(rows, columns=["kind", "first", "second", "cosine", "rank"])


def random_pairs(vectors: WordVectors, count: int, seed: int) -> np.ndarray:
    """(count, 2): rows of two different frequent words each."""
    offered = vectors.most_frequent(AMONG)
    random = np.random.default_rng(seed)
    first = random.integers(0, len(offered), count)
    second = (first + random.integers(1, len(offered), count)) % len(offered)
    return offered[np.stack([first, second], axis=1)]


def pairs_sentence(table: pd.DataFrame) -> str:
    """Whether these vectors tell opposites from words of one meaning."""
    means = table.groupby("kind")["cosine"].mean()
    opposite, same, random = (float(means.get(kind, np.nan)) for kind in KINDS)
    spread = float(table.loc[table["kind"] == KINDS[2], "cosine"].std())
    pairs = table[table["kind"] == KINDS[0]]
    said = (
        f"{len(pairs)} pairs of opposites have a mean cosine of {opposite:.2f}, pairs of one "
        f"meaning {same:.2f}, random pairs {random:.2f}; in {int((pairs['rank'] <= 10).sum())} of "
        f"{len(pairs)} the opposite is among the ten nearest neighbours."
    )
    if opposite - random < spread:
        return f"{said} Here opposites are hardly nearer than random words."
    if same - opposite > spread:
        return f"{said} Words of one meaning are clearly nearer than opposites here."
    return (
        f"{said} One vector a word says what a word is about, hardly which side it takes: the "
        "sentence around it has to."
    )


@dataclass(frozen=True)
class OneHotComparison:
    """A vocabulary of ``entries`` as one-hot vectors, one 1 and else 0, beside dense ones of
    ``width`` numbers.
    """

    entries: int
    width: int
    number_bytes: int = 4

    @property
    def one_hot_numbers(self) -> int:
        """Numbers of all one-hot vectors together."""
        return self.entries**2

    @property
    def dense_numbers(self) -> int:
        """Numbers of all dense vectors together."""
        return self.entries * self.width

    def table(self) -> pd.DataFrame:
        """The two side by side, in numbers."""
        return pd.DataFrame(
            {
                "": ["one-hot", "dense"],
                "numbers a word": [self.entries, self.width],
                "of them not 0": [1, self.width],
                "numbers of all words": [self.one_hot_numbers, self.dense_numbers],
                "megabytes of all words": [
                    count * self.number_bytes / 1e6
                    for count in (self.one_hot_numbers, self.dense_numbers)
                ],
            }
        )


def one_hot_sentence(sizes: OneHotComparison, vectors: WordVectors, first: str, second: str) -> str:
    """What dense vectors save, and what one-hot ones cannot say."""
    return (
        f"One-hot, a word has {sizes.entries:,} numbers, all but one of them 0, and any two words "
        f"have cosine 0. Dense, it has {sizes.width:,}, {sizes.entries / sizes.width:.0f} times "
        f"fewer, and “{first}” and “{second}” have cosine {vectors.cosine(first, second):.2f}."
    )
