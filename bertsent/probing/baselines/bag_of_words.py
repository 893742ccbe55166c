"""Reviews in, a classifier that adds up words out: every answer is Σ wx + b, and can be shown word
by word.

Two of them: word counts under a support vector machine (Cortes and Vapnik 1995), whose scores
become probabilities by Platt's
sigmoid (1999), and TF-IDF under logistic regression (Spärck Jones 1972), whose scores have theirs.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Self

import numpy as np
import pandas as pd

from bertsent.data.examples import Reviews
from bertsent.errors import BadInput
from bertsent.probing.array_cache import StoredArrays
from bertsent.probing.baselines.pipelines import BAG_OF_WORDS_PIPELINES, BOW_SVM, TFIDF_LR
from bertsent.probing.baselines.platt_scaling import platt, sigmoid, unseen_scores

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix
    from sklearn.feature_extraction.text import CountVectorizer


@dataclass(frozen=True)
class WordWeights:
    """One answer worked out: ``rows`` has word, count, x, weight and w·x for each feature found;
    their sum and the bias are the score.

    ``unknown`` are the words of the review that the classifier has no weight for.
    """

    rows: pd.DataFrame
    bias: float
    score: float
    p_positive: float
    unknown: tuple[str, ...]


@dataclass(frozen=True)
class BagOfWords:
    """A trained word adder. ``idf`` is empty where words are only counted.

    ``weights`` (V,) belong to x as it is shown: counts, or TF-IDF values. P(positive) = σ(slope ·
    (Σ wx + b) + offset).
    """

    name: str
    words: tuple[str, ...]
    weights: np.ndarray
    bias: float
    slope: float = 1.0
    offset: float = 0.0
    idf: np.ndarray = field(default_factory=lambda: np.empty(0))

    def features(self, texts: Sequence[str]) -> "csr_matrix":
        """(n, V): what each text is to this classifier."""
        return self._vectorizer.transform(list(texts))

    def scores(self, texts: Sequence[str]) -> np.ndarray:
        """(n,): Σ wx + b."""
        return self.features(texts) @ self.weights + self.bias

    def p_positive(self, texts: Sequence[str]) -> np.ndarray:
        """(n,): P(positive)."""
        return sigmoid(self.slope * self.scores(texts) + self.offset)

    def evidence(self, text: str) -> WordWeights:
        """The answer to one review, the word that weighs most first."""
        row = self.features([text]).tocoo()
        found = row.coords[1] if hasattr(row, "coords") else row.col
        counts = self._count(text)
        rows = pd.DataFrame(
            {
                "word": [self.words[i] for i in found],
                "count": [counts.get(self.words[i], 0) for i in found],
                "x": row.data.astype(float),
            }
        ).assign(weight=self.weights[found])
        rows = rows.assign(contribution=rows["x"] * rows["weight"])
        order = np.argsort(-rows["contribution"].abs().to_numpy(), kind="stable")
        score = float(rows["contribution"].sum() + self.bias)
        known = set(self._vectorizer.vocabulary_)
        unknown = tuple(word for word in count_words(text) if word not in known)
        p = float(sigmoid(np.array(self.slope * score + self.offset)))
        return WordWeights(rows.iloc[order].reset_index(drop=True), self.bias, score, p, unknown)

    def heaviest(self, count: int = 20) -> pd.DataFrame:
        """The words that speak most for positive and for negative: word, weight; per unit of x."""
        order = np.argsort(self.weights)
        chosen = np.unique(np.concatenate([order[:count], order[::-1][:count]]))
        table = pd.DataFrame(
            {"word": [self.words[i] for i in chosen], "weight": self.weights[chosen]}
        )
        return table.sort_values("weight", ascending=False, ignore_index=True)

    def occurrences(self, word: str, reviews: Reviews) -> tuple[int, int]:
        """How many labelled reviews hold a word that it knows, and how many of those are
        positive.
        """
        held = (
            self.features(reviews.texts)[:, [self._vectorizer.vocabulary_[word]]].toarray()[:, 0]
            != 0
        )
        return int(held.sum()), int((held & (np.array(reviews.labels) == 1)).sum())

    def parts(self) -> StoredArrays:
        facts = {
            "words": list(self.words),
            "bias": self.bias,
            "slope": self.slope,
            "offset": self.offset,
        }
        return StoredArrays({"weights": self.weights, "idf": self.idf}, facts)

    @classmethod
    def of(cls, name: str, parts: StoredArrays) -> Self:
        f = parts.facts
        return cls(
            name,
            tuple(f["words"]),
            parts.arrays["weights"],
            f["bias"],
            f["slope"],
            f["offset"],
            parts.arrays["idf"],
        )

    def _count(self, text: str) -> dict[str, int]:
        counted: dict[str, int] = {}
        for word in self._analyze(text):
            counted[word] = counted.get(word, 0) + 1
        return counted

    @cached_property
    def _analyze(self):  # noqa: ANN202 - scikit-learn's function of a text
        return self._vectorizer.build_analyzer()

    @cached_property
    def _vectorizer(self) -> "CountVectorizer":
        """Scikit-learn's own, with the vocabulary that was learned."""
        from sklearn.feature_extraction.text import CountVectorizer

        vectorizer = BAG_OF_WORDS_PIPELINES[self.name]()[0]
        vocabulary = {word: place for place, word in enumerate(self.words)}
        if self.name == BOW_SVM:
            made = CountVectorizer(vocabulary=vocabulary)
        else:
            made = vectorizer.set_params(vocabulary=vocabulary, min_df=1)
            made.idf_ = self.idf
        made._validate_vocabulary()
        return made


def fit_bag_of_words(name: str, reviews: Reviews, *, seed: int = 42) -> BagOfWords:
    """Train one of ``BAG_OF_WORDS_PIPELINES``.

    Raises:
        BadInput: the reviews hold no word that can be counted.
    """
    pipeline = BAG_OF_WORDS_PIPELINES[name]()
    try:
        pipeline.fit(reviews.texts, reviews.labels)
    except ValueError as error:
        raise BadInput(
            f"{name} cannot learn from these reviews: {error}.", "Bring reviews with more words."
        ) from error
    vectorizer, last = pipeline[0], pipeline[-1]
    words = tuple(str(word) for word in vectorizer.get_feature_names_out())
    weights, bias = last.coef_[0].astype(float), float(last.intercept_[0])
    if name == TFIDF_LR:
        return BagOfWords(name, words, weights, bias, idf=vectorizer.idf_.astype(float))
    weights = weights / pipeline[1].scale_  # so that x is the count itself
    slope, offset = platt(
        unseen_scores(BAG_OF_WORDS_PIPELINES[name](), reviews.texts, reviews, seed=seed),
        np.array(reviews.labels),
    )
    return BagOfWords(name, words, weights, bias, slope, offset)


def count_words(text: str) -> dict[str, int]:
    """The words of a text as scikit-learn's ``CountVectorizer`` counts them (row 001-05), in the
    order in which they come.

    A text without a word of two letters has none.
    """
    from sklearn.feature_extraction.text import CountVectorizer

    counted: dict[str, int] = {}
    for word in CountVectorizer().build_analyzer()(text):
        counted[word] = counted.get(word, 0) + 1
    return counted
