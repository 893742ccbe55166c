"""Texts in, how varied they are out: different words, endings, beginnings, lengths; of what was
written for this project beside what people wrote.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from bertsent.data.sources import load_reviews
from bertsent.recipe.datasets import ONE_LINERS, REGISTER, RecipeData

TOKENS, SEED = 40_000, 42
_WORD, _ENDED = re.compile(r"[\w']+"), tuple(".!?…\"'”’)")


def variety(texts: Sequence[str]) -> dict[str, float]:
    """``types``: different words (lower case) in the first 40,000 of the shuffled texts, or in all
    if they are fewer; ``unended``: share that ends without a mark; ``openings``: share of different
    first three words; ``shorter`` and ``longer``: the words of the quarter and three quarter text.
    """
    shuffled = np.random.default_rng(SEED).permutation(np.array(texts, object))
    words = [_WORD.findall(text.lower()) for text in shuffled]
    running = [word for row in words for word in row][:TOKENS]
    shorter, longer = np.percentile([len(row) for row in words], (25, 75))
    return {
        "n": len(texts),
        "tokens": len(running),
        "types": len(set(running)),
        "unended": float(np.mean([not text.rstrip().endswith(_ENDED) for text in texts])),
        "openings": len({tuple(row[:3]) for row in words}) / len(words),
        "shorter": shorter,
        "longer": longer,
    }


def variety_table(data: RecipeData) -> pd.DataFrame:
    """``variety`` of each set, a row a set."""
    sets: Mapping[str, Sequence[str]] = {
        "built-in reviews": load_reviews("builtin").texts,
        "one-liners": load_reviews(ONE_LINERS, contrastive=False).texts,
        "register": load_reviews(REGISTER, contrastive=False).texts,
        "people: Rotten Tomatoes snippets": [row.text for row in data.snippets()],
        "people: SST sentences": data.sentences()["text"].tolist(),
        "people: GoEmotions comments": data.comments()["text"].tolist(),
    }
    return pd.DataFrame([{"set": name, **variety(texts)} for name, texts in sets.items()])


def variety_lines(data: RecipeData) -> Iterator[str]:
    """The table as Markdown."""
    yield (
        "| set | texts | different words in 40,000 | end without a mark | different first three "
        "words | words, middle half |"
    )
    yield "|---|---|---|---|---|---|"
    for row in variety_table(data).itertuples():
        types = f"{row.types:,}" + ("" if row.tokens == TOKENS else f" (in {row.tokens:,})")
        yield (
            f"| {row.set} | {row.n:,} | {types} | {100 * row.unended:.0f} % | "
            f"{100 * row.openings:.0f} % | {row.shorter:.0f} to {row.longer:.0f} |"
        )
