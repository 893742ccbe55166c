"""The board as tables: what the class sees while it plays, and what is carried home."""

import pandas as pd

from bertsent.classroom.board_state import BoardState
from bertsent.classroom.room_state import RoomState
from bertsent.data.examples import LABELS

GONE = "somebody who left"


def ranking_table(state: RoomState) -> pd.DataFrame:
    """One row a member who has sent a review, the most points first: place, nickname, points,
    confirmed, waiting, tries.
    """
    ranks = state.board.ranking()
    return pd.DataFrame(
        {
            "place": [rank.place for rank in ranks],
            "nickname": [state.members.get(rank.member, GONE) for rank in ranks],
            "points": [rank.points for rank in ranks],
            "confirmed": [rank.confirmed for rank in ranks],
            "waiting": [rank.waiting for rank in ranks],
            "tries": [rank.tries for rank in ranks],
        }
    )


def entries_table(state: RoomState) -> pd.DataFrame:
    """One row a review on the board, the newest first: entry, text, label, p_wrong, standing,
    points, nickname. Of one that waits, label and p_wrong are missing: who judges it reads this
    table as well. What was taken off is not in it.
    """
    entries = [entry for entry in state.board.current[::-1] if not entry.dropped]
    shown = [entry.standing != "waiting" for entry in entries]
    return pd.DataFrame(
        {
            "entry": [entry.id for entry in entries],
            "text": [entry.text for entry in entries],
            "label": [LABELS[e.label] if s else None for e, s in zip(entries, shown, strict=True)],
            "p_wrong": [e.p_wrong if s else None for e, s in zip(entries, shown, strict=True)],
            "standing": [entry.standing for entry in entries],
            "points": [entry.points for entry in entries],
            "nickname": [state.members.get(entry.member, GONE) for entry in entries],
        }
    )


def confirmed_table(board: BoardState) -> pd.DataFrame:
    """Every confirmed review, whichever model it fooled, as a file that can be trained on: text,
    label, model, p_positive, confirmations, contradictions. Nicknames stay in the room.
    """
    entries = [entry for entry in board.entries.values() if entry.standing == "confirmed"]
    return pd.DataFrame(
        {
            "text": [entry.text for entry in entries],
            "label": [entry.label for entry in entries],
            "model": [entry.model for entry in entries],
            "p_positive": [entry.p_positive for entry in entries],
            "confirmations": [entry.confirmations for entry in entries],
            "contradictions": [entry.contradictions for entry in entries],
        }
    )


def board_sentence(state: RoomState) -> str:
    """How far the class is: reviews, confirmations, who leads."""
    board = state.board
    entries, tries = board.current, sum(each.count for each in board.tries.values())
    if not entries:
        return f"{tries:,} tries so far, and none has fooled the model." if tries else ""
    waiting = sum(entry.standing == "waiting" for entry in entries)
    wait, them = ("waits", "it") if waiting == 1 else ("wait", "them")
    confirmed = len(board.confirmed)
    said = (
        f"{len(entries):,} of {tries:,} tries fooled the model; {confirmed:,} "
        f"{'is' if confirmed == 1 else 'are'} confirmed"
        f"{f', {waiting:,} {wait} for somebody to confirm {them}' if waiting else ''}."
    )
    ranks = board.ranking()
    first = [rank for rank in ranks if rank.place == 1]
    if first and first[0].points:
        names = " and ".join(state.members.get(rank.member, GONE) for rank in first[:3])
        lead = "leads" if len(first) == 1 else "lead"
        said += f" {names} {lead} with {first[0].points} points."
    return said
