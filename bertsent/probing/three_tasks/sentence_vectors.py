"""Encoders in, how well the cosine of their sentence vectors follows similarity out: the mean of
all tokens against [CLS], before and after fine-tuning (Reimers and Gurevych 2019, table 1).
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from scipy.stats import pearsonr

from bertsent.data.examples import Reviews
from bertsent.models.pooling import Pooling
from bertsent.probing.loaded_model import LoadedModel
from bertsent.progress import Progress, no_progress

POOLED: dict[Pooling, str] = {"mean": "mean of tokens", "cls": "[CLS]"}


def vector_correlations(
    encoders: Mapping[str, LoadedModel], pairs: Reviews, progress: Progress = no_progress
) -> pd.DataFrame:
    """One row an encoder and pooling: ``encoder``, ``pooling``, ``pearson`` between the cosine and
    the true similarity of ``pairs``, its 95 % interval ``low`` to ``high`` (Fisher's z), ``pairs``.

    Nothing is trained for this: a pair's answer is the cosine of its two vectors.
    """
    truth, rows = np.array(pairs.targets, float), []
    texts = [example.text for example in pairs] + [example.second for example in pairs]
    done, total = 0, len(encoders) * len(POOLED)
    for name, model in encoders.items():
        for pooling, words in POOLED.items():
            vectors = model.embed(texts, pooling=pooling)
            cosine = _cosines(vectors[: len(pairs)], vectors[len(pairs) :])
            found = pearsonr(cosine, truth)
            low, high = found.confidence_interval(0.95)
            rows.append((name, words, found.statistic, low, high, len(pairs)))
            done += 1
            progress(done / total)
    columns = ["encoder", "pooling", "pearson", "low", "high", "pairs"]
    return pd.DataFrame(rows, columns=columns)


def vectors_sentence(table: pd.DataFrame) -> str:
    """Where the mean of tokens is the better vector, and what fine-tuning did to it."""
    means = table[table["pooling"] == POOLED["mean"]].set_index("encoder")["pearson"]
    firsts = table[table["pooling"] == POOLED["cls"]].set_index("encoder")["pearson"]
    ahead = [name for name in means.index if means[name] > firsts[name]]
    each = ", ".join(f"{name} {means[name]:.3f} against {firsts[name]:.3f}" for name in means.index)
    better = f"The mean of tokens is ahead of [CLS] in {len(ahead)} of {len(means)} encoders"
    return f"{better}: {each} ({table['pairs'].iloc[0]:,} pairs)."


def _cosines(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    norms = np.linalg.norm(first, axis=1) * np.linalg.norm(second, axis=1)
    return (first * second).sum(1) / np.maximum(norms, np.finfo(np.float32).tiny)
