"""A word in sentences of different meanings in, whether its vectors tell the meanings apart out:
layer by layer, with the layer that does so best for a few words that are known to have two.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from bertsent.data.cleaning import clean_text, shorten
from bertsent.errors import BadInput
from bertsent.probing.loaded_model import LoadedModel
from bertsent.space.similarity import (
    cosine_similarities,
    similarity_by_layer,
    similarity_by_layer_sentence,
    word_vectors,
)

MOST = 12  # sentences that are compared


@dataclass(frozen=True)
class Sentences:
    """Sentences with one word in common, and which of them mean the same by it: ``groups``, a
    number for each.
    """

    texts: tuple[str, ...]
    groups: tuple[int, ...]


# sentences a line, an empty line before another meaning
PRESETS = {
    "bank": (
        "He sat down on the river bank.\nThe bank of the river was muddy.\n\nShe opened a bank "
        "account.\nThe bank lent him the money."
    ),
    "it": (
        "The animal did not cross the street because it was too tired.\nThe animal did not cross "
        "the street because it was too hungry.\n\nThe animal did not cross the street because it "
        "was too wide.\nThe animal did not cross the street because it was too narrow."
    ),
    "great": (
        "A great film that I loved.\nThe acting is great and moving.\n\nGreat, another boring "
        "movie.\nOh great, two more dull hours."
    ),
}


def read_sentences(typed: str) -> Sentences:
    """Sentences, one a line; an empty line says that the word means something else below it.

    Raises:
        BadInput: fewer than two.
    """
    texts, groups, group, gap = list[str](), list[int](), 0, False
    for line in typed.splitlines():
        if not line.strip():
            gap = bool(texts)
            continue
        group, gap = group + gap, False
        texts.append(line.strip())
        groups.append(group)
    BadInput.raise_if(
        len(texts) < 2, "There is nothing to compare.", "Write at least two sentences."
    )
    return Sentences(tuple(texts[:MOST]), tuple(groups[:MOST]))


def count_word(sentence: str, word: str) -> int:
    """How often a word stands in a sentence, by itself and whatever its capitals."""
    found = re.findall(rf"(?<!\w){re.escape(word.strip())}(?!\w)", clean_text(sentence), re.I)
    return len(found) if word.strip() else 0


def check_word(texts: Sequence[str], word: str) -> None:
    """Make sure that every sentence has the word.

    Raises:
        BadInput: no word, or which sentences lack it.
    """
    BadInput.raise_if(not word.strip(), "There is no word to look at.", "Type one.")
    missing = [n for n, text in enumerate(texts, start=1) if not count_word(text, word)]
    if not missing:
        return
    named = _listed(missing)
    first = shorten(texts[missing[0] - 1], 60)
    raise BadInput(
        f"{named} (“{first}”) does not have the word “{shorten(word.strip(), 40)}”."
        if len(missing) == 1
        else f"{named} do not have the word “{shorten(word.strip(), 40)}”.",
        "Write sentences that share it.",
    )


def repeated_sentence(texts: Sequence[str], word: str) -> str:
    """In which sentences the word comes more than once; empty where it does in none."""
    often = [n for n, text in enumerate(texts, start=1) if count_word(text, word) > 1]
    if not often:
        return ""
    has = "has" if len(often) == 1 else "have"
    return f"{_listed(often)} {has} “{shorten(word, 40)}” more than once: the first one is taken."


def meanings_by_layer(model: LoadedModel, sentences: Sentences, word: str) -> pd.DataFrame:
    """How similar a word is to itself, layer by layer from the input: columns ``layer``, ``same``
    and ``different`` (mean cosine over the pairs of sentences of one meaning and of different ones,
    NaN without such pairs), ``least`` (of one meaning) and ``most`` (of different ones), and
    ``others``, that of any two other words.

    Raises:
        BadInput: a sentence does not have the word.
    """
    check_word(sentences.texts, word)
    table = similarity_by_layer(model, sentences.texts, word)
    groups = np.array(sentences.groups)
    first, second = np.triu_indices(len(groups), 1)
    together = groups[first] == groups[second]
    rows = []
    for layer in table["layer"]:
        pairs = cosine_similarities(word_vectors(model, sentences.texts, word, int(layer)))[
            first, second
        ]
        one, other = pairs[together], pairs[~together]
        rows.append([_of(one, "mean"), _of(other, "mean"), _of(one, "min"), _of(other, "max")])
    table[["same", "different", "least", "most"]] = np.array(rows)
    return table[["layer", "same", "different", "least", "most", "others"]]


def meanings_sentence(table: pd.DataFrame, word: str, layer: int) -> str:
    """What the numbers of one layer (``meanings_by_layer``) say, whichever way they fall."""
    here, first = table.iloc[layer], table.iloc[0]
    named = f"“{shorten(word.strip(), 40)}”"
    if np.isnan(here["different"]):
        return similarity_by_layer_sentence(table, word, layer)
    if np.isnan(here["same"]):
        return (
            f"{named} has a mean cosine of {here['different']:.2f} with itself in another meaning "
            f"here, {first['different']:.2f} at the input. Without a second sentence of one "
            "meaning nothing says how much of that is the meaning: write one."
        )
    said = (
        f"{named} in one meaning has a mean cosine of {here['same']:.2f} with itself, in "
        f"different ones {here['different']:.2f}"
    )
    if here["least"] > here["most"]:
        return (
            f"{said}, and every pair of one meaning ({here['least']:.2f} and more) is more alike "
            f"than any of different ones (at most {here['most']:.2f}): this layer tells the "
            "meanings apart."
        )
    if here["same"] > here["different"]:
        return (
            f"{said}: more alike on average, but the pairs overlap, from {here['least']:.2f} of "
            f"one meaning to {here['most']:.2f} of different ones. The meaning shows here, not in "
            "every pair."
        )
    return (
        f"{said}: not nearer in one meaning than in another. This layer does not tell them apart."
    )


@dataclass(frozen=True)
class ClearestLayer:
    """The layer that tells the meanings of the presets apart best: how many ``clear`` ones of
    ``presets`` it does without exception, and by which mean ``margin``.
    """

    layer: int
    clear: int
    presets: int
    margin: float

    def sentence(self) -> str:
        """Why this layer is the usual one."""
        words = ", ".join(f"“{word}”" for word in PRESETS)
        return (
            f"Measured on {words}: layer {self.layer} is the clearest, with {self.clear} of "
            f"{self.presets} told apart without exception (mean margin {self.margin:+.2f})."
        ).replace("-", "\N{MINUS SIGN}")


def clearest_layer(model: LoadedModel) -> ClearestLayer:
    """Measure on the presets: the layer at which most of them have every pair of one meaning more
    alike than any pair of different ones; among equals the one with the largest mean difference.
    """
    margins = []
    for word, typed in PRESETS.items():
        table = meanings_by_layer(model, read_sentences(typed), word)
        margins.append((table["least"] - table["most"]).to_numpy())
    of = np.stack(margins)  # presets, L + 1
    clear, mean = (of > 1e-6).sum(axis=0), of.mean(axis=0)
    best = max(range(of.shape[1]), key=lambda layer: (clear[layer], mean[layer]))
    return ClearestLayer(best, int(clear[best]), len(PRESETS), float(mean[best]))


def _of(pairs: np.ndarray, what: str) -> float:
    return float(getattr(pairs, what)()) if len(pairs) else float("nan")


def _listed(numbers: Sequence[int]) -> str:
    """“Sentence 2”, or “Sentences 1 and 3”."""
    if len(numbers) == 1:
        return f"Sentence {numbers[0]}"
    return f"Sentences {', '.join(map(str, numbers[:-1]))} and {numbers[-1]}"
