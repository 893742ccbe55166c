"""Critics' lines and comments in; the small networks from before BERT that ship, their scores and
their card out.
"""

import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bertsent.data.cache import array_path, cache_key, cached_arrays
from bertsent.data.examples import Reviews
from bertsent.probing.before_bert.shipped import (
    READER_SCORES,
    READERS_FILE,
    read_readers,
    write_readers,
)
from bertsent.probing.before_bert.word_reader import READERS, SIZES, WordReader, fit_reader
from bertsent.probing.shipped_scores import BUILTIN_VALIDATION
from bertsent.probing.slices import accuracy_by_slice
from bertsent.recipe.datasets import SNIPPETS, RecipeData, builtin, register

_CARD = """\
# The networks from before BERT that ship

Three LSTMs and a convolutional network that read a film review word by word, to be looked into
beside BERT (page Words, Before BERT): how far back an early word still reaches, and what filters
over words find. They are small on purpose and start from nothing: no word vector is pretrained.

`python -m bertsent.recipe DATA --only before-bert` makes them again; the same data and seed give
the same weights on the same machine. `readers.safetensors` ({size:.2f} MB) holds {words:,} words
and four networks in half precision, no text and no code.

## How they were trained
On {n:,} texts: the snippets of Rotten Tomatoes (Pang and Lee 2005) that are not in the development
part of SST, and the training part of `assets/reviews/register.csv`. Word vectors of {vectors}
numbers; LSTMs of 2 layers with {hidden} units in each direction, whose answer is read from the
state in which they end; 16 filters each over 2, 3 and 4 words. Dropout {dropout}, AdamW, learning
rate {rate}, {epochs} epochs, of which the one with the lowest loss on a tenth held back is kept,
seed {seed}. Nothing was searched.

| | {sets} | seconds, on a busy core |
|---|{dashes}---|
{rows}

Right answers in per cent with the 95 % interval; no text of these sets was learned from, and
guessing gives 50. The built-in reviews are made so that single words do not help.
"""


def make_readers(data: RecipeData, work: Path, into: Path) -> Iterator[str]:
    """Train the networks and write them with their scores and their card to ``into``; yields a line
    for each thing done. Called again, it goes on where it was: finished ones are in ``work``.
    """
    reviews = Reviews("before-bert", (*data.snippets(), *register("train")))
    sets = {
        SNIPPETS: data.development_sets()[SNIPPETS],
        BUILTIN_VALIDATION: Reviews(BUILTIN_VALIDATION, tuple(builtin("validation"))),
    }
    readers, seconds = dict[str, WordReader](), dict[str, float]()
    for kind, name in READERS.items():
        kept = _trained(kind, reviews, work)
        seconds[kind] = kept.pop("seconds")
        readers[kind] = WordReader.from_arrays(kind, kept)
        yield f"{name}: {seconds[kind]:.0f} s"
    path = into / READERS_FILE
    write_readers(path, readers)
    shipped = read_readers(path)
    rows = [
        (kind, title, found.n, found.right, *found.interval)
        for kind, reader in shipped.items()
        for title, judged in sets.items()
        for found in [accuracy_by_slice(judged, reader.p_positive(judged.texts))["all"]]
    ]
    columns = ["kind", "set", "n", "right", "low", "high"]
    scores = pd.DataFrame(rows, columns=columns)
    scores.to_csv(into / READER_SCORES, index=False, float_format="%.5g")
    size = path.stat().st_size
    words = len(next(iter(shipped.values())).words)
    card = _card(scores, seconds, reviews=len(reviews), words=words, size=size)
    (into / "README.md").write_text(card, encoding="utf-8")
    yield f"Written: {into}"


def _trained(kind: str, reviews: Reviews, work: Path) -> dict[str, Any]:
    """The arrays of one network and the seconds that it took, from ``work`` where it is there."""

    def train() -> dict[str, Any]:
        began = time.perf_counter()
        reader = fit_reader(kind, reviews)
        return reader.to_arrays() | {"seconds": time.perf_counter() - began}

    key = cache_key("before-bert", kind, reviews.sha256, asdict(SIZES))
    kept = dict(cached_arrays(array_path(work, "readers", key), train))
    return {
        name: value.astype(np.float32) if isinstance(value, np.ndarray) else value
        for name, value in kept.items()
    }


def _card(
    scores: pd.DataFrame, seconds: dict[str, float], *, reviews: int, words: int, size: int
) -> str:
    sets = list(dict.fromkeys(scores["set"]))
    rows = []
    for kind, name in READERS.items():
        own = scores[scores["kind"] == kind].set_index("set")
        cells = [
            f"{100 * own.right[title] / own.n[title]:.1f} "
            f"({100 * own.low[title]:.1f} to {100 * own.high[title]:.1f})"
            for title in sets
        ]
        rows.append(f"| {name} | {' | '.join(cells)} | {seconds[kind]:.0f} |")
    counts = scores.drop_duplicates("set").set_index("set")["n"]
    return _CARD.format(
        size=size / 1e6,
        words=words,
        n=reviews,
        vectors=SIZES.embedding_size,
        hidden=SIZES.hidden_size,
        dropout=SIZES.dropout,
        rate=SIZES.learning_rate,
        epochs=SIZES.epochs,
        seed=SIZES.seed,
        sets=" | ".join(f"{title} (n = {counts[title]:,})" for title in sets),
        dashes="---|" * len(sets),
        rows="\n".join(rows),
    )
