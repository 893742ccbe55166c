"""The slider of the checkpoint animation: the step at which the animation came to rest moves the
page's own checkpoint slider. The step comes from a browser and is checked.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import streamlit as st


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

    _listener()(key=key, data={"chart": chart, "step": step}, on_rested_change=rested, height=1)


@st.cache_resource(show_spinner=False)
def _listener() -> Any:  # noqa: ANN401 - what Streamlit mounts
    script = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")
    return st.components.v2.component("bertsent_film_steps", js=script)
