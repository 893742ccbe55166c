"""Long help texts: Markdown files beside the page that shows them."""

from functools import cache
from pathlib import Path

import streamlit as st

PAGES = Path(__file__).parents[1]


@cache
def help_text(page: str, name: str) -> str:
    """``ui/<page>/text/<name>.md``."""
    return (PAGES / page / "text" / f"{name}.md").read_text(encoding="utf-8")


def show_help(page: str, name: str, title: str = "How is this computed?", **values: object) -> None:
    """The text behind a small button; ``{word}`` in it stands for the value of that name."""
    text = help_text(page, name)
    for word, value in values.items():
        text = text.replace(f"{{{word}}}", str(value))
    with st.popover(title, type="tertiary"):
        st.markdown(text)
