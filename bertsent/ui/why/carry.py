"""One button for each way to take a figure and its numbers away; each file is made when its button
is pressed.
"""

from collections.abc import Callable
from typing import Any

import pandas as pd
import streamlit as st

from bertsent.ui.shared.downloads import picture_buttons, safe_csv


def carry(
    name: str, tables: dict[str, pd.DataFrame], charts: Callable[[], Any] | None = None
) -> None:
    """A box of downloads: ``tables`` by what they hold, and ``charts``, which gives the Altair
    charts of a sheet.
    """
    with st.popover("Download", key=f"{name}_download"):
        for words, table in tables.items():
            file = f"{name}-{words.lower().replace(' ', '-')}.csv"
            st.download_button(
                f"{words} as CSV",
                lambda table=table: safe_csv(table),
                file,
                "text/csv",
                key=f"{name}_{words}",
                on_click="ignore",
            )
        if charts is None:
            return
        from bertsent.figures.pictures import picture

        picture_buttons(name, lambda form: picture(charts(), form), key=f"{name}_")
