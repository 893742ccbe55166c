"""Is this review negative or positive: the class, then classifiers from the simplest to BERT."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from bertsent.classroom.room_events import Answer, Question
from bertsent.data.cleaning import typed_review
from bertsent.data.examples import LABELS, Reviews
from bertsent.probing.baselines.answers import Classifier, disagreements, kept_answers
from bertsent.progress import Progress, no_progress

PROMPT = "Is this review negative or positive?"
LONGEST = 300  # characters: it is to be read from the last row


def sentence_question(
    text: str,
    classifiers: Sequence[Classifier],
    seconds: int,
    *,
    truth: int | None = None,
    link: str = "",
) -> Question:
    """A question about a review, which every classifier is asked now.

    Args:
        text: the review as it was typed.
        classifiers: who answers beside the class, in the order of the reveal.
        seconds: to vote in.
        truth: its label, where it has one.
        link: where the lab shows it.

    Raises:
        BadInput: there is nothing to classify, or too much to read.
        BertsentError: a classifier does not answer.
    """
    clean = typed_review(text, LONGEST)
    answers = [_answer(each, clean) for each in classifiers]
    model = classifiers[-1].name if classifiers else ""
    return Question(
        "sentence",
        PROMPT,
        tuple(LABELS),
        seconds,
        text=clean,
        link=link,
        answers=tuple(answers),
        truth=truth,
        model=model,
    )


def most_disputed(
    classifiers: Sequence[Classifier],
    reviews: Reviews,
    cache: Path,
    progress: Progress = no_progress,
) -> pd.DataFrame:
    """The reviews on which the classifiers give different labels, the widest spread of P(positive)
    first: id, text, ``true`` (the label, empty where there is none), how many say positive, and
    each P(positive). Answers are kept in ``cache``. Reviews too long for a projector are left out.

    Raises:
        Cancelled: ``progress`` raised it; finished answers are kept.
    """
    short = reviews.where([len(text) <= LONGEST for text in reviews.texts])
    found = {}
    for number, each in enumerate(classifiers):
        progress(number / len(classifiers))
        found[each.name] = kept_answers(each, short, cache)
    return disagreements(short, found)


def _answer(classifier: Classifier, text: str) -> Answer:
    p = float(classifier.p_positive([text])[0])
    return Answer(classifier.name, int(p > 0.5), max(p, 1 - p))
