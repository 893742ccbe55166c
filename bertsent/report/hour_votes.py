"""The votes of an hour as exhibits: each question, the calibration of the class, agreement."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import pandas as pd

from bertsent.classroom.agreement import agreement_sentence, agreement_table
from bertsent.classroom.class_calibration import (
    calibration_table,
    class_calibration_sentence,
    class_reliability,
)
from bertsent.classroom.room_state import AskedQuestion, RoomState
from bertsent.classroom.tally import (
    right_option,
    sure_and_wrong_sentence,
    tally,
    tally_sentence,
    turned_over,
)
from bertsent.figures.embedded import plotly_spec
from bertsent.figures.votes import class_reliability_figure
from bertsent.report.document import Drawing, Exhibit, NumberTable

if TYPE_CHECKING:
    import plotly.graph_objects as go


def question_exhibit(
    number: int, asked: AskedQuestion, reveal: "Callable[[AskedQuestion], go.Figure]"
) -> Exhibit:
    """One question with the class's votes and the answers that were turned over."""
    content = asked.content
    right = right_option(asked)
    finding = " ".join(filter(None, (tally_sentence(asked), sure_and_wrong_sentence(asked))))
    tables = [NumberTable.of_frame("Votes", _votes(asked))]
    if turned_over(asked):
        tables.append(NumberTable.of_frame("Answers of the models", _answers(asked)))
    return Exhibit(
        f"{number}. {content.prompt}",
        (review_of(asked), finding),
        {"Right": "" if right is None else content.options[right]},
        (Drawing("plotly", plotly_spec(reveal(asked)), finding),),
        tuple(tables),
        f"/{content.link.lstrip('/')}" if content.link else "",
    )


def review_of(asked: AskedQuestion) -> str:
    """The review that a question is about, in quotation marks, where its words do not say it."""
    text = asked.content.text
    return f"“{text}”" if text and text not in asked.content.prompt else ""


def calibration_exhibit(state: RoomState) -> Exhibit | None:
    """How sure and right the class was beside the models; None where no answer is known."""
    table, found = calibration_table(state), class_reliability(state)
    if not len(table):
        return None
    sentence = class_calibration_sentence(state)
    drawing = Drawing("plotly", plotly_spec(class_reliability_figure(found)), sentence)
    numbers = NumberTable.of_frame("Calibration", table, opened=True)
    return Exhibit("As sure as right?", (sentence,), {}, (drawing,), (numbers,))


def agreement_exhibit(state: RoomState) -> Exhibit:
    """How far the class agrees with itself (Fleiss) and with each model (Cohen)."""
    table = agreement_table(state).rename(columns={"kappa": "Cohen's κ"})
    tables = (NumberTable.of_frame("Agreement", table, opened=True),) if len(table) else ()
    return Exhibit("Do they agree?", (agreement_sentence(state),), tables=tables)


def _votes(asked: AskedQuestion) -> pd.DataFrame:
    counted = tally(asked)
    return pd.DataFrame(
        {
            "option": list(asked.content.options),
            "votes": list(counted.counts),
            "mean confidence": list(counted.confidences),
        }
    )


def _answers(asked: AskedQuestion) -> pd.DataFrame:
    found = turned_over(asked)
    return pd.DataFrame(
        {
            "model": [answer.name for answer in found],
            "says": [asked.content.options[answer.choice] for answer in found],
            "probability": [answer.probability for answer in found],
        }
    )
