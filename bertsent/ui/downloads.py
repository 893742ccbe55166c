"""Frames in, files to take away out. Cells that a spreadsheet would run as formulas are made harmless."""

import pandas as pd

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def safe_csv(frame: pd.DataFrame) -> bytes:
    """The frame as UTF-8 CSV; a text cell that begins like a formula gets an apostrophe in front (OWASP, CSV injection)."""
    text = frame.select_dtypes(include=["object", "string"])
    return frame.assign(**{column: text[column].map(_harmless) for column in text}).to_csv(index=False).encode()


def _harmless(cell: object) -> object:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell
