"""Frames in, files to take away out. Cells that a spreadsheet would run as formulas are made
harmless.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

if TYPE_CHECKING:
    from bertsent.figures.forms import Form

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def safe_csv(frame: pd.DataFrame) -> bytes:
    """The frame as UTF-8 CSV; a text cell that begins like a formula gets an apostrophe in front
    (OWASP, CSV injection).
    """
    text = frame.select_dtypes(include=["object", "string"])
    return (
        frame.assign(**{column: text[column].map(_harmless) for column in text})
        .to_csv(index=False)
        .encode()
    )


def picture_buttons(
    file: str, draw: Callable[["Form"], bytes], *, key: str, what: str = "Figure"
) -> None:
    """One button a form of picture; ``draw`` makes the file when its button is pressed."""
    from bertsent.figures.forms import MIMES, WORDS

    for form, words in WORDS.items():
        st.download_button(
            f"{what} as {words}",
            lambda form=form: draw(form),
            f"{file}.{form}",
            MIMES[form],
            key=f"{key}{form}",
            on_click="ignore",
        )


def _harmless(cell: object) -> object:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell
