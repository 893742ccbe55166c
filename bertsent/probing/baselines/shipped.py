"""The baselines that ship: four kinds of classifier, trained by the recipe on ordinary reviews
(IMDb) and on hard ones (built-in), read from small arrays and ready at once.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from bertsent.data.examples import LABELS
from bertsent.errors import BadInput
from bertsent.models.backbone import backbone_folder
from bertsent.models.folders import WEIGHTS
from bertsent.probing.baselines.answers import Classifier
from bertsent.probing.baselines.bag_of_words import BagOfWords
from bertsent.probing.baselines.pipelines import BOW_SVM, FROZEN_HEADS, FROZEN_LR, LSTM, TFIDF_LR
from bertsent.probing.baselines.reasons import reasons_sentence, word_reasons
from bertsent.probing.baselines.trainer import (
    BASELINES,
    Baseline,
    frozen_encoder,
    rebuild_baseline,
)
from bertsent.probing.small_models import (
    StoredModel,
    missing_models,
    read_small_models,
    write_small_models,
)
from bertsent.settings import ASSETS

SHIPPED_BASELINES = ASSETS / "models" / "baselines"
ORDINARY, HARD = "imdb", "builtin"
TRAINED_ON = {ORDINARY: "ordinary reviews (IMDb)", HARD: "hard reviews (built-in)"}
FOUR = (BOW_SVM, TFIDF_LR, LSTM, FROZEN_LR)  # one of each kind, from the simplest
FULL_SIZE, SHIPPED_SIZE = "full size", "as shipped"
SCORES = "scores.csv"
SCORE_COLUMNS = ["trained_on", "method", "size", "seconds", "set", "n", "right", "low", "high"]


class OtherAnswer(NamedTuple):
    """What one baseline says of a review; ``note`` is why, or how it reads."""

    name: str
    label: str
    p_positive: float
    note: str


def others_say(text: str, trained_on: str = ORDINARY) -> list[OtherAnswer]:
    """What the four kinds of baseline say of one review, from the simplest to the frozen BERT.

    Args:
        text: a clean review.
        trained_on: one of ``TRAINED_ON``.

    Raises:
        BadInput: nothing was trained on that.
        NotAvailable: the baselines are not here.
    """
    found = shipped_baselines(trained_on)
    return [_other_answer(found[name], text) for name in FOUR]


def shipped_baselines(trained_on: str) -> dict[str, Classifier]:
    """All baselines that were trained on ordinary or on hard reviews, by name, loaded once.

    Raises:
        BadInput: nothing was trained on that.
        NotAvailable: the file is missing or damaged.
    """
    BadInput.raise_if(
        trained_on not in TRAINED_ON,
        f"No baseline was trained on “{trained_on[:40]}”.",
        f"Choose one of {', '.join(TRAINED_ON)}.",
    )
    return _load(SHIPPED_BASELINES / f"{trained_on}.safetensors")


def write_baselines(path: Path, baselines: Mapping[str, Baseline]) -> None:
    """Keep baselines in one file: in half precision, except the few numbers of a frozen BERT's
    head, where large terms cancel each other. The same baselines give the same bytes.
    """
    arrays = {name: baseline.to_arrays() for name, baseline in baselines.items()}
    write_small_models(path, arrays, precise=FROZEN_HEADS)


def read_baselines(path: Path) -> dict[str, Classifier]:
    """The baselines that ``write_baselines`` kept.

    Raises:
        NotAvailable: the file is missing or damaged.
    """
    stored = read_small_models(path)
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    try:
        return {
            name: _classifier(name, stored[name], sha256) for name in BASELINES if name in stored
        }
    except (KeyError, ValueError, TypeError, RuntimeError) as error:
        raise missing_models(path) from error


@lru_cache(maxsize=4)
def _load(path: Path) -> dict[str, Classifier]:
    found = read_baselines(path)
    scores = baseline_scores()
    if scores is None:
        return found
    rows = scores[(scores["trained_on"] == path.stem) & (scores["size"] == SHIPPED_SIZE)]
    took = rows.drop_duplicates("method").set_index("method")["seconds"].to_dict()
    return {name: replace(each, train_seconds=took.get(name)) for name, each in found.items()}


def baseline_scores() -> pd.DataFrame | None:
    """Columns ``SCORE_COLUMNS``: how often each was right when it was made, at full size and as it
    ships; None where that is not here.
    """
    path = SHIPPED_BASELINES / SCORES
    return pd.read_csv(path) if path.is_file() else None


def _classifier(name: str, stored: StoredModel, sha256: str) -> Classifier:
    values, size = stored
    doubled = {
        key: value.astype(np.float64) if isinstance(value, np.ndarray) else value
        for key, value in values.items()
    }
    baseline = rebuild_baseline(name, doubled, frozen_encoder)
    if name in FROZEN_HEADS:
        size += (backbone_folder("builtin") / WEIGHTS).stat().st_size
    return Classifier(name, f"{sha256} {name}", baseline.p_positive, None, size, baseline)


def _other_answer(classifier: Classifier, text: str) -> OtherAnswer:
    p = float(classifier.p_positive([text])[0])
    baseline = classifier.baseline
    if isinstance(baseline, BagOfWords):
        note = reasons_sentence(word_reasons(classifier, text))
    elif classifier.name == LSTM:
        note = "reads the words in their order"
    else:
        note = "BERT's vectors as they were pretrained, a trained line through them"
    return OtherAnswer(classifier.name, LABELS[int(p > 0.5)], p, note)
