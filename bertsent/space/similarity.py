"""Words and sentences in, how similar they are to an encoder out: cosine similarity, at any layer,
without any fine-tuning.

The vector of a word is the mean of its pieces' hidden states (Devlin et al. 2019, section 5.3, use
such features); layer 0 is the sum of word, position and segment vectors, so there a word differs
only by where it stands.
"""

import re
from collections.abc import Sequence

import numpy as np
import pandas as pd

from bertsent.data.cleaning import clean_text, shorten
from bertsent.errors import BadInput
from bertsent.models.pooling import Pooling
from bertsent.probing.loaded_model import LoadedModel
from bertsent.written_numbers import written

SLIGHT = 0.02  # a difference of cosines that nothing is made of


def cosine_similarities(vectors: np.ndarray, others: np.ndarray | None = None) -> np.ndarray:
    """Cosine similarity of every row of ``vectors`` (n, H) with every row of ``others`` (m, H), or
    with each other: (n, m), -1 to 1. That of a vector of zeros is 0.
    """
    from sklearn.metrics.pairwise import cosine_similarity

    first = np.asarray(vectors, dtype=np.float64)
    second = None if others is None else np.asarray(others, dtype=np.float64)
    return np.clip(cosine_similarity(first, second), -1, 1)


def similarity_sentence(similarities: np.ndarray, texts: Sequence[str]) -> str:
    """Which two texts are most similar."""
    off = np.where(np.eye(len(texts), dtype=bool), -2, similarities)
    i, j = divmod(int(off.argmax()), len(texts))
    first, second = shorten(texts[i], 50), shorten(texts[j], 50)
    return f"Most similar: “{first}” and “{second}” ({off[i, j]:.2f})."


def tuning_sentence(before: np.ndarray, after: np.ndarray) -> str:
    """What fine-tuning did to the (n, n) cosines of the same texts."""
    ranges, nearest = [], []
    for each in (before, after):
        apart = np.where(np.eye(len(each), dtype=bool), np.nan, each)
        ranges.append((np.nanmin(apart), np.nanmax(apart)))
        nearest.append(np.nanargmax(apart, axis=1))
    kept = int((nearest[0] == nearest[1]).sum())
    first, then = (f"{written(low, '.2f')} to {written(high, '.2f')}" for low, high in ranges)
    return (
        f"Fine-tuning moves the cosines from {first} before to {then} after; {kept} of "
        f"{len(before)} keep their nearest sentence."
    )


def word_vectors(
    model: LoadedModel, sentences: Sequence[str], word: str, layer: int = -1
) -> np.ndarray:
    """The vector of the first ``word`` in each sentence: (n, H). ``layer`` is -1 for the last, 0
    for the input.

    Raises:
        BadInput: no word, a sentence without it (or in which it was cut off), or no such layer.
    """
    found = []
    for sentence in sentences:
        inside = _inside(model, sentence, _word(word))
        found.append(_states(model, sentence)[_checked(model, layer)][inside].mean(axis=0))
    return np.stack(found)


def similarity_by_layer(model: LoadedModel, sentences: Sequence[str], word: str) -> pd.DataFrame:
    """How similar a word is to itself in other sentences, layer by layer from the input, beside any
    two other words.

    The second number is the yardstick: the vectors of an encoder lie in a narrow cone, so that even
    unlike words have cosines far above 0 (Ethayarajh 2019, "How Contextual are Contextualized Word
    Representations?").

    Returns:
        Columns ``layer``, ``same`` (mean cosine over all pairs of sentences) and ``others`` (mean
        cosine of every other word piece of one sentence with every other one of another).

    Raises:
        BadInput: fewer than two sentences, no word, or a sentence without it.
    """
    if len(sentences) < 2:
        raise BadInput("There is nothing to compare.", "Write at least two sentences.")
    found = [
        (_states(model, sentence), _inside(model, sentence, _word(word))) for sentence in sentences
    ]
    rows = []
    for layer in range(model.layers + 1):
        own = _directions(
            np.stack([states[layer][inside].mean(axis=0) for states, inside in found])
        )
        rest = np.stack(
            [
                _directions(np.delete(states[layer], [0, *inside, -1], axis=0)).sum(axis=0)
                for states, inside in found
            ]
        )
        counts = np.array([len(states[layer]) - len(inside) - 2 for states, inside in found])
        pairs = np.triu_indices(len(sentences), 1)
        compared = np.outer(counts, counts)[pairs].sum()
        rows.append(
            (
                layer,
                (own @ own.T)[pairs].mean(),
                (rest @ rest.T)[pairs].sum() / compared if compared else np.nan,
            )
        )
    return pd.DataFrame(rows, columns=["layer", "same", "others"])


