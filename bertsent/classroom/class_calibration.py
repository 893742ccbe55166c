"""How sure and how right a class was over an hour, beside the models on the same questions.

Only what everybody may see counts: votes once the reveal began, an answer once it was turned over.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from bertsent.classroom.room_state import AskedQuestion, RoomState
from bertsent.classroom.tally import revealed, turned_over
from bertsent.probing.calibration import calibration_error, reliability_of

BINS = 10  # of the confidence: a class gives few answers, and gives them in tens
CLASS, CLASS_ON_SENTENCES = "Class", "Class, sentences only"
COLUMNS = ("who", "questions", "answers", "sure", "right", "ece")


@dataclass
class _Given:
    """Answers of one kind: how sure each was, whether it was right, and to how many questions."""

    questions: int = 0
    confidence: list[float] = field(default_factory=list)
    right: list[bool] = field(default_factory=list)

    def add(self, answers: list[tuple[float, bool]]) -> None:
        self.questions += bool(answers)
        self.confidence += [sure for sure, _ in answers]
        self.right += [right for _, right in answers]


def calibration_table(state: RoomState) -> pd.DataFrame:
    """One row for the class and one for each model: who, questions, answers, ``sure`` (mean
    confidence), ``right`` (share) and ``ece``, the expected calibration error over ten bins.

    Models are counted on sentences alone: elsewhere the model's answer is what is right.
    """
    rows = [
        (
            who,
            given.questions,
            len(given.right),
            float(np.mean(given.confidence)),
            float(np.mean(given.right)),
            calibration_error(_reliability(given)),
        )
        for who, given in _given(state).items()
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def class_reliability(state: RoomState) -> dict[str, pd.DataFrame]:
    """The reliability diagrams of the class and of each model, by who answered; empty where no
    question with a right option was revealed.
    """
    return {who: _reliability(given) for who, given in _given(state).items()}


def class_calibration_sentence(state: RoomState) -> str:
    """How sure and how right the class was, and the model that was asked last."""
    table = calibration_table(state)
    if not len(table):
        return "No vote on a question with a known answer has been revealed yet."
    first, *others = table.to_dict("records")
    models = [row for row in others if row["who"] != CLASS_ON_SENTENCES]
    if first["who"] != CLASS:
        return f"Nobody has voted yet. {_row_sentence(models[-1] if models else first)}"
    found = _row_sentence(first)
    return f"{found} {_row_sentence(models[-1])}" if models else found


def _row_sentence(row: Mapping[str, object]) -> str:
    sure, right, n = float(str(row["sure"])), float(str(row["right"])), int(str(row["answers"]))
    verdict = "as sure as right"
    if abs(sure - right) >= 0.005:
        verdict = "too sure" if sure > right else "not sure enough"
    answers = "1 answer" if n == 1 else f"{n:,} answers"
    few = ", too few to say more" if n < 2 else f": {verdict}, calibration error {row['ece']:.2f}"
    return f"{row['who']}: {100 * sure:.0f} % sure and {100 * right:.0f} % right in {answers}{few}."


def _reliability(given: _Given) -> pd.DataFrame:
    return reliability_of(np.array(given.confidence), np.array(given.right), BINS)


def _given(state: RoomState) -> dict[str, _Given]:
    known = [each for each in revealed(state) if each.content.truth is not None]
    found = {CLASS: _Given(), CLASS_ON_SENTENCES: _Given()}
    for asked in known:
        found[CLASS].add(_votes(asked))
        if asked.content.kind != "sentence":
            continue
        found[CLASS_ON_SENTENCES].add(_votes(asked))
        for answer in turned_over(asked):
            if answer.probability is not None:
                right = answer.choice == asked.content.truth
                found.setdefault(answer.name, _Given()).add([(answer.probability, right)])
    if found[CLASS].questions == found[CLASS_ON_SENTENCES].questions:
        del found[CLASS_ON_SENTENCES]
    return {who: given for who, given in found.items() if given.questions}


def _votes(asked: AskedQuestion) -> list[tuple[float, bool]]:
    truth = asked.content.truth
    return [(vote.confidence, vote.choice == truth) for vote in asked.votes.values()]
