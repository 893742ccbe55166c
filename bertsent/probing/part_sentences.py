"""What happens in each part of the way from letters to loss and back, in one sentence with the
numbers of one review: from its tokens and its answer alone, so that it costs nothing.
"""

import math

from bertsent.data.examples import LABELS, UNDECIDED
from bertsent.probing.loaded_model import LoadedModel, Prediction
from bertsent.written_numbers import written

_POOLED = {
    "cls": "The last vector of [CLS]",
    "mean": "The mean of all last vectors",
    "max": "The largest of all last vectors, number by number,",
}


def part_sentence(part: str, model: LoadedModel, text: str, answer: Prediction) -> str:
    """The sentence of the part of that key; empty for a part that has none.

    Args:
        part: ``text``, ``input``, ``layers``, ``logits``, ``loss`` or ``back``.
        model: the model that answered.
        text: the clean review.
        answer: its answer.
    """
    if part == "text":
        return _text(model, text)
    if part == "input":
        return _input(model, text)
    if part == "layers":
        return _layers(model, text)
    return {"logits": _logits, "loss": _loss, "back": _back}[part](model, answer)


def _text(model: LoadedModel, text: str) -> str:
    tokens = model.tokens(text)
    middle = len(tokens) // 2
    return (
        f"The {len(text):,} characters of the review become {len(tokens)} tokens, [CLS] in front "
        f"and [SEP] at the end included, and each token its number in the vocabulary: "
        f"“{tokens.pieces[middle]}” is {tokens.ids[middle]:,}."
    )


def _input(model: LoadedModel, text: str) -> str:
    segment = "" if _distilled(model) else " and its segment"
    return (
        f"Each of the {len(model.tokens(text))} ids picks its row of {model.width} numbers from a "
        f"table; the rows of its position{segment} are added, and the sum is normalised."
    )


def _layers(model: LoadedModel, text: str) -> str:
    return (
        f"{_counted(model.layers, 'layer')} in turn change the {len(model.tokens(text))} vectors: "
        f"in each, {_counted(model.heads, 'head')} let every token gather from the others, and a "
        "feed-forward network works on each token alone."
    )


def _logits(model: LoadedModel, answer: Prediction) -> str:
    pooler = "" if model.model.pooler is None else " goes through the pooler, and what it gives"
    negative, positive = answer.logits
    return (
        f"{_POOLED[model.pooling]}{pooler} is multiplied by two rows of weights: the logits are "
        f"{_signed(negative)} and {_signed(positive)}, and softmax makes "
        f"{100 * (1 - answer.p_positive):.1f} % negative and {100 * answer.p_positive:.1f} % "
        "positive of them."
    )


def _loss(model: LoadedModel, answer: Prediction) -> str:
    if answer.label == UNDECIDED:
        return "The model knows no word of this review; the loss measures an answer all the same."
    losses = [_cross_entropy(answer, label) for label in range(2)]
    likely = LABELS.index(answer.label)
    return (
        f"The loss is −ln of the probability that the true label got: {losses[likely]:.3f} if the "
        f"review is {LABELS[likely]}, {losses[1 - likely]:.3f} if it is {LABELS[1 - likely]}."
    )


def _back(model: LoadedModel, answer: Prediction) -> str:
    p = answer.p_positive
    return (
        "The way back begins with ŷ − y, what the model says minus what is true: "
        f"{_signed(p - 1)} at the positive logit if the review is POSITIVE, {_signed(p)} if it is "
        "NEGATIVE. From there every weight gets its share of the error."
    )


def _cross_entropy(answer: Prediction, label: int) -> float:
    """−ln p of that label, from the logits: a probability of 1 would round the loss to 0."""
    away = answer.logits[1 - label] - answer.logits[label]
    return max(away, 0.0) + math.log1p(math.exp(-abs(away)))


def _signed(number: float) -> str:
    return written(number, "+.2f")


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"


def _distilled(model: LoadedModel) -> bool:
    return str(model.model.bert.config.model_type) == "distilbert"
