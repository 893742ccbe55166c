"""A review in, what could be read of the answer after each layer out: the final head applied early,
and a probing classifier trained for each layer.

The early head is the logit lens (nostalgebraist 2020) for a classifier: the head was trained for
the last layer only, so it may read earlier ones wrongly. A probe (Alain and Bengio 2017) is a
logistic regression fitted to what the layer itself holds; it shows what can be read there, not what
the model uses, and how well is measured on reviews that it did not learn from.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from scipy.special import expit

from bertsent.data.cache import array_path, cache_key, cached_arrays
from bertsent.data.examples import LABELS, Reviews, Splits
from bertsent.data.splits import review_groups
from bertsent.errors import BadInput
from bertsent.models.pooling import pool
from bertsent.probing.loaded_model import LoadedModel
from bertsent.progress import Progress, no_progress, part
from bertsent.statistics import Interval, accuracy_interval, majority_class_accuracy

# reviews that probes learn from and are evaluated on, drawn with a fixed seed
ROWS, HELD_OUT, SEED = 1_200, 600, 0
STRENGTH = 0.01  # C of scikit-learn: few reviews, many dimensions
FORMAT = 3
UNDECIDED_BAND = 0.05  # a reading so near to 0.5 says neither


@dataclass(frozen=True)
class LogitLens:
    """P(positive) after the embeddings and after each layer, (L + 1,), read by the model's own
    head.
    """

    early: np.ndarray
    vectors: np.ndarray  # (L + 1, H): what the head, or a probe, reads


@dataclass(frozen=True)
class LayerProbes:
    """One logistic regression a layer: weights (L + 1, H), biases (L + 1,).

    ``correct`` and ``head_correct``, (L + 1, n), say on which of the n held-out reviews the probes,
    and the model's own head applied early, were right; reviews of one number in ``groups`` (n,) are
    of one minimal pair.
    """

    weights: np.ndarray
    biases: np.ndarray
    correct: np.ndarray
    head_correct: np.ndarray
    groups: np.ndarray
    learned: int
    majority: float  # accuracy of always answering the more frequent label

    def read(self, vectors: np.ndarray) -> np.ndarray:
        """P(positive) of vectors (..., L + 1, H): (..., L + 1)."""
        return expit(np.einsum("...lh,lh->...l", vectors, self.weights) + self.biases)

    @property
    def held_out(self) -> int:
        return len(self.groups)

    def intervals(self, correct: np.ndarray) -> list[Interval]:
        """The 95 % interval of the accuracy at each layer, clustered by minimal pair."""
        return [accuracy_interval(layer, self.groups) for layer in correct]

    def sentence(self) -> str:
        """How often the probes are right before, halfway through and after the layers."""
        shares, model = 100 * self.correct.mean(axis=1), 100 * self.head_correct[-1].mean()
        middle = len(shares) // 2
        return (
            f"On {self.held_out:,} held-out reviews the probe is right for {shares[0]:.1f} % "
            f"before the first layer, {shares[middle]:.1f} % after layer {middle}, and "
            f"{shares[-1]:.1f} % after the last; the model itself for {model:.1f} %. Always "
            f"answering the more frequent label would be right for {100 * self.majority:.1f} %."
        )


def logit_lens(model: LoadedModel, text: str) -> LogitLens:
    """Read the answer to one review after every layer. The last reading is the model's own answer.

    Raises:
        NotAvailable: this model has no trained head.
    """
    model.require_head()
    vectors = layer_vectors(model, [text])
    return LogitLens(_read_early(model, vectors)[0], vectors[0])


def layer_vectors(
    model: LoadedModel, texts: Sequence[str], *, progress: Progress = no_progress
) -> np.ndarray:
    """The pooled vector of each text after the embeddings and after each layer, in one pass: (n, L
    + 1, H) float32.
    """
    rows = model.tokenizer.ids(texts, model.max_length)
    found = np.empty((len(rows), model.layers + 1, model.width), np.float32)
    with torch.inference_mode():
        for positions, ids, mask in model.batches(rows, progress):
            states = model.model.bert(
                input_ids=ids, attention_mask=mask, output_hidden_states=True
            ).hidden_states
            pooled = torch.stack([pool(hidden, mask, model.pooling) for hidden in states], dim=1)
            found[positions] = pooled.float().cpu().numpy()
    return found


def train_probes(
    model: LoadedModel, train: Reviews, held_out: Reviews, *, progress: Progress = no_progress
) -> LayerProbes:
    """Fit a probe for each layer on up to 1,200 reviews of ``train`` and evaluate it on up to 600
    others.

    Raises:
        BadInput: too few reviews, or none of one class.
    """
    learned, others = _sample(train, ROWS), _sample(held_out, HELD_OUT)
    BadInput.raise_if(
        set(learned.labels) != {0, 1} or not len(others),
        "Probes need reviews of both classes to learn from and others to be evaluated on.",
        "Choose other reviews.",
    )
    cut = 0.9 * len(learned) / (len(learned) + len(others))
    vectors = layer_vectors(model, learned.texts, progress=part(progress, 0.0, cut))
    unseen = layer_vectors(model, others.texts, progress=part(progress, cut, 0.9))
    truth, fits = np.array(others.labels)[:, None], []
    for layer in range(model.layers + 1):
        fits.append(_fit(vectors[:, layer], np.array(learned.labels)))
        progress(0.9 + 0.1 * (layer + 1) / (model.layers + 1))
    weights, biases = (np.array(values) for values in zip(*fits, strict=True))
    log_odds = np.einsum("nlh,lh->nl", unseen, weights) + biases
    return LayerProbes(
        weights=weights,
        biases=biases,
        correct=((log_odds > 0) == truth).T,
        head_correct=((_read_early(model, unseen) > 0.5) == truth).T,
        groups=np.unique(review_groups(others), return_inverse=True)[1],
        learned=len(learned),
        majority=majority_class_accuracy(others.labels),
    )


def cached_probes(
    model: LoadedModel, splits: Splits, *, cache: Path, progress: Progress = no_progress
) -> LayerProbes:
    """``train_probes``, or what it gave for the same weights and reviews before; a damaged file is
    made again.
    """
    kept = cached_arrays(
        probes_path(model, splits, cache),
        lambda: asdict(train_probes(model, splits.train, splits.validation, progress=progress)),
    )
    return LayerProbes(**kept)


def probes_path(model: LoadedModel, splits: Splits, cache: Path) -> Path:
    """Where the probes of a model for these reviews are kept; named by all that they depend on."""
    parts = (model.key, model.max_length, model.pooling, splits.train.sha256)
    key = cache_key("probes", FORMAT, *parts, splits.validation.sha256, ROWS, HELD_OUT, SEED)
    return array_path(cache, "probes", key)


def turning_layer(shares: np.ndarray) -> int:
    """The layer (0: the embeddings) from which on every reading is what the last one is: positive,
    negative, or undecided within 5 points of 50 %.
    """
    states = _states(shares)
    return int(np.flatnonzero(states != states[-1]).max(initial=-1)) + 1


def turning_sentence(reader: str, shares: np.ndarray) -> str:
    """From which layer on a reader gives its last answer, and where it is undecided before."""
    layer, last, states = turning_layer(shares), len(shares) - 1, _states(shares)
    end = LABELS[int(shares[-1] > 0.5)] if states[-1] else "undecided, within 5 points of 50 %,"
    when = {0: "from the start", last: "only after the last layer"}.get(
        layer, f"from layer {layer} on"
    )
    unsure = ", ".join(str(place) for place in np.flatnonzero(states[:layer] == 0))
    return f"{reader}: {end} {when}{unsure and f'; undecided after layer {unsure}'}."


def answer_turns_sentence(lens: LogitLens, probed: np.ndarray | None) -> str:
    """The answer, and from which layer on the head and the probes read it."""
    answer = lens.early[-1]
    head = turning_sentence("The model’s own head", lens.early)
    probes = "" if probed is None else f" {turning_sentence('The probes', probed)}"
    return (
        f"The answer is {LABELS[int(answer > 0.5)]}, P(positive) {100 * answer:.1f} %. "
        f"{head}{probes}"
    )


def _states(shares: np.ndarray) -> np.ndarray:
    """-1 negative, 0 undecided, 1 positive."""
    margin = np.asarray(shares, float) - 0.5
    return np.where(np.abs(margin) < UNDECIDED_BAND, 0, np.sign(margin)).astype(int)


def _read_early(model: LoadedModel, vectors: np.ndarray) -> np.ndarray:
    """P(positive) of pooled vectors (n, L + 1, H), read by the model's own head: (n, L + 1)."""
    with torch.inference_mode():
        # a pooled vector is a text of one token
        rows = torch.as_tensor(vectors, device=model.device).flatten(0, 1)[:, None]
        mask = torch.ones(rows.shape[:2], dtype=torch.long, device=model.device)
        shares = model.model.classify(rows, mask).double().softmax(-1)[:, 1]
        return shares.unflatten(0, vectors.shape[:2]).cpu().numpy()


def _fit(vectors: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, float]:
    """A logistic regression on standardised vectors, its weights scaled back to the vectors
    themselves.
    """
    from sklearn.linear_model import LogisticRegression

    mean, scale = vectors.mean(0, dtype=np.float64), vectors.std(0, dtype=np.float64)
    scale = np.where(scale > 1e-6, scale, np.inf)  # what is the same in every review tells nothing
    found = LogisticRegression(C=STRENGTH, max_iter=500).fit((vectors - mean) / scale, labels)
    weights = found.coef_[0] / scale
    return weights, float(found.intercept_[0] - weights @ mean)


def _sample(reviews: Reviews, most: int) -> Reviews:
    labelled = reviews.where([label is not None for label in reviews.labels])
    chosen = np.random.default_rng(SEED).permutation(len(labelled))[:most]
    return labelled.take(sorted(chosen.tolist()))
