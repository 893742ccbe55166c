"""The slider of the checkpoint animation: the step at which the animation came to rest moves the
page's own checkpoint slider. The step comes from a browser and is checked.
"""

from collections.abc import Callable, Sequence

import streamlit as st

from bertsent.ui.shared.components import browser_component


def follow_slider(chart: str, steps: Sequence[int], step: int, act: Callable[[int], None]) -> None:
    """Listen to the animation drawn under the key ``chart``; ``act`` gets the step at which it came
    to rest, if that is another than ``step``.
    """
    key = f"{chart}_steps"

    def rested() -> None:
        found = st.session_state[key].get("rested")
        at = found.get("step") if isinstance(found, dict) else None
        if isinstance(at, int | float) and at in steps and at != step:
            act(int(at))

    browser_component(__file__)(
        key=key, data={"chart": chart, "step": step}, on_rested_change=rested, height=1
    )
