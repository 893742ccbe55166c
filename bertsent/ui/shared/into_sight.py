"""Scroll what a visitor has just opened or started into sight."""

from bertsent.ui.shared.components import browser_component


def bring_to_top(kind: str, place: str, turn: int) -> None:
    """Scroll a container to the top of the window, below what stays there, once a turn.

    Args:
        kind: what counts its turns apart from others; one of each on a page.
        place: the key of the container; none scrolls nothing.
        turn: how often something of this kind was opened or started in this session.
    """
    data = {"kind": kind, "place": place, "turn": turn}
    browser_component(__file__)(key=f"{kind}_scroll", data=data, height=1)
