"""A review in, what could be read out of it after each layer: the final head applied early, and a
probe trained for each layer.

The early head is the logit lens (nostalgebraist 2020) for a classifier: the head was trained for
the last layer only, so it may
read earlier ones wrongly. A probe (Alain and Bengio 2017) is a logistic regression fitted to what
the layer itself holds; it shows
what can be read there, not what the model uses, and how well is measured on reviews that it did not
learn from.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bertsent.data.cache import cache_key
from bertsent.data.examples import LABELS, Reviews
from bertsent.errors import BadInput
from bertsent.probing.array_cache import StoredArrays, array_path, load_arrays, save_arrays
from bertsent.probing.attribution.units import Progress, require_sentiment, subprogress

if TYPE_CHECKING:
    from bertsent.probing.loaded_model import LoadedModel

ROWS, HELD_OUT = (
    1_200,
    600,
)  # reviews that probes learn from and are judged on, drawn with a fixed seed
SEED = 0
STRENGTH = 0.01  # C of scikit-learn: few reviews, many dimensions
FORMAT = 2


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

    Of ``judged`` held-out reviews the probes were ``right`` for so many, and the model's own head,
    applied early, for ``head_right``.
    """

    weights: np.ndarray
    biases: np.ndarray
    right: np.ndarray  # (L + 1,)
    head_right: np.ndarray  # (L + 1,)
    learned: int
    judged: int

    def read(self, vectors: np.ndarray) -> np.ndarray:
        """P(positive) of vectors (..., L + 1, H): (..., L + 1)."""
        return 1 / (
            1
            + np.exp(
                -np.clip(np.einsum("...lh,lh->...l", vectors, self.weights) + self.biases, -60, 60)
            )
        )

    @property
    def accuracy(self) -> np.ndarray:
        return self.right / self.judged

    @property
    def head_accuracy(self) -> np.ndarray:
        return self.head_right / self.judged


def logit_lens(learner: "LoadedModel", text: str) -> LogitLens:
    """Read the answer to one review after every layer. The last reading is the model's own answer.

    Raises:
        NotAvailable: this model has no trained head.
    """
    import torch

    require_sentiment(learner)
    ids = torch.tensor([learner.tokens(text).ids], device=learner.device)
    mask = torch.ones_like(ids)
    with torch.inference_mode():
        states = learner.model.bert(
            input_ids=ids, attention_mask=mask, output_hidden_states=True
        ).hidden_states
        early = [
            float(learner.model.classify(hidden, mask).double().softmax(-1)[0, 1])
            for hidden in states
        ]
    return LogitLens(np.array(early), layer_vectors(learner, [text])[0])


def layer_vectors(
    learner: "LoadedModel", texts: Sequence[str], *, progress: Progress | None = None
) -> np.ndarray:
    """The pooled vector of each text after the embeddings and after each layer, in one pass: (n, L
    + 1, H) float32.
    """
    import torch

    from bertsent.models.pooling import pool
    from bertsent.text.batches import answering_batches

    rows = learner.tokenizer.ids(texts, learner.max_length)
    found = np.empty((len(rows), learner.layers + 1, learner.width), np.float32)
    done = 0
    with torch.inference_mode():
        for batch in answering_batches(
            rows,
            pad_id=learner.tokenizer.pad_id,
            limit=learner.max_length,
            device=learner.device.type,
        ):
            ids, mask = batch.input_ids.to(learner.device), batch.attention_mask.to(learner.device)
            states = learner.model.bert(
                input_ids=ids, attention_mask=mask, output_hidden_states=True
            ).hidden_states
            pooled = torch.stack([pool(hidden, mask, learner.pooling) for hidden in states], dim=1)
            found[list(batch.positions)] = pooled.float().cpu().numpy()
            done += len(batch.positions)
            if progress:
                progress(done / len(rows))
    return found


