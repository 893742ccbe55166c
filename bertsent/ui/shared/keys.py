"""The keyboard: one list of keys, from which the page takes its shortcuts and their help."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from bertsent.ui.shared.components import browser_component
from bertsent.ui.shared.visitor import visitor

_SCRIPT = str(Path(__file__).parent / "scripts" / "keyboard")


@dataclass(frozen=True)
class Key:
    """A key as browsers call it and as people read it, what it does, and what it presses: the
    element of a CSS selector, or that of the ``place`` among several.
    """

    name: str
    shown: str
    does: str
    element: str
    place: int = 0


KEYS = (
    Key("/", "/", "Write another review", ".st-key-review_box input"),
    Key("s", "S", "Settings", ".st-key-settings button"),
    Key(
        "p",
        "P",
        "Present, or stop presenting",
        ".st-key-present_off button, .st-key-present_on button",
    ),
    Key("ArrowRight", "→ or Page Down", "While presenting: next", ".st-key-present_next button"),
    Key("PageDown", "", "", ".st-key-present_next button"),
    Key("ArrowLeft", "← or Page Up", "While presenting: back", ".st-key-present_back button"),
    Key("PageUp", "", "", ".st-key-present_back button"),
    Key("k", "K", "Taking apart: play, or pause", ".st-key-walk_play button"),
    Key("j", "J", "Taking apart: the part before", ".st-key-walk_back button"),
    Key("l", "L", "Taking apart: the next part", ".st-key-walk_next button"),
    Key("n", "N", "In a lesson: the next step", ".st-key-player_next button"),
    Key("b", "B", "In a lesson: the step before", ".st-key-player_previous button"),
    Key("Escape", "Esc", "Stop presenting", ".st-key-present_off button"),
    Key("?", "?", "Show this list", ".st-key-keys_help button"),
)


def keyboard(pages: Sequence[str]) -> None:
    """Listen to the keyboard, and draw the button that lists the keys. The digits open ``pages``,
    in the order of the menu.
    """
    digits = [
        Key(str(place + 1), str(place + 1), f"Open {page}", "[data-testid=stTopNavLink]", place)
        for place, page in enumerate(pages)
    ]
    keys = (*KEYS, *digits)
    about = "Keys of the keyboard, and the host"
    with st.popover("?", type="tertiary", key="keys_help", help=about):
        _host_entry()
        st.markdown(
            "| key | |\n|---|---|\n"
            + "\n".join(f"| **{key.shown}** | {key.does} |" for key in keys if key.shown)
        )
        st.caption("Tab and Shift + Tab reach everything else.")
    browser_component(_SCRIPT)(
        key="keyboard",
        data={"keys": {key.name: [key.element, key.place] for key in keys}},
        height=1,
    )


def _host_entry() -> None:
    """The way to the page on which a visitor becomes the host, or stops being it."""
    who = visitor()
    if who.id:
        words = "You are the host of this lab" if who.host else "Become the host of this lab"
        st.html(f'<a href="/host">{words}</a>')
