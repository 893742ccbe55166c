"""One set of reviews in, classifiers of every age that learned from it out: each trained once, then
recalled from disk.

A *lesson* is what is trained in one go: the three heads on frozen vectors share those. Each
classifier is a file of its own
under a hash of the reviews, the settings and the backbone, so work that was broken off goes on
where it was, and a damaged
file is only trained again.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np

from bertsent.data.cache import cache_key
from bertsent.data.examples import Reviews
from bertsent.data.splits import check_trainable
from bertsent.errors import BadInput
from bertsent.models.backbone import backbone_folder, weights_hash
from bertsent.models.folders import WEIGHTS
from bertsent.probing.array_cache import StoredArrays, array_path, load_arrays, save_arrays
from bertsent.probing.baselines.pipelines import (
    BAG_OF_WORDS_PIPELINES,
    BOW_SVM,
    FROZEN_LR,
    FROZEN_NN,
    FROZEN_SVM,
    LSTM,
    TFIDF_LR,
)

if TYPE_CHECKING:
    from bertsent.probing.loaded_model import LoadedModel

Progress = Callable[[float], None]
MOST = 20_000  # reviews that are learned from; of more a sample is drawn
FORMAT = 1  # raised when a classifier is made in another way
FROZEN_BERT = "Frozen BERT"
FROZEN_HEADS = (FROZEN_LR, FROZEN_SVM, FROZEN_NN)
FAMILIES: Mapping[str, tuple[str, ...]] = {
    BOW_SVM: (BOW_SVM,),
    TFIDF_LR: (TFIDF_LR,),
    LSTM: (LSTM,),
    FROZEN_BERT: FROZEN_HEADS,
}
BASELINES = tuple(name for names in FAMILIES.values() for name in names)


class Baseline(Protocol):
    """Whatever answers: (n,) P(positive) for n texts."""

    name: str

    def p_positive(self, texts: Sequence[str]) -> np.ndarray: ...

    def parts(self) -> StoredArrays: ...


@dataclass(frozen=True)
class TrainedBaseline:
    """A classifier ready to answer, what its training took, and what it takes on disk; a frozen
    BERT's own weights are counted in.
    """

    name: str
    key: str  # equal keys mean equal answers
    contestant: Baseline
    seconds: float
    disk_bytes: int


class BaselineTrainer:
    """The classifiers that learn from ``reviews``; nothing is trained before it is asked for.

    Args:
        reviews: labelled; of more than ``MOST`` a seeded sample is used.
        cache: the folder of kept work.
        backbone: the BERT that stays frozen, as ``load_backbone`` takes it.

    Raises:
        BadInput: nothing can be learned from these reviews.
    """

    def __init__(
        self, reviews: Reviews, cache: Path, *, backbone: str = "builtin", seed: int = 42
    ) -> None:
        check_trainable(reviews)
        if len(reviews) > MOST:
            reviews = reviews.take(
                sorted(np.random.default_rng(seed).permutation(len(reviews))[:MOST].tolist())
            )
        self.reviews, self.cache, self.backbone, self.seed = reviews, cache, backbone, seed
        self._embedder: LoadedModel | None = None

    def key(self, name: str) -> str:
        """What the answers of that classifier depend on, as one hash. Raises NotAvailable without
        the backbone that it needs.
        """
        return cache_key(FORMAT, name, self.reviews.sha256, self.seed, self._settings(name))

    def path(self, name: str) -> Path:
        """Where that classifier is kept."""
        return array_path(self.cache, "classifier", self.key(name))

    def recall(self, name: str) -> TrainedBaseline | None:
        """The classifier from disk, None where it has to be trained (again)."""
        path = self.path(name)
        kept = load_arrays(path)
        if kept is None:
            return None
        try:
            contestant = self._rebuild(name, kept)
            seconds = float(kept.facts["seconds"])
        except (
            KeyError,
            ValueError,
            TypeError,
            RuntimeError,
            IndexError,
            AttributeError,
        ):  # of another version
            return None
        return TrainedBaseline(
            name, self.key(name), contestant, seconds, path.stat().st_size + self._carried(name)
        )

    def train(self, lesson: str, *, progress: Progress | None = None) -> dict[str, TrainedBaseline]:
        """Train or recall what a lesson teaches.

        Args:
            lesson: one of ``FAMILIES``.
            progress: told a fraction from 0 to 1; may raise ``Cancelled``, and then only finished
                classifiers are kept.

        Raises:
            BadInput: there is no such lesson, or it cannot be learned from these reviews.
            NotAvailable: the backbone is not here.
        """
        if lesson not in FAMILIES:
            raise BadInput(
                f"There is no lesson “{lesson[:40]}”.", f"Choose one of {', '.join(FAMILIES)}."
            )
        told = progress or (lambda fraction: None)
        told(0.0)
        found = {name: self.recall(name) for name in FAMILIES[lesson]}
        if missing := [name for name, trained in found.items() if trained is None]:
            found |= (
                self._frozen(missing, told)
                if lesson == FROZEN_BERT
                else {missing[0]: self._other(missing[0], told)}
            )
        told(1.0)
        return {name: trained for name, trained in found.items() if trained is not None}

    @property
    def embedder(self) -> "LoadedModel":
        """The untouched encoder under the frozen heads; loaded on first use, or set to one that is
        loaded already.
        """
        if self._embedder is None:
            from bertsent.models.backbone import load_backbone
            from bertsent.models.sentiment import BertForSentiment
            from bertsent.probing.loaded_model import LoadedModel

            found = load_backbone(self.backbone)
            model = BertForSentiment(found.model)
            length = min(256, found.shape.positions)
            self._embedder = LoadedModel(
                found.name,
                found.sha256,
                model,
                found.tokenizer,
                max_length=length,
                fine_tuned=False,
            )
        return self._embedder

    @embedder.setter
    def embedder(self, learner: "LoadedModel") -> None:
        self._embedder = learner

    def _other(self, name: str, told: Progress) -> TrainedBaseline:
        began = time.perf_counter()
        if name in BAG_OF_WORDS_PIPELINES:
            from bertsent.probing.baselines import bag_of_words

            return self._keep(
                bag_of_words.fit_bag_of_words(name, self.reviews, seed=self.seed), began
            )
        from bertsent.probing.baselines import lstm

        return self._keep(
            lstm.fit_lstm(
                self.reviews,
                lstm.LstmConfig(seed=self.seed),
                progress=lambda part: told(0.99 * part),
            ),
            began,
        )

    def _frozen(self, names: list[str], told: Progress) -> dict[str, TrainedBaseline]:
        from bertsent.probing.baselines import frozen_bert

        vectors, took = self._vectors(lambda part: told(0.85 * part))
        found = {}
        for number, name in enumerate(names):
            began = time.perf_counter()
            head = frozen_bert.fit_frozen_head(
                name, vectors, self.reviews, self.embedder, seed=self.seed
            )
            found[name] = self._keep(head, began - took)
            told(0.9 + 0.1 * (number + 1) / len(names))
        return found

    def _vectors(self, told: Progress) -> tuple[np.ndarray, float]:
        """(n, width) of the training reviews, and the seconds that they took when they were
        made.
        """
        from bertsent.probing.baselines.frozen_bert import POOLING

        path = array_path(
            self.cache,
            "vectors",
            cache_key(FORMAT, self.reviews.sha256, self._settings(FROZEN_HEADS[0]), POOLING),
        )
        kept = load_arrays(path)
        if kept is not None and len(kept.arrays.get("vectors", ())) == len(self.reviews):
            return kept.arrays["vectors"], float(kept.facts["seconds"])
        embedder = self.embedder
        began = time.perf_counter()
        vectors = embedder.embed(self.reviews.texts, pooling=POOLING, progress=told)
        took = time.perf_counter() - began
        save_arrays(path, StoredArrays({"vectors": vectors}, {"seconds": took}))
        return vectors, took

    def _keep(self, contestant: Baseline, began: float) -> TrainedBaseline:
        seconds, path = time.perf_counter() - began, self.path(contestant.name)
        parts = contestant.parts()
        save_arrays(path, StoredArrays(parts.arrays, parts.facts | {"seconds": seconds}))
        size = (
            path.stat().st_size
            if path.is_file()
            else sum(array.nbytes for array in parts.arrays.values())
        )
        return TrainedBaseline(
            contestant.name,
            self.key(contestant.name),
            contestant,
            seconds,
            size + self._carried(contestant.name),
        )

    def _rebuild(self, name: str, kept: StoredArrays) -> Baseline:
        if name in BAG_OF_WORDS_PIPELINES:
            from bertsent.probing.baselines.bag_of_words import BagOfWords

            return BagOfWords.of(name, kept)
        if name == LSTM:
            from bertsent.probing.baselines.lstm import LstmClassifier

            return LstmClassifier.of(kept)
        from bertsent.probing.baselines.frozen_bert import FrozenBert

        return FrozenBert.of(name, kept, self.embedder)

    def _settings(self, name: str) -> object:
        if name in FROZEN_HEADS:
            return weights_hash(backbone_folder(self.backbone) / WEIGHTS)
        if name == LSTM:
            from bertsent.probing.baselines.lstm import LstmConfig

            return asdict(LstmConfig(seed=self.seed))
        return ""

    def _carried(self, name: str) -> int:
        return (
            (backbone_folder(self.backbone) / WEIGHTS).stat().st_size if name in FROZEN_HEADS else 0
        )
