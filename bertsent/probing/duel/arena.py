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
from bertsent.probing.duel.baselines import (
    BASELINES,
    BOW_SVM,
    FROZEN_LR,
    FROZEN_NN,
    FROZEN_SVM,
    LSTM,
    TFIDF_LR,
)
from bertsent.probing.duel.cache import Parts, file_of, recall, store

if TYPE_CHECKING:
    from bertsent.probing.loaded_model import LoadedModel

Progress = Callable[[float], None]
MOST = 20_000  # reviews that are learned from; of more a sample is drawn
FORMAT = 1  # raised when a classifier is made in another way
FROZEN_BERT = "Frozen BERT"
FROZEN = (FROZEN_LR, FROZEN_SVM, FROZEN_NN)
LESSONS: Mapping[str, tuple[str, ...]] = {
    BOW_SVM: (BOW_SVM,),
    TFIDF_LR: (TFIDF_LR,),
    LSTM: (LSTM,),
    FROZEN_BERT: FROZEN,
}
OTHERS = tuple(name for names in LESSONS.values() for name in names)


class Contestant(Protocol):
    """Whatever answers: (n,) P(positive) for n texts."""

    name: str

    def p_positive(self, texts: Sequence[str]) -> np.ndarray: ...

    def parts(self) -> Parts: ...


@dataclass(frozen=True)
class Trained:
    """A classifier ready to answer, what its training took, and what it takes on disk; a frozen
    BERT's own weights are counted in.
    """

    name: str
    key: str  # equal keys mean equal answers
    contestant: Contestant
    seconds: float
    disk_bytes: int


class Arena:
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
        return file_of(self.cache, "classifier", self.key(name))

    def recall(self, name: str) -> Trained | None:
        """The classifier from disk, None where it has to be trained (again)."""
        path = self.path(name)
        kept = recall(path)
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
        return Trained(
            name, self.key(name), contestant, seconds, path.stat().st_size + self._carried(name)
        )

    def train(self, lesson: str, *, progress: Progress | None = None) -> dict[str, Trained]:
        """Train or recall what a lesson teaches.

        Args:
            lesson: one of ``LESSONS``.
            progress: told a fraction from 0 to 1; may raise ``Cancelled``, and then only finished
                classifiers are kept.

        Raises:
            BadInput: there is no such lesson, or it cannot be learned from these reviews.
            NotAvailable: the backbone is not here.
        """
        if lesson not in LESSONS:
            raise BadInput(
                f"There is no lesson “{lesson[:40]}”.", f"Choose one of {', '.join(LESSONS)}."
            )
        told = progress or (lambda fraction: None)
        told(0.0)
        found = {name: self.recall(name) for name in LESSONS[lesson]}
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
                found.name, found.sha256, model, found.encoder, max_length=length, fine_tuned=False
            )
        return self._embedder

    @embedder.setter
    def embedder(self, learner: "LoadedModel") -> None:
        self._embedder = learner

    def _other(self, name: str, told: Progress) -> Trained:
        began = time.perf_counter()
        if name in BASELINES:
            from bertsent.probing.duel import linear

            return self._keep(linear.learn(name, self.reviews, seed=self.seed), began)
        from bertsent.probing.duel import lstm

        return self._keep(
            lstm.learn(
                self.reviews,
                lstm.LstmConfig(seed=self.seed),
                progress=lambda part: told(0.99 * part),
            ),
            began,
        )

    def _frozen(self, names: list[str], told: Progress) -> dict[str, Trained]:
        from bertsent.probing.duel import frozen

        vectors, took = self._vectors(lambda part: told(0.85 * part))
        found = {}
        for number, name in enumerate(names):
            began = time.perf_counter()
            head = frozen.learn(name, vectors, self.reviews, self.embedder, seed=self.seed)
            found[name] = self._keep(head, began - took)
            told(0.9 + 0.1 * (number + 1) / len(names))
        return found

    def _vectors(self, told: Progress) -> tuple[np.ndarray, float]:
        """(n, width) of the training reviews, and the seconds that they took when they were
        made.
        """
        from bertsent.probing.duel.frozen import POOLING

        path = file_of(
            self.cache,
            "vectors",
            cache_key(FORMAT, self.reviews.sha256, self._settings(FROZEN[0]), POOLING),
        )
        kept = recall(path)
        if kept is not None and len(kept.arrays.get("vectors", ())) == len(self.reviews):
            return kept.arrays["vectors"], float(kept.facts["seconds"])
        embedder = self.embedder
        began = time.perf_counter()
        vectors = embedder.embed(self.reviews.texts, pooling=POOLING, progress=told)
        took = time.perf_counter() - began
        store(path, Parts({"vectors": vectors}, {"seconds": took}))
        return vectors, took

    def _keep(self, contestant: Contestant, began: float) -> Trained:
        seconds, path = time.perf_counter() - began, self.path(contestant.name)
        parts = contestant.parts()
        store(path, Parts(parts.arrays, parts.facts | {"seconds": seconds}))
        size = (
            path.stat().st_size
            if path.is_file()
            else sum(array.nbytes for array in parts.arrays.values())
        )
        return Trained(
            contestant.name,
            self.key(contestant.name),
            contestant,
            seconds,
            size + self._carried(contestant.name),
        )

    def _rebuild(self, name: str, kept: Parts) -> Contestant:
        if name in BASELINES:
            from bertsent.probing.duel.linear import Linear

            return Linear.of(name, kept)
        if name == LSTM:
            from bertsent.probing.duel.lstm import Lstm

            return Lstm.of(kept)
        from bertsent.probing.duel.frozen import Frozen

        return Frozen.of(name, kept, self.embedder)

    def _settings(self, name: str) -> object:
        if name in FROZEN:
            return weights_hash(backbone_folder(self.backbone) / WEIGHTS)
        if name == LSTM:
            from bertsent.probing.duel.lstm import LstmConfig

            return asdict(LstmConfig(seed=self.seed))
        return ""

    def _carried(self, name: str) -> int:
        return (backbone_folder(self.backbone) / WEIGHTS).stat().st_size if name in FROZEN else 0