def train_probes(
    learner: "LoadedModel", train: Reviews, held_out: Reviews, *, progress: Progress | None = None
) -> LayerProbes:
    """Fit a probe a layer on up to 1,200 reviews of ``train`` and judge it on up to 600 others.

    Raises:
        BadInput: too few reviews, or none of one class.
    """
    learned, judged = _drawn(train, ROWS), _drawn(held_out, HELD_OUT)
    if set(learned.labels) != {0, 1} or not len(judged):
        raise BadInput(
            "Probes need reviews of both classes to learn from and others to be judged on.",
            "Choose other reviews.",
        )
    cut = 0.9 * len(learned) / (len(learned) + len(judged))
    vectors = layer_vectors(learner, learned.texts, progress=subprogress(progress, 0.0, cut))
    others = layer_vectors(learner, judged.texts, progress=subprogress(progress, cut, 0.9))
    truth, fits = np.array(judged.labels)[:, None], []
    for layer in range(learner.layers + 1):
        fits.append(_fit(vectors[:, layer], np.array(learned.labels)))
        if progress:
            progress(0.9 + 0.1 * (layer + 1) / (learner.layers + 1))
    weights, biases = np.array([w for w, _ in fits]), np.array([b for _, b in fits])
    head_right = ((_early(learner, others) > 0.5) == truth).sum(0)
    probes = LayerProbes(weights, biases, head_right, head_right, len(learned), len(judged))
    return replace(probes, right=((probes.read(others) > 0.5) == truth).sum(0))


def cached_probes(
    learner: "LoadedModel",
    train: Reviews,
    held_out: Reviews,
    *,
    cache: Path,
    progress: Progress | None = None,
) -> LayerProbes:
    """``train_probes``, or what it gave for the same weights and reviews before; a damaged file is
    made again.
    """
    path = array_path(cache, "probes", probes_key(learner, train, held_out))
    kept = load_arrays(path)
    if kept is not None and kept.arrays["weights"].shape == (learner.layers + 1, learner.width):
        return LayerProbes(**kept.arrays, **kept.facts)
    found = train_probes(learner, train, held_out, progress=progress)
    arrays = {
        "weights": found.weights,
        "biases": found.biases,
        "right": found.right,
        "head_right": found.head_right,
    }
    save_arrays(path, StoredArrays(arrays, {"learned": found.learned, "judged": found.judged}))
    return found


def probes_key(learner: "LoadedModel", train: Reviews, held_out: Reviews) -> str:
    """What probes depend on, as one hash."""
    parts = (learner.key, learner.max_length, learner.pooling, train.sha256, held_out.sha256)
    return cache_key("probes", FORMAT, *parts, ROWS, HELD_OUT, SEED)


def turn_of(shares: np.ndarray) -> int | None:
    """The layer (0: the embeddings) from which on the answer stays what it is at the end; None
    where it was so from the start.
    """
    sides = np.asarray(shares) > 0.5
    other = np.flatnonzero(sides != sides[-1])
    return int(other[-1]) + 1 if len(other) else None


def side(share: float) -> str:
    """The label of a probability."""
    return LABELS[int(share > 0.5)]


def _early(learner: "LoadedModel", vectors: np.ndarray) -> np.ndarray:
    """P(positive) of pooled vectors (n, L + 1, H), read by the model's own head: (n, L + 1)."""
    import torch

    with torch.inference_mode():
        rows = torch.as_tensor(vectors, device=learner.device).flatten(0, 1)[
            :, None
        ]  # a pooled vector is a text of one token
        logits = learner.model.classify(
            rows, torch.ones(rows.shape[:2], dtype=torch.long, device=learner.device)
        )
        return logits.double().softmax(-1)[:, 1].unflatten(0, vectors.shape[:2]).cpu().numpy()


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


def _drawn(reviews: Reviews, most: int) -> Reviews:
    """At most so many labelled reviews, at random with a fixed seed."""
    labelled = reviews.where([label is not None for label in reviews.labels])
    if len(labelled) <= most:
        return labelled
    return labelled.take(
        sorted(np.random.default_rng(SEED).permutation(len(labelled))[:most].tolist())
    )
