"""Two labelled sentences → vectors of the model in use → three classifiers, and what they make of
sentences they have not seen (Extract BERT embeddings, use case).
"""

from typing import TYPE_CHECKING

import numpy as np

from bertsent.blas_threads import one_thread
from bertsent.data.examples import LABELS
from bertsent.errors import BadInput
from bertsent.models.pooling import POOLINGS
from bertsent.worked_examples.typed_values import labelled_texts, one_of
from bertsent.worked_examples.worked_example import Input, Values, WorkedExample

if TYPE_CHECKING:
    from bertsent.probing.loaded_model import LoadedModel

CLASSIFIERS = ("Logistic regression", "SVM", "Small network")
MOST = 12
HIDDEN, SEED = 8, 0
Labelled = tuple[tuple[str, int], ...]


def mini_data_set(model: "LoadedModel", known: Labelled, new: Labelled, pooling: str) -> Values:
    """Train logistic regression, a linear SVM and a network of eight hidden units on the vectors of
    the ``known`` sentences and ask them about all.

    Gives ``scores`` (n, 3), known sentences first: above 0 is POSITIVE; ``right`` (n, 3);
    ``nearest`` (n,): the label of the nearest known sentence.

    Raises:
        BadInput: all known sentences have one label, or two of them the same vector.
    """
    truth = np.array([label for _, label in known])
    BadInput.raise_if(
        len(set(truth.tolist())) < 2, "All sentences have one label.", "Give at least one of each."
    )
    texts = [text for text, _ in (*known, *new)]
    how = next(each for each in POOLINGS if each == pooling)
    vectors = model.embed(texts, pooling=how).astype(float)
    seen = vectors[: len(known)]
    with one_thread():
        scores = np.stack([_score(fitted, vectors) for fitted in _fit(seen, truth)], axis=1)
    labels = np.array([label for _, label in (*known, *new)])
    distances = np.linalg.norm(vectors[:, None] - seen[None], axis=-1)
    return {
        "texts": tuple(texts),
        "labels": labels,
        "scores": scores,
        "right": (scores > 0) == labels[:, None],
        "nearest": truth[distances.argmin(axis=1)],
    }


def _fit(vectors: np.ndarray, truth: np.ndarray) -> list[object]:
    """The three classifiers, trained; scikit-learn's with its defaults unless said here."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.neural_network import MLPClassifier
    from sklearn.svm import SVC

    # the one solver of the network that suits few sentences
    network = MLPClassifier((HIDDEN,), solver="lbfgs", max_iter=500, random_state=SEED)
    models = (LogisticRegression(max_iter=1_000), SVC(kernel="linear"), network)
    return [each.fit(vectors, truth) for each in models]


def _score(fitted: object, vectors: np.ndarray) -> np.ndarray:
    """(n,): log-odds, or for the SVM the distance from its boundary in margins."""
    if decide := getattr(fitted, "decision_function", None):
        return np.asarray(decide(vectors))
    p = np.clip(fitted.predict_proba(vectors)[:, 1], 1e-12, 1 - 1e-12)  # type: ignore[attr-defined]
    return np.asarray(np.log(p / (1 - p)))


def answer_words(score: float, classifier: str) -> str:
    """A score as a person reads it: the label, and how sure."""
    label = LABELS[int(score > 0)]
    if classifier == "SVM":
        return f"{label}, {abs(score):.2f} margins"
    return f"{label} {100 / (1 + np.exp(-abs(score))):.1f} %"


def _finding(found: Values) -> str:
    known, new = len(found["known"]), len(found["new"])
    right = found["right"][known:].sum(axis=0).tolist()
    counted = ", ".join(f"{name} {n}" for name, n in zip(CLASSIFIERS, right, strict=True))
    same = found["scores"][known:, :2] > 0
    nearest = int((same[:, 0] == (found["nearest"][known:] == 1)).sum())
    learned = (
        "Two sentences fix one direction: logistic regression and the SVM can only ask which of "
        f"the two is nearer ({nearest} of {new} answers are just that), and whatever else tells "
        "them apart, such as Paris and traffic, counts as sentiment."
        if known == 2
        else f"{nearest} of {new} answers of logistic regression are those of the nearest known "
        "sentence."
    )
    return f"Of {new} new sentences right: {counted}. {learned}"


MINI_DATA_SET = WorkedExample(
    key="mini_data_set",
    rows=("003-08", "003-09"),
    title="Two sentences and a classifier on top",
    source="Extract BERT embeddings, use case",
    says=(
        "“I love Paris” is positive, “I hate traffic” negative; their vectors train logistic "
        "regression, an SVM or a small network. The new sentences are ours: they cross what the "
        "two have in common."
    ),
    inputs=(
        Input(
            "known",
            "Sentences to learn from",
            "I love Paris, 1\nI hate traffic, 0",
            labelled_texts(2, MOST),
            columns=("sentence", "label, 1 or 0"),
        ),
        Input(
            "new",
            "New sentences",
            "I hate Paris, 0\nI love traffic, 1\nA wonderful film, 1\nA boring film, 0",
            labelled_texts(1, MOST),
            columns=("sentence", "label, 1 or 0"),
        ),
        Input("pooling", "Vector of a sentence", "mean", one_of(POOLINGS), choices=POOLINGS),
    ),
    work=mini_data_set,
    finding=_finding,
    of_model=True,
)