def similarity_by_layer_sentence(table: pd.DataFrame, word: str, layer: int) -> str:
    """How similar a word is to itself at the input and at one layer, beside other words, and what
    follows from that, whichever way the numbers fall.
    """
    first, here = table.iloc[0], table.iloc[layer]
    said = (
        f"At the input “{word}” has a mean cosine of {first['same']:.2f} with itself, at this "
        f"layer {here['same']:.2f}"
    )
    if layer in (0, -len(table)):
        said = f"At the input “{word}” has a mean cosine of {first['same']:.2f} with itself"
        effect = ": there it differs only by where it stands"
    elif first["same"] - here["same"] > SLIGHT:
        effect = ": the difference comes from context"
    else:
        effect = ": context hardly changes it here"
    if np.isnan(here["others"]):
        return f"{said}{effect}."
    return f"{said}{effect}. Any two other words have {here['others']:.2f} there."


def token_vectors(
    model: LoadedModel, text: str, layer: int = -1
) -> tuple[tuple[str, ...], np.ndarray]:
    """The word pieces of a text, [CLS] and [SEP] included, and their vectors (T, H) at a layer.

    Raises:
        BadInput: no such layer.
    """
    return model.tokens(text).pieces, _states(model, text)[_checked(model, layer)]


def search(
    model: LoadedModel,
    vectors: np.ndarray,
    points: pd.DataFrame,
    query: str,
    *,
    pooling: Pooling,
    layer: int = -1,
    n: int = 10,
) -> pd.DataFrame:
    """The ``n`` rows of ``points`` whose vectors point most nearly where the query's does, with
    their ``cosine``, the most similar first.

    Args:
        vectors: (len(points), H) of this model, at this pooling and layer.
    """
    asked = model.embed([query], pooling=pooling, layer=layer)
    similar = cosine_similarities(asked, vectors)[0]
    order = np.argsort(-similar, kind="stable")[:n]
    return points.iloc[order].assign(cosine=similar[order]).reset_index(drop=True)


def search_sentence(pretrained: pd.DataFrame, tuned: pd.DataFrame) -> str:
    """What fine-tuning did to a search, from what both find."""
    shared = len(set(pretrained["id"]) & set(tuned["id"]))
    same = f"{shared} of the {len(pretrained)} are found by both models."
    if not pretrained["label"].any():
        return same
    (first, before), (second, after) = _leading(pretrained), _leading(tuned)
    said = (
        f"Before fine-tuning {before} of {len(pretrained)} are {first.lower()}, after it {after} "
        f"are {second.lower()}"
    )
    return f"{said}{': verdicts count more than topics. ' if after > before else '. '}{same}"


def _leading(rows: pd.DataFrame) -> tuple[str, int]:
    """The most frequent label and how often it occurs."""
    counts = rows["label"].value_counts()
    return str(counts.index[0]), int(counts.iloc[0])


def _directions(vectors: np.ndarray) -> np.ndarray:
    from sklearn.preprocessing import normalize

    return normalize(vectors) if len(vectors) else vectors


def _word(word: str) -> str:
    if not word.strip():
        raise BadInput("There is no word to look at.", "Type one.")
    return word.strip()


def _inside(model: LoadedModel, sentence: str, word: str) -> list[int]:
    """The places of the pieces of the first such word."""
    sentence = clean_text(sentence)  # the spans are those of the clean text
    found = re.search(rf"(?<!\w){re.escape(word)}(?!\w)", sentence, re.IGNORECASE)
    first, last = found.span() if found else (0, 0)
    spans = model.tokenizer.spans(sentence, model.max_length)
    inside = [i for i, (start, end) in enumerate(spans) if first <= start < end <= last]
    if not inside:
        raise BadInput(
            f"“{sentence[:60]}” does not have the word “{word[:40]}”.",
            "Write sentences that share it.",
        )
    return inside


def _checked(model: LoadedModel, layer: int) -> int:
    if not -1 <= layer <= model.layers:
        raise BadInput(f"There is no layer {layer}.", f"Choose from 0 to {model.layers}.")
    return layer


def _states(model: LoadedModel, text: str) -> np.ndarray:
    """The hidden states of one text at the input and after every layer: (L + 1, T, H)."""
    import torch

    ids = torch.tensor([model.tokens(text).ids], device=model.device)
    with torch.inference_mode():
        found = model.model.bert(
            input_ids=ids, attention_mask=torch.ones_like(ids), output_hidden_states=True
        )
    return torch.cat(found.hidden_states).float().cpu().numpy()
