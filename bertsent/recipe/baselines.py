"""Ordinary and hard reviews in; the baselines that ship, their scores and their card out.

Each is trained at full size and as small as it ships (fewer words, smaller layers, half precision),
so that the card can say what that cost.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from bertsent.data.cache import array_path, cache_key, cached_arrays
from bertsent.data.examples import Reviews
from bertsent.data.sources import load_reviews
from bertsent.models.backbone import backbone_folder, weights_hash
from bertsent.models.folders import WEIGHTS
from bertsent.probing.baselines.bag_of_words import (
    BagOfWords,
    fit_bag_of_words,
    prune_bag_of_words,
)
from bertsent.probing.baselines.frozen_bert import POOLING, FrozenBert, fit_frozen_head
from bertsent.probing.baselines.lstm import LstmClassifier, LstmConfig, fit_lstm
from bertsent.probing.baselines.pipelines import (
    BOW_SVM,
    FROZEN_HEADS,
    FROZEN_LR,
    LSTM,
    baseline_pipeline,
)
from bertsent.probing.baselines.shipped import (
    FULL_SIZE,
    HARD,
    ORDINARY,
    SCORE_COLUMNS,
    SCORES,
    SHIPPED_SIZE,
    read_baselines,
    write_baselines,
)
from bertsent.probing.baselines.trainer import (
    BASELINES,
    EMBEDDED_TOKENS,
    Baseline,
    frozen_encoder,
    rebuild_baseline,
)
from bertsent.probing.shipped_scores import BUILTIN_TEST, BUILTIN_VALIDATION
from bertsent.probing.slices import accuracy_by_slice
from bertsent.recipe.baselines_card import baselines_card
from bertsent.recipe.datasets import CONTRAST, HELD_OUT, RecipeData

_PORTION = 500  # reviews whose vectors are kept together


class TrainedBaseline(NamedTuple):
    """A trained baseline and the seconds that it took."""

    baseline: Baseline
    seconds: float


@dataclass(frozen=True)
class BaselineSizes:
    """How one set of reviews is learned from, and what of it ships.

    ``svm_c`` and ``frozen_c`` are the C of the support vector machine on words and of logistic
    regression on vectors; ``words`` and ``pairs`` are the features that
    ship of it and of TF-IDF; the frozen BERT reads every ``every``-th review.
    """

    svm_c: float
    frozen_c: float
    words: int
    pairs: int
    every: int
    full_lstm: LstmConfig
    small_lstm: LstmConfig


_SMALL = {"embedding_size": 32, "hidden_size": 32}
SIZES = {
    ORDINARY: BaselineSizes(
        svm_c=0.01,
        frozen_c=0.01,
        words=20_000,
        pairs=30_000,
        every=3,
        full_lstm=LstmConfig(epochs=3),
        small_lstm=LstmConfig(vocabulary_size=10_000, min_count=5, epochs=4, **_SMALL),
    ),
    HARD: BaselineSizes(
        svm_c=0.1,
        frozen_c=0.1,
        words=5_000,
        pairs=15_000,
        every=1,
        full_lstm=LstmConfig(),
        small_lstm=LstmConfig(vocabulary_size=5_000, **_SMALL),
    ),
}


def make_baselines(data: RecipeData, work: Path, into: Path) -> Iterator[str]:
    """Train all baselines and write them with their scores and their card to ``into``; yields a
    line for each thing done. Called again, it goes on where it was: finished parts are in ``work``.
    """
    maker, rows, counts = _Maker(work), list[tuple[object, ...]](), dict[str, int]()
    sets = _judging_sets(data)
    for trained_on, reviews in learned_from(data).items():
        counts[trained_on] = len(reviews)
        made: dict[str, dict[str, TrainedBaseline]] = {FULL_SIZE: {}, SHIPPED_SIZE: {}}
        for name in BASELINES:
            both = maker.both_sizes(name, reviews, SIZES[trained_on])
            for size, kept in zip(made, both, strict=True):
                made[size][name] = kept
            yield f"{trained_on}, {name}: {sum({kept.seconds for kept in both}):.0f} s"
        path = into / f"{trained_on}.safetensors"
        write_baselines(path, {name: kept.baseline for name, kept in made[SHIPPED_SIZE].items()})
        yield f"{path.name}: {path.stat().st_size:,} bytes"
        shipped = {name: each.baseline for name, each in read_baselines(path).items()}
        for size, found in made.items():
            for name, kept in found.items():
                baseline = shipped[name] if size == SHIPPED_SIZE else kept.baseline
                about = (trained_on, name, size, float(f"{kept.seconds:.2g}"))
                rows += [about + each for each in maker.scores(baseline, sets)]
    scores = pd.DataFrame(rows, columns=SCORE_COLUMNS)
    scores.to_csv(into / SCORES, index=False, float_format="%.5g")
    file_bytes = {name: (into / f"{name}.safetensors").stat().st_size for name in SIZES}
    card = baselines_card(scores, counts, SIZES, file_bytes)
    (into / "README.md").write_text(card, encoding="utf-8")
    yield f"Written: {into}"


def learned_from(data: RecipeData) -> dict[str, Reviews]:
    """The ordinary and the hard training reviews."""
    builtin = load_reviews("builtin")
    return {
        ORDINARY: data.ordinary_reviews(),
        HARD: builtin.where([row.split == "train" for row in builtin]),
    }


def _judging_sets(data: RecipeData) -> dict[str, Reviews]:
    builtin = load_reviews("builtin")
    return {
        HELD_OUT: data.held_out(),
        CONTRAST: data.development_sets()[CONTRAST],
        BUILTIN_VALIDATION: builtin.where([row.split == "validation" for row in builtin]),
        BUILTIN_TEST: builtin.where([row.split == "test" for row in builtin]),
    }


class _Maker:
    """Trains baselines and keeps what is finished in a folder."""

    def __init__(self, work: Path) -> None:
        self.work = work

    def both_sizes(
        self, name: str, reviews: Reviews, sizes: BaselineSizes
    ) -> tuple[TrainedBaseline, TrainedBaseline]:
        """One baseline at full size and as it ships."""
        if name in FROZEN_HEADS:  # small as it is
            some = reviews.take(range(0, len(reviews), sizes.every))
            penalty = {"logisticregression__C": sizes.frozen_c} if name == FROZEN_LR else {}
            head = self._kept(name, some, penalty, partial(self._head, name))
            return head, head
        if name == LSTM:
            full, small = sizes.full_lstm, sizes.small_lstm
            return self._kept(name, reviews, full, fit_lstm), self._kept(
                name, reviews, small, fit_lstm
            )
        settings = {"linearsvc__C": sizes.svm_c} if name == BOW_SVM else {}
        whole = self._kept(name, reviews, settings, partial(_fit_words, name))
        assert isinstance(whole.baseline, BagOfWords)
        count = sizes.words if name == BOW_SVM else sizes.pairs
        step = next(iter(baseline_pipeline(name).named_steps))
        words = prune_bag_of_words(whole.baseline, reviews, count)
        fewer = settings | {f"{step}__vocabulary": words, f"{step}__min_df": 1}
        return whole, self._kept(name, reviews, fewer, partial(_fit_words, name))

    def answers(self, baseline: object, reviews: Reviews) -> np.ndarray:
        """(n,) P(positive)."""
        if isinstance(baseline, FrozenBert):
            return baseline.p_of(self._vectors(reviews.texts))
        assert isinstance(baseline, (BagOfWords, LstmClassifier))
        return baseline.p_positive(reviews.texts)

    def scores(
        self, baseline: object, sets: Mapping[str, Reviews]
    ) -> Iterator[tuple[str, int, int, float, float]]:
        """Set, n, right, and the ends of the 95 % interval of the accuracy."""
        for name, reviews in sets.items():
            found = accuracy_by_slice(reviews, self.answers(baseline, reviews))["all"]
            yield name, found.n, found.right, *found.interval

    def _head(self, name: str, reviews: Reviews, settings: dict[str, object]) -> FrozenBert:
        return fit_frozen_head(
            name, self._vectors(reviews.texts), reviews, frozen_encoder(), settings=settings
        )

    def _kept(
        self, name: str, reviews: Reviews, settings: Any, fit: Callable[[Reviews, Any], Baseline]
    ) -> TrainedBaseline:
        """What was trained before, or is trained now."""

        def train() -> dict[str, Any]:
            began = time.perf_counter()
            baseline = fit(reviews, settings)
            return baseline.to_arrays() | {"seconds": time.perf_counter() - began}

        said = asdict(settings) if isinstance(settings, LstmConfig) else settings
        path = array_path(self.work, "baseline", cache_key(name, reviews.sha256, said))
        kept = dict(cached_arrays(path, train))
        seconds = kept.pop("seconds")
        return TrainedBaseline(rebuild_baseline(name, kept, frozen_encoder), seconds)

    def _vectors(self, texts: list[str]) -> np.ndarray:
        """(n, width) of the frozen BERT, kept in portions."""
        sha256 = weights_hash(backbone_folder("builtin") / WEIGHTS)
        portions = []
        for start in range(0, len(texts), _PORTION):
            portion = texts[start : start + _PORTION]
            key = cache_key(sha256, EMBEDDED_TOKENS, portion)
            make = partial(_embedded, portion)
            kept = cached_arrays(array_path(self.work, "vectors", key), make)
            portions.append(kept["vectors"])
        return np.concatenate(portions)


def _embedded(texts: list[str]) -> dict[str, np.ndarray]:
    return {"vectors": frozen_encoder().embed(texts, pooling=POOLING)}


def _fit_words(name: str, reviews: Reviews, settings: dict[str, object]) -> BagOfWords:
    return fit_bag_of_words(name, reviews, settings=settings)
