"""A classifier and a text in, how much each word speaks for POSITIVE out, in log-odds, so that
classifiers can be compared.

A bag of words is asked for its weights: weight times count, as it adds them up. Any other
classifier is asked again without the word (leave-one-out; Li et al. 2016, "Understanding neural
networks through representation erasure"): the log-odds that go with it.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import logit

from bertsent.probing.baselines.answers import Classifier
from bertsent.probing.baselines.bag_of_words import BagOfWords
from bertsent.written_numbers import written

MOST_WORDS = 40  # that are left out one by one; the rest of a long review stays
_SURE = 1e-12  # a probability nearer to 0 or 1 counts as this
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


class WordReason(NamedTuple):
    """A word, or a pair of words, and what it adds to the log-odds of POSITIVE."""

    word: str
    log_odds: float


def word_reasons(classifier: Classifier, text: str) -> list[WordReason]:
    """What each word of a text does to that classifier's answer, the strongest first."""
    model = classifier.baseline
    if isinstance(model, BagOfWords):
        rows = model.word_weights(text).rows
        effects = (model.slope * rows["contribution"]).tolist()
        reasons = [WordReason(*row) for row in zip(rows["word"], effects, strict=True)]
    else:
        reasons = _left_out(classifier, text)
    return sorted(reasons, key=lambda reason: -abs(reason.log_odds))


def reasons_sentence(reasons: Sequence[WordReason], count: int = 2) -> str:
    """The strongest words: "great +1.9, boring −2.1"."""
    listed = ", ".join(f"{r.word} {signed(r.log_odds)}" for r in reasons[:count])
    return listed or "no word that it knows"


def signed(value: float) -> str:
    """A number with its sign and a digit more where it is small: "+12", "+1.9", "−0.08"."""
    digits = 0 if abs(value) >= 9.95 else 1 if abs(value) >= 0.95 else 2
    return written(value, f"+.{digits}f")


def _left_out(classifier: Classifier, text: str) -> list[WordReason]:
    found = list(_WORD.finditer(text))[:MOST_WORDS]
    shorter = [text[: word.start()] + text[word.end() :] for word in found]
    p = np.clip(classifier.p_positive([text, *shorter]), _SURE, 1 - _SURE)
    whole, *without = logit(p).tolist()
    return [
        WordReason(word.group().lower(), whole - each)
        for word, each in zip(found, without, strict=True)
    ]
