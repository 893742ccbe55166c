"""What an encoder would put into the gaps at every checkpoint of a run: what training for labels
makes it forget.
"""

from functools import partial
from pathlib import Path

import streamlit as st

from bertsent.errors import NotAvailable
from bertsent.figures.guessed_words import guess_bars, guess_lines
from bertsent.models.backbone import weights_hash
from bertsent.models.folders import WEIGHTS
from bertsent.probing.fill_mask import FilledGap
from bertsent.probing.guesses_by_checkpoint import (
    EncoderFrame,
    GapByCheckpoint,
    frames_of,
    guesses_by_checkpoint,
)
from bertsent.progress import Progress
from bertsent.ui.shared import (
    JobRequest,
    escape_markdown,
    outcome,
    result,
    show_figure,
)
from bertsent.ui.shared.jobs import UNASKED_TOKENS
from bertsent.ui.words.gap_text import GapText, choose_gap

FRAME = "mask_frame"
AT_ONCE = 2  # checkpoints that are asked while the page is drawn
WHAT = (
    "A checkpoint that was trained for labels has no language-model head any more. Here it gets "
    "that of the built-in encoder back, with what was added to the last layers for it: weights of "
    "the checkpoint + the shipped change. At step 0 this is the model of “Guesses”; all that "
    "differs later comes from the run. Nobody trained these sums: a guess that is gone may only be "
    "out of reach of the old head."
)


def show_gap_checkpoints(asked: GapText, folder: Path, name: str) -> None:
    """Draw the guesses of a chosen checkpoint and the probabilities over all of them.

    Raises:
        BadInput: no word is hidden, or too many.
    """
    with result("gap_checkpoints"):
        try:
            frames = frames_of(name)
        except NotAvailable as error:
            st.info(escape_markdown(str(error)))
            return
        asked.filled(folder)  # refuses at once what cannot be asked
        found: list[GapByCheckpoint] | None = outcome(
            JobRequest(
                _key(frames, folder, asked),
                partial(_ask, frames, folder, asked),
                f"Asking {len(frames)} checkpoints",
                "Ask the checkpoints",
                tokens=0 if len(frames) <= AT_ONCE else UNASKED_TOKENS,
            )
        )
        if found is not None:
            _draw(found)
    st.caption(WHAT)


def _key(frames: list[EncoderFrame], folder: Path, asked: GapText) -> str:
    weights = [
        weights_hash(frame.folder / WEIGHTS) if frame.folder else "built-in" for frame in frames
    ]
    heads = weights_hash(folder / WEIGHTS)
    return repr(("gaps", heads, *weights, asked))


def _ask(
    frames: list[EncoderFrame], folder: Path, asked: GapText, progress: Progress
) -> list[GapByCheckpoint]:
    return guesses_by_checkpoint(
        frames, folder, asked.text, chosen=asked.chosen, truths=asked.truths, progress=progress
    )


def _draw(found: list[GapByCheckpoint]) -> None:
    controls = st.container(horizontal=True, vertical_alignment="bottom", gap="medium")
    with controls:
        gap = found[choose_gap([each.truth or f"gap {n}" for n, each in enumerate(found, 1)])]
        frame = _chosen_frame(gap)
    left, right = st.columns([2, 3], gap="medium")
    with left:
        at = gap.at(frame)
        title = gap.frames[frame].title
        show_figure(
            guess_bars(at.words, truth=_truth(at), reach=_reach(gap)),
            "gap_frame_chart",
            "bertsent-guesses-checkpoint",
            f"{title[0].upper()}{title[1:]}. {at.sentence()}",
            tables={"All checkpoints": gap.table},
        )
    with right:
        words = gap.followed()
        show_figure(
            guess_lines(
                [each.step for each in gap.frames],
                [each.title for each in gap.frames],
                {word: gap.p[:, gap.words.index(word)] for word in words},
                gap.truth if gap.ranks else "",
                frame,
            ),
            "gap_lines_chart",
            "bertsent-guesses-by-checkpoint",
            gap.sentence(),
            tables={"All checkpoints": gap.table},
        )


def _chosen_frame(gap: GapByCheckpoint) -> int:
    """A slider over the checkpoints, at first at the last one."""
    titles = [frame.title for frame in gap.frames]
    if len(titles) == 1:
        return 0
    if st.session_state.get(FRAME) not in titles:
        st.session_state[FRAME] = titles[-1]
    chosen = st.select_slider("Checkpoint", titles, key=FRAME, persist_state="session", width=420)
    return titles.index(chosen)


def _reach(gap: GapByCheckpoint) -> float:
    """The same axis at every checkpoint."""
    return float(gap.p.max())


def _truth(gap: FilledGap) -> tuple[str, float, int] | None:
    if gap.p_truth is None or gap.rank is None:
        return None
    return gap.truth, gap.p_truth, gap.rank
