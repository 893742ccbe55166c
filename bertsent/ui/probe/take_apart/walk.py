"""Back, Play and Next: walk through the parts, one open at a time; in presenter mode, through the
results of every part.
"""

import time
from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from bertsent.ui.probe.take_apart.open import last_opened, open_only, turns
from bertsent.ui.shared import escape_markdown
from bertsent.ui.shared.into_sight import bring_to_top
from bertsent.ui.shared.presenter import next_result, presenting
from bertsent.ui.shared.tabs import step_part

SECONDS = 12  # that a part stands while it plays
_PLAYS, _DRAWN = "walk_plays", "walk_drawn"
PLAY_HELP = f"Opens one part after the other, each for {SECONDS} seconds. K plays and pauses."


def walk_buttons(keys: Sequence[str]) -> None:
    """Draw the buttons, and go on by itself while it plays."""
    place = keys.index(last_opened()) if last_opened() in keys else -1
    plays = st.session_state.setdefault(_PLAYS, False)
    with st.container(
        horizontal=True,
        vertical_alignment="center",
        gap="small",
        width="content",
        wrap=False,
        key="walk",
    ):
        _arrow("Back", -1, disabled=place < 0)
        st.button(
            "Pause" if plays else "Play",
            icon=":material/pause:" if plays else ":material/play_arrow:",
            key="walk_play",
            type="tertiary",
            on_click=_play,
            args=(not plays, place + 1 == len(keys)),
            help=PLAY_HELP,
        )
        _arrow("Next", 1, disabled=place + 1 == len(keys))
        st.caption(f"{place + 1} of {len(keys)}" if place >= 0 else f"{len(keys)} parts")
        bring_to_top("walk", f"part_{last_opened()}" if last_opened() else "", turns())
    st.session_state[_DRAWN] = time.monotonic()
    if plays:
        st.fragment(_go_on, run_every=SECONDS)(place + 1 == len(keys))


def part_header(part: str, sentence: str) -> DeltaGenerator:
    """The sentence of an open part, which presenter mode keeps in sight; gives the place beside
    it.
    """
    with st.container(
        horizontal=True, vertical_alignment="center", wrap=False, key=f"present_title_{part}"
    ):
        st.markdown(escape_markdown(sentence), width="stretch")
        return st.container(width="content")


def pause() -> None:
    """Stop where it is: somebody takes over."""
    st.session_state[_PLAYS] = False


def _arrow(label: str, direction: int, *, disabled: bool) -> None:
    st.button(
        label,
        key=f"walk_{label.lower()}",
        type="tertiary",
        on_click=_turn,
        args=(direction,),
        disabled=disabled,
    )


def _play(plays: bool, at_the_end: bool) -> None:
    st.session_state[_PLAYS] = plays
    if plays and (at_the_end or not last_opened()):
        open_only("")
        _turn(1)


def _turn(direction: int) -> None:
    if step_part(direction):
        open_only(last_opened())


def _go_on(at_the_end: bool) -> None:
    """Runs once with the page, and then every few seconds alone."""
    if time.monotonic() - st.session_state[_DRAWN] < 0.8 * SECONDS:
        return
    if presenting():
        st.session_state[_PLAYS] = next_result()
    else:
        _turn(1)
        st.session_state[_PLAYS] = not at_the_end
    st.rerun()
