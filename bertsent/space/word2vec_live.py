"""A training of word2vec while somebody watches: texts in, the loss so far and a few words that
move out.

The words that are drawn are laid flat anew in every frame, by the two directions in which they
differ most (PCA), and turned so that they lie as near as possible to the frame before (orthogonal
Procrustes): what moves is the words, not the picture.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from bertsent.data.cleaning import shorten
from bertsent.errors import BadInput
from bertsent.progress import Progress, no_progress
from bertsent.space.projection import pca
from bertsent.space.word2vec import (
    Corpus,
    Frame,
    Word2Vec,
    Word2VecConfig,
    read_corpus,
    window_pairs,
    words_of,
)
from bertsent.space.word_vectors import WordVectors

FRAMES = 60
MOST_WORDS = 20_000  # of a visitor's own text
# few words need many passes in small batches, and rare ones have to count
OWN = Word2VecConfig(min_count=2, epochs=40, batch_size=512)
GROUPS: dict[str, tuple[str, ...]] = {
    "praise": ("great", "wonderful", "beautiful", "brilliant", "moving", "charming"),
    "blame": ("boring", "dull", "awful", "terrible", "stupid", "tedious"),
    "people": ("actor", "actress", "director", "cast", "actors", "star"),
    "family": ("mother", "father", "son", "wife", "children", "family"),
    "sorts of film": ("comedy", "thriller", "drama", "horror", "romance", "documentary"),
}
FREQUENT = "frequent words"
_FEWEST_GROUPS, _SMALLEST_GROUP = 2, 3
_MOST_FREQUENT, _LETTERS = 20, 4


@dataclass(frozen=True, eq=False)
class Moment:
    """One frame of what is watched: the mean ``loss`` since the one before, and the ``places``
    (n, 2) of the words that are drawn.
    """

    step: int
    steps: int
    loss: float
    places: np.ndarray = field(repr=False)


@dataclass(eq=False)
class LiveTraining:
    """What is known of a training so far. It is written by the thread that trains and read by those
    that draw: a moment is added when it is whole, and ``vectors`` are there at the end.
    """

    groups: dict[str, tuple[str, ...]] = field(default_factory=dict)
    moments: list[Moment] = field(default_factory=list)
    vectors: WordVectors | None = None
    first: WordVectors | None = None  # before the first step

    def add(self, corpus: Corpus, frame: Frame) -> None:
        """Lay the drawn words flat, as near as possible to where they were."""
        vectors = WordVectors(corpus.words, frame.vectors)
        words = [word for group in self.groups.values() for word in group]
        before = self.moments[-1].places if self.moments else None
        places = laid_flat(np.stack([vectors.direction(word) for word in words]), before)
        self.moments.append(Moment(frame.step, frame.steps, frame.loss, places))

    def points(self, moment: Moment) -> pd.DataFrame:
        """Columns ``word``, ``group``, ``x``, ``y``."""
        named = [(word, name) for name, words in self.groups.items() for word in words]
        table = pd.DataFrame(named, columns=["word", "group"])
        return table.assign(x=moment.places[:, 0], y=moment.places[:, 1])

    def losses(self) -> pd.DataFrame:
        """Columns ``step``, ``loss``, from the first frame with a loss."""
        rows = [(each.step, each.loss) for each in self.moments if each.step]
        return pd.DataFrame(rows, columns=["step", "loss"])


def laid_flat(directions: np.ndarray, before: np.ndarray | None = None) -> np.ndarray:
    """Vectors (n, H) by their first two principal components, turned and mirrored to lie as near
    to ``before`` (n, 2) as that allows.
    """
    from scipy.linalg import orthogonal_procrustes

    places = pca(directions).coordinates
    if before is None:
        return places
    turn, _ = orthogonal_procrustes(places, before)
    return np.asarray(places @ turn)


def drawn_groups(words: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The words that are drawn, by what they have in common: those of ``GROUPS`` that these
    ``words``, the most frequent first, have; where they have too few of them, the most frequent
    longer ones.
    """
    known = set(words)
    found = {name: tuple(w for w in group if w in known) for name, group in GROUPS.items()}
    kept = {name: group for name, group in found.items() if len(group) >= _SMALLEST_GROUP}
    if len(kept) >= _FEWEST_GROUPS:
        return kept
    longer = [word for word in words if len(word) >= _LETTERS]
    return {FREQUENT: tuple((longer if len(longer) >= _LETTERS else list(words))[:_MOST_FREQUENT])}


