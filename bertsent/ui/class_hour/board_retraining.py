"""Retraining on the board: one click, the live run, and what came of it."""

from contextlib import suppress
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from bertsent.classroom.board_halves import check_enough, halves_of
from bertsent.classroom.board_state import BoardState
from bertsent.classroom.retraining import (
    MOST_TIMES,
    PHENOMENON,
    REHEARSED,
    SEED,
    followed,
    model_after,
    retrain,
    run_of,
)
from bertsent.classroom.retraining_result import (
    AFTER,
    BEFORE,
    TELLING,
    RetrainingResult,
    judge_retraining,
)
from bertsent.classroom.room import Room
from bertsent.classroom.room_events import Retrained
from bertsent.data.cache import cache_key
from bertsent.data.examples import LABELS
from bertsent.errors import BadInput, NotAvailable
from bertsent.figures.retraining import PRESENTED_ROW, ROW, retraining_chart
from bertsent.models.backbone import weights_hash
from bertsent.models.folders import WEIGHTS
from bertsent.probing.registry import find_model
from bertsent.settings import home
from bertsent.training.runs.run import Run
from bertsent.ui.class_hour.board_table import EVERY, NEWEST, tall
from bertsent.ui.fine_tune.run import live_view
from bertsent.ui.shared import (
    JobRequest,
    altair_chart,
    download_menu,
    escape_markdown,
    outcome,
    poll_interval,
    result,
    run_reader,
    show_errors,
    show_help,
    visitor,
    written_table,
)
from bertsent.ui.shared.presenter import present_first, presenting

_KEPT = {
    "author": "what one author wrote stays in one half",
    "wording": "reviews that differ in one word stay in one half, authors do not",
    "nothing": "each review is drawn by itself",
}
_COLUMNS = {
    "text": st.column_config.TextColumn("review", width="large"),
    BEFORE: st.column_config.NumberColumn("P(positive) before", format="%.1f %%"),
    AFTER: st.column_config.NumberColumn("after", format="%.1f %%"),
}
_RATES = {
    BEFORE: st.column_config.NumberColumn("fails before", format="%.1f %%"),
    AFTER: st.column_config.NumberColumn("after", format="%.1f %%"),
    "difference": st.column_config.NumberColumn("points", format="%+.1f"),
}


def comes_first(board: BoardState) -> bool:
    """Whether the class looks at the run now: it trains, or the board is closed after one."""
    run = run_of(board.retrained[-1]) if board.retrained else None
    return run is not None and (not board.taking or run_reader(run).look()[1].live)


def show_retraining(room: Room) -> None:
    """Draw the button, the run while it trains, and its result."""
    board = room.look().board
    event = board.retrained[-1] if board.retrained else None
    run = run_of(event) if event else None
    live = run is not None and run_reader(run).look()[1].live
    if run is None:
        _show_offer(room)
    if event is None:
        return
    with show_errors():
        if run is None:
            raise NotAvailable(
                f"The run {event.run}, which learned from the board, was deleted.",
                "Retrain again.",
            )
        _outcome(board, event, run)
    if run is not None and not live:
        _show_offer(room)


def _show_offer(room: Room) -> None:
    """The button, which can be pressed as soon as enough is confirmed."""
    every = None if room.look().closed else poll_interval(EVERY)
    st.fragment(_offer, run_every=every)(room)


def _offer(room: Room) -> None:
    """The button, and what it will do, or why it cannot be pressed."""
    with suppress(NotAvailable), result("retrain"):  # deleted meanwhile: the table says so
        board, refused = room.look().board, ""
        st.markdown("**Retrain the model on half of them**")
        try:
            check_enough(len(board.confirmed))
        except BadInput as error:
            refused = str(error)
        if visitor().host:
            pressed = st.button(
                "Retrain again" if board.retrained else "Retrain",
                type="primary",
                disabled=bool(refused),
                key="board-retrain",
            )
            if pressed and not refused:
                _start(room)
        st.caption(escape_markdown(refused or _plan(board)))


def _start(room: Room) -> None:
    with show_errors():
        with st.spinner("Starting …"):
            retrain(room)
        present_first()
        st.rerun()


def _plan(board: BoardState) -> str:
    halves = halves_of(board.confirmed, SEED)
    labels = {entry.label for entry in board.confirmed}
    only = LABELS[labels.pop()] if len(labels) == 1 else ""
    warning = f" All of them are {only}: it may learn that label, not a trick." if only else ""
    return (
        f"The model will learn from {len(halves.learned)} of the {len(board.confirmed)} confirmed "
        f"reviews, mixed with {REHEARSED} built-in ones, and be judged on the other "
        f"{len(halves.held_out)}; {_KEPT[halves.kept]}. The board then takes no more "
        f"reviews.{warning}"
    )


