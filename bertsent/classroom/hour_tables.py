"""The hour as tables: its questions with their answers, and its votes without a name."""

import pandas as pd

from bertsent.classroom.room_state import AskedQuestion, RoomState
from bertsent.classroom.tally import revealed, tally, turned_over

_QUESTION = ("question", "kind", "prompt", "text", "truth", "votes", "majority")
_NUMBERS = ("share", "sure", "right", "sure_and_wrong")
_VOTE = ("question", "prompt", "text", "option", "confidence", "right")


def question_table(state: RoomState) -> pd.DataFrame:
    """One row for each question whose reveal began: ``question`` (its number, from 1), kind,
    prompt, text, ``truth``, ``votes``, the class's ``majority``, the ``share`` of the votes for it,
    their mean confidence ``sure``, how many were ``right`` and how many ``sure_and_wrong``; then
    each answer that was turned over, under the name of who gave it. What is not known is None.
    """
    rows = [_question_row(number, asked) for number, asked in enumerate(revealed(state), 1)]
    table = pd.DataFrame(rows, columns=None if rows else [*_QUESTION, *_NUMBERS], dtype=object)
    return table.where(table.notna(), None)


def vote_table(state: RoomState) -> pd.DataFrame:
    """One row a vote: ``question`` (its number, from 1), prompt, text, option, confidence and
    whether it is right. Nothing says whose it is, the order neither: within a question votes are
    sorted.
    """
    rows = [
        (
            number,
            asked.content.prompt,
            asked.content.text,
            asked.content.options[vote.choice],
            vote.confidence,
            None if asked.content.truth is None else vote.choice == asked.content.truth,
        )
        for number, asked in enumerate(revealed(state), 1)
        for vote in sorted(asked.votes.values(), key=lambda v: (v.choice, v.confidence))
    ]
    return pd.DataFrame(rows, columns=list(_VOTE))


def _question_row(number: int, asked: AskedQuestion) -> dict[str, object]:
    content, counted = asked.content, tally(asked)
    majority = counted.majority
    share = None if majority is None else counted.counts[majority] / counted.votes
    named: dict[str, object] = dict(
        zip(
            (*_QUESTION, *_NUMBERS),
            (
                number,
                content.kind,
                content.prompt,
                content.text,
                None if content.truth is None else content.options[content.truth],
                counted.votes,
                None if majority is None else content.options[majority],
                share,
                counted.sure,
                counted.right,
                counted.sure_and_wrong,
            ),
            strict=True,
        )
    )
    return named | {each.name: content.options[each.choice] for each in turned_over(asked)}