def own_corpus(typed: str) -> Corpus:
    """A visitor's own text, each line by itself.

    Raises:
        BadInput: too many words, too few that come twice, or never two of them in one line.
    """
    lines = typed.splitlines()
    count = sum(len(words_of(line)) for line in lines)
    BadInput.raise_if(not count, "There is no word in this text.", "Paste some pages of text.")
    BadInput.raise_if(
        count > MOST_WORDS,
        f"This text has {count:,} words; here at most {MOST_WORDS:,} are learned from.",
        "Paste a part of it. Your text stays in the box.",
    )
    corpus = read_corpus(lines, OWN.min_count)
    words, _ = window_pairs(corpus.ids, corpus.texts, OWN.window)
    BadInput.raise_if(
        len(words) == 0,
        "No line has two words of those that come twice, so there is no pair to learn from.",
        "Write sentences, not one word a line.",
    )
    return corpus


def train_live(
    corpus: Corpus,
    config: Word2VecConfig,
    live: LiveTraining,
    *,
    progress: Progress = no_progress,
) -> LiveTraining:
    """Train on a corpus; ``live`` grows meanwhile and is given back.

    Args:
        progress: called with a fraction at every frame; may raise ``Cancelled``.
    """
    model = Word2Vec(corpus, config)
    live.groups, live.moments, live.vectors = drawn_groups(corpus.words), [], None
    live.first = model.word_vectors()
    for frame in model.train(FRAMES):
        live.add(corpus, frame)
        progress(frame.step / max(frame.steps, 1))
    live.vectors = model.word_vectors()
    return live


def group_cosines(vectors: WordVectors, groups: dict[str, tuple[str, ...]]) -> tuple[float, float]:
    """The mean cosine of two words of one group, and of two of different groups; NaN where there
    are no such pairs.
    """
    named = [(word, name) for name, words in groups.items() for word in words]
    units = np.stack([vectors.direction(word) for word, _ in named])
    cosines, of = units @ units.T, np.array([name for _, name in named])
    first, second = np.triu_indices(len(named), 1)
    together = of[first] == of[second]
    pairs = cosines[first, second]
    return _mean(pairs[together]), _mean(pairs[~together])


def live_sentence(live: LiveTraining) -> str:
    """What the training did to the drawn words, whichever way."""
    if live.vectors is None or live.first is None:
        return ""
    losses = live.losses()
    fell = f"The loss went from {losses['loss'].iloc[0]:.2f} to {losses['loss'].iloc[-1]:.2f}."
    if len(live.groups) < _FEWEST_GROUPS:
        return f"{fell} The dots are the {sum(map(len, live.groups.values()))} most frequent words."
    (was, apart), (within, between) = (
        group_cosines(each, live.groups) for each in (live.first, live.vectors)
    )
    said = (
        f"{fell} Two words of one group have a mean cosine of {within:.2f} now ({was:.2f} at the "
        f"start), two of different groups {between:.2f} ({apart:.2f})"
    ).replace("-", "\N{MINUS SIGN}")
    if within - between > was - apart + 0.02:
        return f"{said}: nothing but their neighbours in the texts brought groups together."
    return f"{said}: these texts did not bring the groups together."


def beside_sentence(word: str, own: pd.DataFrame | None, encoder: pd.DataFrame | None) -> str:
    """How many neighbours of a word both sets of vectors share; None where one has no such word."""
    shown = shorten(word, 40)
    if own is None or encoder is None:
        lacks = " and ".join(
            name for name, found in (("word2vec", own), ("the encoder", encoder)) if found is None
        )
        return f"“{shown}” has no vector in {lacks}: other words do."
    both = [each for each in own["word"] if each in set(encoder["word"])]
    shared = f": {', '.join(both)}" if both else ""
    return f"Of the {len(own)} nearest to “{shown}” the two share {len(both)}{shared}."


def _mean(values: np.ndarray) -> float:
    return float(values.mean()) if len(values) else float("nan")
