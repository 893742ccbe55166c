"""Browser components: a script beside the module that speaks for it, mounted beside a chart."""

from pathlib import Path
from typing import Any

import streamlit as st


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
