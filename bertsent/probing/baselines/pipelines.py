"""The classifiers that BERT is measured against: words counted, order forgotten (scikit-learn). And
what all of the duel are called.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sklearn.pipeline import Pipeline

BOW_SVM, TFIDF_LR = "BOW + SVM", "TF-IDF + logistic regression"
LSTM = "LSTM"
FROZEN_LR, FROZEN_SVM, FROZEN_NN = (
    "Frozen BERT + logistic regression",
    "Frozen BERT + SVM",
    "Frozen BERT + small network",
)


def bow_svm(seed: int = 42) -> "Pipeline":
    """Word counts and a linear support vector machine (Cortes and Vapnik 1995)."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import MaxAbsScaler
    from sklearn.svm import LinearSVC

    return make_pipeline(CountVectorizer(), MaxAbsScaler(), LinearSVC(C=0.1, random_state=seed))


def tfidf_logistic(seed: int = 42) -> "Pipeline":
    """Words and word pairs weighed by TF-IDF (Spärck Jones 1972), and logistic regression."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    vectorizer = TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True)
    return make_pipeline(vectorizer, LogisticRegression(C=10.0, max_iter=1_000, random_state=seed))


BAG_OF_WORDS_PIPELINES: dict[str, Callable[[], "Pipeline"]] = {
    BOW_SVM: bow_svm,
    TFIDF_LR: tfidf_logistic,
}


def fitted(name: str, texts: Sequence[str], labels: Sequence[int]) -> "Pipeline":
    """One of ``BAG_OF_WORDS_PIPELINES``, trained."""
    return BAG_OF_WORDS_PIPELINES[name]().fit(list(texts), list(labels))
