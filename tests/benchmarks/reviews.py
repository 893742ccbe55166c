"""The reviews that everything here is measured on: 2,000 real long ones where they are, else
built-in ones strung together.

Rows to learn from are taken from the front, rows to be judged on from the back.
"""

from functools import lru_cache

import numpy as np
import pandas as pd

from bertsent.data.examples import Example, Reviews
from bertsent.data.sources import load_reviews
from bertsent.settings import PROJECT

SAMPLE = PROJECT.parent / "shared" / "data" / "imdb_sample_2000.parquet"
FILMS = SAMPLE.with_name("imdb_train.parquet")
ROWS, LONG = 2_000, 1_000  # reviews; characters of a text that was strung together
BACK = 400  # so many at the end share no sentence with the others


@lru_cache(maxsize=1)
def long_reviews() -> Reviews:
    """2,000 labelled reviews of about 250 tokens, in an order that never changes; ``name`` says
    what they are.
    """
    if SAMPLE.is_file():
        found = load_reviews(SAMPLE, contrastive=False)
        return Reviews(
            "2,000 real IMDb reviews",
            found.take(np.random.default_rng(0).permutation(len(found)).tolist()).examples,
        )
    return Reviews(
        "built-in reviews strung together to long ones (the real sample is not here)",
        tuple(_strung()),
    )


def front(count: int) -> Reviews:
    """The first so many, for learning."""
    return long_reviews().take(range(min(count, ROWS - BACK)))


def back(count: int) -> Reviews:
    """The last so many, for judging."""
    return long_reviews().take(range(ROWS - min(count, BACK), ROWS))


def judges(count: int) -> Reviews:
    """So many that nobody learned from: real reviews of other films where those are, else those of
    ``back``.
    """
    if not FILMS.is_file():
        return back(count)
    table, known = pd.read_parquet(FILMS), set(long_reviews().texts)
    others = table[(table["fold"] == 9) & ~table["text"].isin(known)].sample(count, random_state=0)
    rows = zip(others["id"], others["text"], others["label"], strict=True)
    return Reviews(
        "reviews of other films",
        tuple(Example(ident, text, int(label)) for ident, text, label in rows),
    )


def typed_reviews(count: int) -> list[str]:
    """Reviews as people type them: the built-in ones, short, one to three sentences."""
    texts = load_reviews("builtin").texts
    return [texts[i] for i in np.random.default_rng(0).permutation(len(texts))[:count]]


def _strung() -> list[Example]:
    """Each text is random built-in reviews of one label; the back draws from a fifth of them that
    the front never sees.
    """
    random, builtin = np.random.default_rng(0), load_reviews("builtin")
    pieces = {label: [e.text for e in builtin if e.label == label] for label in (0, 1)}
    made = []
    for row in range(ROWS):
        own = pieces[row % 2]
        cut = len(own) * 4 // 5
        made.append(
            Example(
                f"strung-{row}",
                _string(own[:cut] if row < ROWS - BACK else own[cut:], random),
                row % 2,
            )
        )
    return made


def _string(pieces: list[str], random: np.random.Generator) -> str:
    text, goal = "", LONG * random.lognormal(0, 0.5)
    while len(text) < goal:
        text += f"{pieces[random.integers(len(pieces))]} "
    return text.strip()
