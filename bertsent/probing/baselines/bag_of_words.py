"""Reviews in, a classifier that adds up words out: every answer is Σ wx + b, and can be shown word
by word.

Two of them: word counts under a support vector machine (Cortes and Vapnik 1995), whose scores
become probabilities by Platt's sigmoid (1999), and TF-IDF under logistic regression (Spärck Jones
1972), whose scores are log-odds already.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy.special import expit

from bertsent.data.examples import LABELS, Reviews
from bertsent.errors import BadInput
from bertsent.probing.baselines.pipelines import baseline_pipeline, fit_baseline
from bertsent.written_numbers import MINUS, written

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix
    from sklearn.feature_extraction.text import CountVectorizer

TERMS = 6  # words that are written out in the arithmetic


@dataclass(frozen=True)
class WordWeights:
    """One answer worked out: ``rows`` has word, count, x, weight and contribution (w·x) for each
    feature found, the largest contribution first; their sum and the bias are the score.

    ``unknown`` are the words of the review that the classifier has no weight for.
    """

    rows: pd.DataFrame
    bias: float
    score: float
    p_positive: float
    unknown: tuple[str, ...]

    @property
    def table(self) -> pd.DataFrame:
        """``rows``, then one row each for the bias and the score."""
        ends = {"word": ["(bias)", "(score)"], "contribution": [self.bias, self.score]}
        return pd.concat([self.rows, pd.DataFrame(ends)], ignore_index=True)


@dataclass(frozen=True)
class BagOfWords:
    """A trained classifier that adds up words. ``idf`` is empty where words are only counted.

    ``weights`` (V,) belong to x as it is shown: counts, or TF-IDF values. P(positive) = σ(slope ·
    (Σ wx + b) + offset).
    """

    name: str
    words: Sequence[str]
    weights: np.ndarray
    bias: float
    slope: float
    offset: float
    idf: np.ndarray

    def features(self, texts: Sequence[str]) -> "csr_matrix":
        """(n, V): what each text is to this classifier."""
        return self._vectorizer.transform(list(texts))

    def scores(self, texts: Sequence[str]) -> np.ndarray:
        """(n,): Σ wx + b."""
        return self.features(texts) @ self.weights + self.bias

    def p_positive(self, texts: Sequence[str]) -> np.ndarray:
        """(n,): P(positive)."""
        return expit(self.slope * self.scores(texts) + self.offset)

    def word_weights(self, text: str) -> WordWeights:
        """The answer to one review, word by word."""
        row = self.features([text]).tocoo()
        found, counts = row.coords[1], Counter(self._vectorizer.build_analyzer()(text))
        words = [self.words[i] for i in found]
        rows = pd.DataFrame(
            {
                "word": words,
                "count": [counts[word] for word in words],
                "x": row.data.astype(float),
                "weight": self.weights[found],
                "contribution": row.data * self.weights[found],
            }
        ).sort_values("contribution", key=np.abs, ascending=False, kind="stable", ignore_index=True)
        score = float(rows["contribution"].sum() + self.bias)
        unknown = tuple(word for word in count_words(text) if word not in self._places)
        p = float(expit(self.slope * score + self.offset))
        return WordWeights(rows, self.bias, score, p, unknown)

    def heaviest(self, count: int = 20) -> pd.DataFrame:
        """The words with the highest and the lowest weights per unit of x: word, weight."""
        table = pd.DataFrame({"word": self.words, "weight": self.weights})
        table = table.sort_values("weight", ascending=False, kind="stable", ignore_index=True)
        return pd.concat([table.head(count), table.tail(count)]).drop_duplicates(
            "word", ignore_index=True
        )

    def occurrences(self, word: str, reviews: Reviews) -> tuple[int, int]:
        """How many labelled reviews hold a known word, and how many of those are positive."""
        held = self.features(reviews.texts)[:, [self._places[word]]].toarray()[:, 0] != 0
        return int(held.sum()), int((held & (np.array(reviews.labels) == 1)).sum())

    def to_arrays(self) -> dict[str, Any]:
        return asdict(self)

    @cached_property
    def _places(self) -> dict[str, int]:
        return {word: place for place, word in enumerate(self.words)}

    @cached_property
    def _vectorizer(self) -> "CountVectorizer":
        vectorizer = baseline_pipeline(self.name)[0]
        vectorizer.set_params(vocabulary=self._places, min_df=1)
        if len(self.idf):
            vectorizer.idf_ = self.idf
        vectorizer._validate_vocabulary()
        return vectorizer


def fit_bag_of_words(
    name: str, reviews: Reviews, *, seed: int = 42, settings: Mapping[str, object] | None = None
) -> BagOfWords:
    """Train one of ``BAGS_OF_WORDS``, some parameters of its pipeline changed by ``settings``.

    Raises:
        BadInput: the reviews hold no word that can be counted.
    """
    try:
        pipeline, slope, offset = fit_baseline(
            name, reviews.texts, reviews, seed=seed, settings=settings
        )
    except ValueError as error:
        raise BadInput(
            f"{name} cannot learn from these reviews: {error}.", "Bring reviews with more words."
        ) from error
    vectorizer, *_, last = (step for _, step in pipeline.steps)
    # divided by the scale of the counts, so that x is the count itself
    weights = last.coef_[0] / getattr(pipeline[1], "scale_", 1.0)
    idf = np.asarray(getattr(vectorizer, "idf_", ()), float)
    words = vectorizer.get_feature_names_out().tolist()
    return BagOfWords(name, words, weights, float(last.intercept_[0]), slope, offset, idf)


def prune_bag_of_words(model: BagOfWords, reviews: Reviews, count: int) -> list[str]:
    """The ``count`` features whose contribution varies most over the reviews, |w| · √mean(x²), in
    their order; what is dropped changes few answers.
    """
    x = model.features(reviews.texts)
    spread = np.sqrt(np.asarray(x.multiply(x).mean(axis=0)).ravel()) * np.abs(model.weights)
    kept = np.sort(np.argsort(-spread, kind="stable")[:count])
    return [model.words[place] for place in kept]


def count_words(text: str) -> dict[str, int]:
    """The words of a text as scikit-learn's ``CountVectorizer`` counts them (row 001-05), in the
    order in which they come.

    A text without a word of two letters has none.
    """
    from sklearn.feature_extraction.text import CountVectorizer

    return dict(Counter(CountVectorizer().build_analyzer()(text)))


def arithmetic(model: BagOfWords, found: WordWeights) -> str:
    """Σ wx + b with the numbers of one review, the largest contributions first, and how the score
    became P(positive); one term per line.
    """
    lines = [
        f"{_signed(r.weight)} × {r.x:.3g}  {r.word}" for r in found.rows.head(TERMS).itertuples()
    ]
    rest = found.rows["contribution"].iloc[TERMS:]
    if len(rest):
        lines.append(f"{_signed(rest.sum())}      {len(rest)} more")
    inside = written(found.score, ".3f")
    if (model.slope, model.offset) != (1, 0):
        sign = "+" if model.offset >= 0 else MINUS
        inside = f"{written(model.slope, '.3f')} · {inside} {sign} {abs(model.offset):.3f}"
    lines += [
        f"{_signed(found.bias)}      bias b",
        f"= {_signed(found.score)}  score",
        f"P(positive) = σ({inside}) = {100 * found.p_positive:.1f} %",
    ]
    return "\n".join(lines)


def _signed(number: float) -> str:
    return written(number, "+.3f")


def heaviest_word_sentence(
    found: WordWeights, occurrences: tuple[int, int, int] | None, bert: str, p_bert: float
) -> str:
    """Which word decides most, where its weight comes from, and whether BERT agrees.

    Args:
        occurrences: of that word in the training reviews, as ``BagOfWords.occurrences`` counts, and
            how many training reviews there were; None where they are not here.
        p_bert: P(positive) of the model called ``bert``.
    """
    if not len(found.rows):
        return "It knows no word of this review."
    top, where = found.rows.iloc[0], ""
    if occurrences is not None:
        count, positive, reviews = occurrences
        where = (
            f" It is in {count:,} of the {reviews:,} training reviews, {positive:,} of them "
            "positive."
        )
    agrees = "agrees" if (p_bert > 0.5) == (found.p_positive > 0.5) else "says the opposite"
    return (
        f"“{top['word']}” contributes most: {abs(top['contribution']):.3f} towards "
        f"{LABELS[int(top['contribution'] > 0)]}.{where} {bert} {agrees}."
    )
