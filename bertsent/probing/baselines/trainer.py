"""One set of reviews in, simple classifiers that learned from it out: each trained once, then
loaded from disk.

A *family* is what is trained in one go: the three classifiers on frozen vectors share those. Each
classifier is a file of its own under a hash of the reviews, the settings and the encoder, so
training that was cancelled goes on where it was, and a damaged file is only trained again.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from bertsent.data.cache import array_path, cache_key, cached_arrays, load_arrays, save_arrays
from bertsent.data.examples import Reviews
from bertsent.data.trainable import check_trainable
from bertsent.errors import BadInput
from bertsent.models.backbone import backbone_folder, load_backbone, weights_hash
from bertsent.models.folders import WEIGHTS
from bertsent.models.task_model import BertForTask
from bertsent.probing.baselines.answers import Classifier
from bertsent.probing.baselines.bag_of_words import BagOfWords, fit_bag_of_words
from bertsent.probing.baselines.frozen_bert import POOLING, FrozenBert, fit_frozen_head
from bertsent.probing.baselines.lstm import LstmClassifier, LstmConfig, fit_lstm
from bertsent.probing.baselines.pipelines import (
    BAGS_OF_WORDS,
    BOW_SVM,
    FROZEN_HEADS,
    LSTM,
    TFIDF_LR,
)
from bertsent.probing.loaded_model import LoadedModel
from bertsent.progress import Progress, no_progress, part

Baseline = BagOfWords | LstmClassifier | FrozenBert
MOST = 20_000  # reviews that are learned from; of more a sample is drawn
FORMAT = 3  # raised when a classifier is made in another way
EMBEDDED_TOKENS = 256  # of a review that the frozen BERT reads, at most
FROZEN_BERT = "Frozen BERT"

FAMILIES: Mapping[str, tuple[str, ...]] = {
    BOW_SVM: (BOW_SVM,),
    TFIDF_LR: (TFIDF_LR,),
    LSTM: (LSTM,),
    FROZEN_BERT: FROZEN_HEADS,
}
BASELINES = tuple(name for names in FAMILIES.values() for name in names)


class BaselineTrainer:
    """The classifiers that learn from ``reviews``; nothing is trained before it is asked for.

    Args:
        reviews: labelled; of more than ``MOST`` a seeded sample is used.
        cache: the folder of kept classifiers.
        backbone: the BERT that stays frozen, as ``load_backbone`` takes it.

    Raises:
        BadInput: nothing can be learned from these reviews.
    """

    def __init__(
        self, reviews: Reviews, cache: Path, *, backbone: str = "builtin", seed: int = 42
    ) -> None:
        check_trainable(reviews)
        if len(reviews) > MOST:
            chosen = np.random.default_rng(seed).permutation(len(reviews))[:MOST]
            reviews = reviews.take(sorted(chosen.tolist()))
        self.reviews, self.cache, self.backbone, self.seed = reviews, cache, backbone, seed
        self._loaded: dict[str, Classifier] = {}

    def key(self, name: str) -> str:
        """What the answers of that classifier depend on, as one hash.

        Raises:
            NotAvailable: the backbone that it needs is not here.
        """
        return cache_key(FORMAT, name, self.reviews.sha256, self.seed, self._settings(name))

    def path(self, name: str) -> Path:
        """Where that classifier is kept."""
        return array_path(self.cache, "classifier", self.key(name))

    def load(self, name: str) -> Classifier | None:
        """The classifier from memory or disk, None where it has to be trained (again)."""
        kept = None if name in self._loaded else load_arrays(self.path(name))
        if kept is not None:
            try:
                seconds = kept.pop("seconds")
                baseline = rebuild_baseline(name, kept, lambda: self.embedder)
                self._classifier(baseline, seconds, self.path(name).stat().st_size)
            except (KeyError, ValueError, TypeError, RuntimeError, AttributeError, OSError):
                return None  # of another version
        return self._loaded.get(name)

    def train(self, family: str, *, progress: Progress = no_progress) -> dict[str, Classifier]:
        """Train or load the classifiers of a family.

        Args:
            family: one of ``FAMILIES``.
            progress: called with a fraction from 0 to 1; may raise ``Cancelled``, and then only
                finished classifiers are kept.

        Raises:
            BadInput: there is no such family, or it cannot be learned from these reviews.
            NotAvailable: the backbone is not here.
        """
        BadInput.raise_if(
            family not in FAMILIES,
            f"There is no baseline “{family[:40]}”.",
            f"Choose one of {', '.join(FAMILIES)}.",
        )
        progress(0.0)
        found = {name: self.load(name) for name in FAMILIES[family]}
        missing = [name for name, classifier in found.items() if classifier is None]
        if missing and family == FROZEN_BERT:
            self._train_frozen(missing, progress)
        elif missing:
            self._train_one(family, progress)
        progress(1.0)
        return {name: self._loaded[name] for name in found}

    @property
    def embedder(self) -> LoadedModel:
        """The untouched encoder under the frozen classifiers, shared by all trainers."""
        return frozen_encoder(self.backbone)

    def _train_one(self, name: str, progress: Progress) -> None:
        began = time.perf_counter()
        if name in BAGS_OF_WORDS:
            self._keep(fit_bag_of_words(name, self.reviews, seed=self.seed), began)
        else:
            config = LstmConfig(seed=self.seed)
            self._keep(fit_lstm(self.reviews, config, progress=part(progress, 0, 0.99)), began)

    def _train_frozen(self, names: list[str], progress: Progress) -> None:
        vectors, took = self._vectors(part(progress, 0, 0.85))
        for number, name in enumerate(names, start=1):
            began = time.perf_counter()
            head = fit_frozen_head(name, vectors, self.reviews, self.embedder, seed=self.seed)
            self._keep(head, began - took)
            progress(0.9 + 0.1 * number / len(names))

    def _vectors(self, progress: Progress) -> tuple[np.ndarray, float]:
        """(n, width) of the training reviews, and the seconds that they took when they were
        made.
        """

        def embed() -> dict[str, Any]:
            embedder, began = self.embedder, time.perf_counter()
            vectors = embedder.embed(self.reviews.texts, pooling=POOLING, progress=progress)
            return {"vectors": vectors, "seconds": time.perf_counter() - began}

        key = cache_key(FORMAT, self.reviews.sha256, self._settings(FROZEN_HEADS[0]), POOLING)
        kept = cached_arrays(array_path(self.cache, "vectors", key), embed)
        return kept["vectors"], kept["seconds"]

    def _keep(self, baseline: Baseline, began: float) -> None:
        seconds = time.perf_counter() - began
        size = save_arrays(self.path(baseline.name), {"seconds": seconds} | baseline.to_arrays())
        self._classifier(baseline, seconds, size)

    def _classifier(self, baseline: Baseline, seconds: float, size: int) -> None:
        name = baseline.name
        if name in FROZEN_HEADS:
            size += (backbone_folder(self.backbone) / WEIGHTS).stat().st_size
        self._loaded[name] = Classifier(
            name, self.key(name), baseline.p_positive, seconds, size, baseline
        )

    def _settings(self, name: str) -> object:
        if name in FROZEN_HEADS:
            return [weights_hash(backbone_folder(self.backbone) / WEIGHTS), EMBEDDED_TOKENS]
        return asdict(LstmConfig(seed=self.seed)) if name == LSTM else ""


def rebuild_baseline(
    name: str, kept: Mapping[str, Any], embedder: Callable[[], LoadedModel]
) -> Baseline:
    """A baseline from what its ``to_arrays`` gave; ``embedder`` is asked where it needs one."""
    if name in FROZEN_HEADS:
        return FrozenBert.from_arrays(name, kept, embedder())
    return BagOfWords(**kept) if name in BAGS_OF_WORDS else LstmClassifier.from_arrays(kept)


def frozen_encoder(backbone: str = "builtin") -> LoadedModel:
    """An untouched encoder for vectors of reviews, loaded once for everybody."""
    return _embedder(backbone, weights_hash(backbone_folder(backbone) / WEIGHTS))


@lru_cache(maxsize=2)
def _embedder(backbone: str, sha256: str) -> LoadedModel:  # noqa: ARG001 - part of the key
    found = load_backbone(backbone)
    return LoadedModel(
        found.name,
        found.sha256,
        BertForTask(found.model),
        found.tokenizer,
        max_length=min(EMBEDDED_TOKENS, found.shape.positions),
        fine_tuned=False,
    )
