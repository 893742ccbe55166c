"""A sentence and aspects in it in, what a model says of each out: the probabilities, the input as
the model reads it, and where the aspect looks.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import torch

from bertsent.errors import BadInput
from bertsent.probing.forward_pass.model_inputs import ModelInputs, model_inputs
from bertsent.probing.loaded_model import LoadedModel
from bertsent.tasks.task import aspect_is_in


@dataclass(frozen=True)
class AspectAnswer:
    """What is said of one aspect: the probability of each label."""

    aspect: str
    labels: tuple[str, ...]
    probabilities: tuple[float, ...]

    @property
    def label(self) -> str:
        return self.labels[int(np.argmax(self.probabilities))]

    def said(self) -> str:
        """The aspect with its likeliest label and how probable that is."""
        return f"{self.aspect}: {self.label} {100 * max(self.probabilities):.0f} %"


@dataclass(frozen=True)
class AspectInput:
    """[CLS] aspect [SEP] sentence [SEP] as a model reads it, with a share for each token: the
    attention that the pieces of the aspect give to the sentence, the mean over all heads of all
    layers, as its part of what all words of the sentence get.
    """

    inputs: ModelInputs
    shares: tuple[float, ...]
    words: tuple[tuple[str, float], ...]  # those of the sentence, with the share of their pieces

    def sentence(self, aspect: str) -> str:
        """Which words the aspect looks at most, itself left out."""
        own = set(aspect.lower().split())
        others = [(share, word) for word, share in self.words if word.lower() not in own]
        most = sorted((each for each in others if any(map(str.isalpha, each[1]))), reverse=True)[:2]
        if not most:
            return "The sentence has no other word to look at."
        named = " and ".join(f"“{word}” ({100 * share:.0f} %)" for share, word in most)
        return (
            f"Beside itself, “{aspect}” looks most at {named}. Attention says where the model "
            "looks, not why it answers."
        )


def answer_aspects(
    model: LoadedModel, sentence: str, aspects: Sequence[str]
) -> tuple[AspectAnswer, ...]:
    """What is said of each aspect of a clean sentence.

    Raises:
        BadInput: an aspect is not in the sentence.
        BertsentError: the model does not answer.
    """
    for aspect in aspects:
        check_aspect(aspect, sentence)
    answers = model.answers([(aspect, sentence) for aspect in aspects])
    return tuple(
        AspectAnswer(aspect, model.task.output_names, tuple(row))
        for aspect, row in zip(aspects, answers.tolist(), strict=True)
    )


def check_aspect(aspect: str, sentence: str) -> None:
    """Check that an aspect stands in a sentence.

    Raises:
        BadInput: it does not, or there is none.
    """
    BadInput.raise_if(
        not aspect_is_in(aspect, sentence),
        f"“{aspect[:40]}” is not in the sentence.",
        "Choose an aspect that stands in it.",
    )


def read_aspect(model: LoadedModel, sentence: str, aspect: str) -> AspectInput:
    """How a model reads an aspect with its sentence, and where the aspect looks.

    Raises:
        NotAvailable: the model gives no attention weights.
    """
    inputs = model_inputs(model, aspect, second=sentence)
    ids, segments = (
        torch.tensor([each], device=model.device) for each in (inputs.ids, inputs.segments)
    )
    weights, _ = model.attention_of_ids(ids, segments=segments)
    first = inputs.ids.index(model.tokenizer.sep_id)
    inside = np.zeros(len(inputs), bool)
    inside[first + 1 : -1] = True  # the sentence without its [SEP]
    given = weights.mean((0, 1))[1:first].mean(0)
    shares = np.where(inside, given, 0)
    shares = shares / (shares.sum() or 1.0)
    return AspectInput(inputs, tuple(shares.tolist()), _words(model, sentence, shares[inside]))


def _words(model: LoadedModel, sentence: str, shares: np.ndarray) -> tuple[tuple[str, float], ...]:
    """The words of the sentence, with the shares of their pieces added up."""
    words = model.tokens(sentence).words[1 : 1 + len(shares)]
    spans = model.tokenizer.spans(sentence, model.max_length)[1 : 1 + len(shares)]
    found: dict[int, list[float]] = {}
    for word, (start, end), share in zip(words, spans, shares, strict=True):
        if word is not None:
            kept = found.setdefault(word, [start, end, 0.0])
            kept[1], kept[2] = end, kept[2] + float(share)
    return tuple((sentence[int(a) : int(b)], share) for a, b, share in found.values())


def marked_aspects(
    sentence: str, answers: Sequence[AspectAnswer]
) -> list[tuple[str, AspectAnswer | None]]:
    """The sentence in stretches, each with the answer about it where it is an aspect: its first
    place that no longer aspect has taken.
    """
    free, taken = sentence.lower(), dict[int, AspectAnswer]()
    for answer in sorted(answers, key=lambda each: -len(each.aspect)):
        at = free.find(answer.aspect.lower())
        if at >= 0:
            taken[at] = answer
            end = at + len(answer.aspect)
            free = free[:at] + "\0" * len(answer.aspect) + free[end:]
    parts: list[tuple[str, AspectAnswer | None]] = []
    at = 0
    for start, answer in sorted(taken.items()):
        end = start + len(answer.aspect)
        parts += [(sentence[at:start], None), (sentence[start:end], answer)]
        at = end
    return [(text, answer) for text, answer in [*parts, (sentence[at:], None)] if text]


def aspect_table(answers: Sequence[AspectAnswer]) -> pd.DataFrame:
    """A row for each aspect."""
    return pd.DataFrame(
        [
            {"aspect": each.aspect, **dict(zip(each.labels, each.probabilities, strict=True))}
            for each in answers
        ]
    )


def aspects_sentence(answers: Sequence[AspectAnswer]) -> str:
    """What the bars show, all aspects together."""
    said = "; ".join(each.said() for each in answers)
    if len({each.label for each in answers}) > 1:
        return f"{said}. One label for the whole sentence would hide that they differ."
    return f"{said}."
