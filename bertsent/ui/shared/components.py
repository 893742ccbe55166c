"""Browser components: a script beside the module that speaks for it, mounted beside a chart."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import streamlit as st

T = TypeVar("T")


@st.cache_resource(show_spinner=False)
def browser_component(file: str) -> Any:  # what Streamlit mounts
    """The component whose script is called like ``file`` but for the ending: ``.js``, and ``.html``
    and ``.css`` where there are such files. What it sends comes from a browser: check it.
    """
    parts: dict[str, Any] = {
        kind: path.read_text(encoding="utf-8")
        for kind in ("js", "html", "css")
        if (path := Path(file).with_suffix(f".{kind}")).is_file()
    }
    return st.components.v2.component(f"bertsent_{Path(file).stem}", **parts)


def listen(
    file: str,
    chart: str,
    check: Callable[[object], T | None],
    act: Callable[[T], None],
    **data: object,
) -> None:
    """Mount the component of ``file`` beside the chart of that key. What the browser sends as
    ``picked`` goes through ``check``; ``act`` gets what is left of it, before the page runs again.
    """
    key = f"{chart}_clicks"

    def picked() -> None:
        found = check(st.session_state[key].get("picked"))
        if found is not None:
            act(found)

    browser_component(file)(
        key=key, data={"chart": chart, **data}, on_picked_change=picked, height=1
    )
