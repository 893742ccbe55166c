"""The scikit-learn classifiers that BERT is compared with, and the names of all baselines.

A linear support vector machine gives a score, which becomes a probability by Platt's sigmoid (1999)
on scores of reviews that it had not learned from.
"""

import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bertsent.data.examples import Reviews
from bertsent.data.splits import review_groups

if TYPE_CHECKING:
    from sklearn.pipeline import Pipeline

BOW_SVM, TFIDF_LR = "BOW + SVM", "TF-IDF + logistic regression"
LSTM = "LSTM"
FROZEN_LR, FROZEN_SVM, FROZEN_NN = (
    "Frozen BERT + logistic regression",
    "Frozen BERT + SVM",
    "Frozen BERT + small network",
)
BAGS_OF_WORDS = (BOW_SVM, TFIDF_LR)
FROZEN_HEADS = (FROZEN_LR, FROZEN_SVM, FROZEN_NN)


def baseline_pipeline(name: str, seed: int = 42) -> "Pipeline":
    """One of ``BAGS_OF_WORDS``, which take texts, or of ``FROZEN_HEADS``, which take vectors.

    A linear support vector machine (Cortes and Vapnik 1995) on word counts; logistic regression on
    words and word pairs weighted by TF-IDF (Spärck Jones 1972); logistic regression, a linear
    support vector machine, or one hidden layer of 32 rectified units on standardised vectors.
    """
    from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.neural_network import MLPClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import MaxAbsScaler, StandardScaler
    from sklearn.svm import LinearSVC

    tfidf = TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True)
    on_tfidf = LogisticRegression(C=10.0, max_iter=1_000, random_state=seed)
    on_vectors = LogisticRegression(C=0.1, max_iter=2_000, random_state=seed)
    network = MLPClassifier(
        (32,), alpha=1.0, batch_size=64, learning_rate_init=1e-3, max_iter=15, random_state=seed
    )
    steps = {
        BOW_SVM: (CountVectorizer(), MaxAbsScaler(), LinearSVC(C=0.1, random_state=seed)),
        TFIDF_LR: (tfidf, on_tfidf),
        FROZEN_LR: (StandardScaler(), on_vectors),
        FROZEN_SVM: (StandardScaler(), LinearSVC(C=0.003, random_state=seed)),
        FROZEN_NN: (StandardScaler(), network),
    }
    return make_pipeline(*steps[name])


def fit_baseline(
    name: str,
    inputs: Sequence[Any] | np.ndarray,
    reviews: Reviews,
    *,
    seed: int = 42,
    settings: Mapping[str, object] | None = None,
) -> tuple["Pipeline", float, float]:
    """Train one of ``baseline_pipeline``, some of its parameters changed by ``settings``:
    P(positive) = σ(slope · score + offset).

    Logistic regression and the network need neither slope nor offset. For a support vector machine
    the sigmoid is fitted on scores of a cross-validation that keeps groups together; the pipeline
    then learns from all reviews. The slope is never negative, so that a higher score never means a
    lower probability; where scores tell nothing it is 0 and P is the share of positive reviews.
    """
    from sklearn.calibration import CalibratedClassifierCV

    pipeline = baseline_pipeline(name, seed).set_params(**settings or {})
    labels = np.array(reviews.labels)
    if name not in (BOW_SVM, FROZEN_SVM):
        return pipeline.fit(inputs, labels), 1.0, 0.0
    folds = grouped_folds(labels, review_groups(reviews), seed=seed)
    model = CalibratedClassifierCV(pipeline, method="sigmoid", cv=folds, ensemble=False)
    (both,) = model.fit(inputs, labels).calibrated_classifiers_
    slope, offset = -float(both.calibrators[0].a_), -float(both.calibrators[0].b_)
    if slope <= 0:
        positive = (labels.sum() + 1) / (len(labels) + 2)
        slope, offset = 0.0, float(np.log(positive / (1 - positive)))
    return both.estimator, slope, offset


def grouped_folds(
    labels: Sequence[int] | np.ndarray, groups: Sequence[object], count: int = 5, seed: int = 42
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Positions to learn from and to test on, for each of at most ``count`` stratified folds.

    Reviews of one group, such as the two of a minimal pair, stand on the same side. Otherwise the
    one that was learned would give the other a score that points the wrong way. Only where the
    groups are too few or too large for folds with both classes are they split.

    Args:
        labels: (n,) 0 or 1.
        groups: (n,) as ``data.splits.review_groups`` gives them.
    """
    from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

    labels = np.asarray(labels)
    codes = np.unique([str(group) for group in groups], return_inverse=True)[1]
    count = max(2, min(count, int(np.bincount(labels, minlength=2).min())))
    if codes.max() + 1 >= count:
        grouped = StratifiedGroupKFold(count, shuffle=True, random_state=seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # classes with few groups: checked below
            folds = list(grouped.split(labels, labels, codes))
        if all(len(test) and len(set(labels[learned])) == 2 for learned, test in folds):
            return folds
    return list(StratifiedKFold(count, shuffle=True, random_state=seed).split(labels, labels))
