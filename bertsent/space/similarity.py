"""Words and sentences in, how alike an encoder holds them out: cosine similarity, at any layer,
without any fine-tuning.

The vector of a word is the mean of its pieces' hidden states (Devlin et al. 2019, section 5.3, use
such features); layer 0 is the sum of
word, position and segment vectors, so there a word differs only by where it stands.
"""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from bertsent.data.cleaning import clean_text
from bertsent.errors import BadInput

if TYPE_CHECKING:
    from bertsent.probing.loaded_model import LoadedModel
    from bertsent.space.projection_map import ProjectionMap


def cosine_similarities(vectors: np.ndarray, others: np.ndarray | None = None) -> np.ndarray:
    """Cosine similarity of every row of ``vectors`` (n, H) with every row of ``others`` (m, H), or
    with each other: (n, m), -1 to 1.

    A vector of zeros is like nothing: 0.
    """
    first = _unit(vectors)
    return np.clip(first @ (first if others is None else _unit(others)).T, -1, 1)


def word_vectors(
    learner: "LoadedModel", sentences: Sequence[str], word: str, layer: int = -1
) -> np.ndarray:
    """The vector of the first ``word`` in each sentence: (n, H). ``layer`` is -1 for the last, 0
    for the input.

    Raises:
        BadInput: no word, a sentence without it (or in which it was cut off), or no such layer.
    """
    return np.stack([_word_vector(learner, sentence, _word(word), layer) for sentence in sentences])


def similarity_by_layer(
    learner: "LoadedModel", sentences: Sequence[str], word: str
) -> pd.DataFrame:
    """How alike a word is to itself in other sentences, layer by layer from the input, beside how
    alike any two words are.

    The second number is the yardstick: the vectors of an encoder lie in a narrow cone, so that even
    unlike words have cosines far
    above 0 (Ethayarajh 2019, "How Contextual are Contextualized Word Representations?").

    Returns:
        Columns ``layer``, ``same`` (mean cosine over all pairs of sentences) and ``others`` (mean
        cosine of every other word piece of one
        sentence with every other one of another).

    Raises:
        BadInput: fewer than two sentences, no word, or a sentence without it.
    """
    if len(sentences) < 2:
        raise BadInput("There is nothing to compare.", "Write at least two sentences.")
    found = [
        (_states(learner, sentence), _inside(learner, sentence, _word(word)))
        for sentence in sentences
    ]
    rows = []
    for layer in range(learner.layers + 1):
        own = _unit(np.stack([states[layer][inside].mean(axis=0) for states, inside in found]))
        rest = np.stack(
            [
                _unit(np.delete(states[layer], [0, *inside, -1], axis=0)).sum(axis=0)
                for states, inside in found
            ]
        )
        counts = np.array([len(states[layer]) - len(inside) - 2 for states, inside in found])
        pairs = np.triu_indices(len(sentences), 1)
        told = np.outer(counts, counts)[pairs].sum()
        rows.append(
            (
                layer,
                (own @ own.T)[pairs].mean(),
                (rest @ rest.T)[pairs].sum() / told if told else np.nan,
            )
        )
    return pd.DataFrame(rows, columns=["layer", "same", "others"])


def token_vectors(
    learner: "LoadedModel", text: str, layer: int = -1
) -> tuple[tuple[str, ...], np.ndarray]:
    """The word pieces of a text, [CLS] and [SEP] included, and their vectors (T, H) at a layer.

    Raises:
        BadInput: no such layer.
    """
    return learner.tokens(text).pieces, _states(learner, text)[_checked(learner, layer)]


def search(learner: "LoadedModel", atlas: "ProjectionMap", query: str, n: int = 10) -> pd.DataFrame:
    """The ``n`` reviews of a map whose vectors point most nearly where the query's does, with their
    ``cosine``, the most alike first.
    """
    options = atlas.options
    asked = learner.embed([query], pooling=options.pooling, layer=options.layer)
    alike = cosine_similarities(asked, atlas.embeddings.vectors)[0]
    order = np.argsort(-alike, kind="stable")[:n]
    return atlas.points.iloc[order].assign(cosine=alike[order]).reset_index(drop=True)


def _unit(vectors: np.ndarray) -> np.ndarray:
    data = np.asarray(vectors, dtype=np.float64)
    length = np.linalg.norm(data, axis=1, keepdims=True)
    return np.divide(data, length, out=np.zeros_like(data), where=length > 0)


def _word_vector(learner: "LoadedModel", sentence: str, word: str, layer: int) -> np.ndarray:
    inside = _inside(learner, sentence, word)
    return _states(learner, sentence)[_checked(learner, layer)][inside].mean(axis=0)


def _word(word: str) -> str:
    if not word.strip():
        raise BadInput("There is no word to look at.", "Type one.")
    return word.strip()


def _inside(learner: "LoadedModel", sentence: str, word: str) -> list[int]:
    """The places of the pieces of the first such word."""
    sentence = clean_text(sentence)  # the spans are those of the clean text
    found = re.search(rf"(?<!\w){re.escape(word)}(?!\w)", sentence, re.IGNORECASE)
    spans = learner.tokenizer.spans(sentence, learner.max_length) if found else ()
    inside = [
        place
        for place, (start, end) in enumerate(spans)
        if found.start() <= start < end <= found.end()
    ]
    if not inside:
        raise BadInput(
            f"“{sentence[:60]}” does not have the word “{word[:40]}”.",
            "Write sentences that share it.",
        )
    return inside


def _checked(learner: "LoadedModel", layer: int) -> int:
    if not -1 <= layer <= learner.layers:
        raise BadInput(f"There is no layer {layer}.", f"Choose from 0 to {learner.layers}.")
    return layer


def _states(learner: "LoadedModel", text: str) -> np.ndarray:
    """The hidden states of one text at the input and after every layer: (L + 1, T, H)."""
    import torch

    ids = torch.tensor([learner.tokens(text).ids], device=learner.device)
    with torch.inference_mode():
        found = learner.model.bert(
            input_ids=ids, attention_mask=torch.ones_like(ids), output_hidden_states=True
        )
    return torch.cat(found.hidden_states).float().cpu().numpy()