def _outcome(board: BoardState, event: Retrained, run: Run) -> None:
    status = run_reader(run).look()[1]
    if status.state == "finished":
        with result("retrained"):
            found = judged_retraining(board, event)
            if found is not None:
                _show_verdict(found)
        if found is not None:
            _show_sentences(found)
            _show_forgotten(found)
    live_view(run, _followed_sentence(board, event))


def _followed_sentence(board: BoardState, event: Retrained) -> str:
    """Which of the sentences whose answers are drawn the run learns from."""
    learned, held_out = (
        len(followed([board.entries[name] for name in half]))
        for half in (event.learned, event.held_out)
    )
    return (
        f"Of the sentences that are followed, the first {learned} are learned from; the last "
        f"{held_out} it never sees."
    )


def judged_retraining(board: BoardState, event: Retrained) -> RetrainingResult | None:
    """What a retraining that has finished did; None, and its progress drawn, until both models are
    asked.

    Raises:
        BertsentError: a model is gone.
    """
    models = (event.model, model_after(event))
    folders = [find_model(name, folders=False).folder for name in models]
    hashes = [weights_hash(folder / WEIGHTS) for folder in folders]
    learned, held_out = (
        tuple(board.entries[name] for name in half) for half in (event.learned, event.held_out)
    )
    return outcome(
        JobRequest(
            f"retraining-{cache_key(hashes, event.learned, event.held_out, event.sha256)}",
            partial(judge_retraining, models, learned, held_out, cache=home() / "cache" / "duel"),
            "Asking the model of before and the one of after",
            "Ask them",
            unasked=True,
        )
    )


def _show_verdict(found: RetrainingResult) -> None:
    table = found.table()
    st.markdown(f"**{escape_markdown(found.sentence())}**")
    chart = retraining_chart(table, row=PRESENTED_ROW if presenting() else ROW)
    altair_chart(chart, key="retrained-chart", alt=found.sentence())
    with st.container(horizontal=True, gap="small"):
        tables = {"Accuracies": table, "Answers": _answers(found)}
        download_menu("retrained", lambda: [retraining_chart(table)], "retrained", tables=tables)
        values: dict[str, Any] = {"rehearsed": REHEARSED, "times": MOST_TIMES}
        show_help("class_hour", "retraining", needed=TELLING, **values)


def _show_sentences(found: RetrainingResult) -> None:
    answers = _answers(found)
    with st.expander("Sentence by sentence"):
        st.dataframe(
            _percent(answers[answers["phenomenon"] == PHENOMENON])[
                ["reviews", "text", "label", BEFORE, AFTER]
            ],
            hide_index=True,
            key="retrained-sentences",
            column_config=_COLUMNS,
        )


def _answers(found: RetrainingResult) -> pd.DataFrame:
    """Every answer before and after, with the set that its review is of."""
    each = [table.table().assign(reviews=name) for name, table in found.sets().items()]
    return pd.concat(each, ignore_index=True)


def _show_forgotten(found: RetrainingResult) -> None:
    lost, fell, changes = found.forgotten(), found.failed_since(), found.scorecard_changes()
    worse = changes[changes["difference"] > 0]
    with result("forgotten"):
        st.markdown("**What it forgot**")
        st.caption(escape_markdown(f"{found.forgotten_sentence()} {found.scorecard_sentence()}"))
        left, right = st.columns([3, 2], gap="medium")
        with left:
            shown = _percent(lost)[["text", "label", "phenomenon", BEFORE, AFTER]]
            _forgotten_table(shown, "forgotten-reviews", _COLUMNS)
        with right:
            rates = worse.assign(**{c: 100 * worse[c] for c in (BEFORE, AFTER, "difference")})
            shown = rates[["capability", BEFORE, AFTER, "difference", "n"]]
            _forgotten_table(shown, "forgotten-capabilities", _RATES)
        tables = {"Forgotten reviews": lost, "Failed tests": fell, "Scorecard": changes}
        download_menu("forgotten", None, "forgotten", tables=tables)


def _forgotten_table(table: pd.DataFrame, key: str, columns: dict[str, Any]) -> None:
    if presenting():
        written_table(table, columns, most=NEWEST)
        return
    st.dataframe(table, hide_index=True, height=tall(len(table)), key=key, column_config=columns)


def _percent(table: pd.DataFrame) -> pd.DataFrame:
    return table.assign(**{column: 100 * table[column] for column in (BEFORE, AFTER)})
