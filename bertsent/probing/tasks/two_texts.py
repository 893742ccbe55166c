"""Two texts in, how alike they are by five measures out: a model of similarity and one of
paraphrase, asked in both orders, the cosine of the texts' own vectors, and the tokens they share.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from bertsent.errors import BadInput
from bertsent.probing.loaded_model import LoadedModel
from bertsent.tasks.task import Rating

SIMILARITY, PARAPHRASE = "Similarity", "Paraphrase"
COSINE, JACCARD = "Cosine of two vectors", "Jaccard of the tokens"
Marked = tuple[tuple[str, bool], ...]  # stretches of a text, in order
MOVED = 0.05  # of the scale: what swapping the texts has to move for a sentence to say so


@dataclass(frozen=True)
class LikenessMeasure:
    """One measure of two texts: its number as it is, as a share of its scale, and as that share
    would be with the texts swapped. ``symmetric`` says that it cannot move.
    """

    name: str
    shown: str
    share: float
    swapped: float
    symmetric: bool = False

    @property
    def moves(self) -> float:
        """By which share of the scale swapping the texts moves it."""
        return self.swapped - self.share


@dataclass(frozen=True)
class TextPair:
    """Two texts in stretches, each with whether both have it as a token; the tokens that both
    have, and all measures of them.
    """

    first: Marked
    second: Marked
    common: frozenset[str]
    measures: tuple[LikenessMeasure, ...]

    def measure(self, name: str) -> LikenessMeasure | None:
        """The measure of that name, if there was a model for it."""
        return next((each for each in self.measures if each.name == name), None)

    def title(self) -> str:
        """What the models say."""
        return " · ".join(each.shown for each in self.measures if not each.symmetric)

    def swap_sentence(self) -> str:
        """Whether the answers move when the texts change places (slip E-23)."""
        asked = [each for each in self.measures if not each.symmetric]
        moved = [each for each in asked if abs(each.moves) >= MOVED]
        if not asked:
            return ""
        if not moved:
            return "Swapped, the two texts get nearly the same answers."
        most = max(moved, key=lambda each: abs(each.moves))
        return (
            f"Swapped, {most.name.lower()} moves by {100 * abs(most.moves):.0f} points of its "
            "scale, although the question is the same: the order of the texts matters to this "
            "model. Cosine and Jaccard cannot move."
        )

    def overlap_sentence(self) -> str:
        """What the shared tokens say beside the model."""
        jaccard, model = self.measure(JACCARD), self.measure(PARAPHRASE) or self.measure(SIMILARITY)
        if jaccard is None or model is None:
            return ""
        if jaccard.share >= 0.5 and model.share < 0.5:
            return "The texts share most of their tokens, and the model sees through it."
        if jaccard.share < 0.25 and model.share >= 0.5:
            return "The texts share few tokens, and the model finds what they have in common."
        return ""

    def table(self) -> pd.DataFrame:
        """A row for each measure."""
        return pd.DataFrame(
            [(each.name, each.shown, each.share, each.swapped) for each in self.measures],
            columns=["measure", "answer", "share_of_scale", "swapped"],
        )


def compare_texts(
    first: str,
    second: str,
    *,
    similarity: LoadedModel | None,
    paraphrase: LoadedModel | None,
    backbone: LoadedModel,
) -> TextPair:
    """All measures of two clean texts; a model that is None is left out.

    Raises:
        BadInput: a text is empty.
        BertsentError: a model does not answer.
    """
    for text, place in ((first, "first"), (second, "second")):
        BadInput.raise_if(not text, f"The {place} text is empty.", "Type a sentence into it.")
    orders = [(first, second), (second, first)]
    measures = []
    if similarity is not None and isinstance(similarity.task, Rating):
        task, numbers = similarity.task, similarity.answers(orders)
        shares = ((numbers - task.low) / (task.high - task.low)).tolist()
        shown = f"{task.measure} {numbers[0]:.1f} of {task.high:g}"
        measures.append(LikenessMeasure(SIMILARITY, shown, *shares))
    if paraphrase is not None:
        same = paraphrase.answers(orders)[:, 1].tolist()
        label = paraphrase.task.output_names[1]
        measures.append(LikenessMeasure(PARAPHRASE, f"{label} {100 * same[0]:.1f} %", *same))
    cosine = cosine_of(backbone.embed([first, second], pooling="mean"))
    own = [token_set(backbone, text) for text in (first, second)]
    jaccard, common = jaccard_index(*own), frozenset(own[0] & own[1])
    measures += [
        LikenessMeasure(
            COSINE, f"{cosine:.2f}", max(cosine, 0.0), max(cosine, 0.0), symmetric=True
        ),
        LikenessMeasure(
            JACCARD,
            f"{len(common)} of {len(own[0] | own[1])}",
            jaccard,
            jaccard,
            symmetric=True,
        ),
    ]
    marked = (_marked(backbone, text, common) for text in (first, second))
    return TextPair(next(marked), next(marked), common, tuple(measures))


def _marked(model: LoadedModel, text: str, common: frozenset[str]) -> Marked:
    tokens, spans = model.tokens(text), model.tokenizer.spans(text, model.max_length)
    parts, at = [], 0
    for piece, (start, end) in zip(tokens.pieces, spans, strict=True):
        if piece in common and end > start:
            parts += [(text[at:start], False), (text[start:end], True)]
            at = end
    return tuple((part, shared) for part, shared in [*parts, (text[at:], False)] if part)


def token_set(model: LoadedModel, text: str) -> set[str]:
    """The different tokens of a text, without [CLS] and [SEP]."""
    tokens = model.tokens(text)
    return {p for p, special in zip(tokens.pieces, tokens.special, strict=True) if not special}


def jaccard_index(first: set[str], second: set[str]) -> float:
    """Shared tokens by all different tokens (Jaccard 1912); 0 where there are none."""
    return len(first & second) / len(first | second) if first | second else 0.0


def cosine_of(vectors: np.ndarray) -> float:
    """The cosine of the angle between two vectors (2, width)."""
    first, second = vectors.astype(np.float64)
    return float(first @ second / (np.linalg.norm(first) * np.linalg.norm(second)))
