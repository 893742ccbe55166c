"""Main effects on screen, for a grid and for the published experiment alike."""

import pandas as pd
import streamlit as st

from bertsent.figures.main_effects import main_effects_chart
from bertsent.ui.shared.downloads import altair_files, download_menu


def draw_effects(effects: pd.DataFrame, title: str, key: str) -> None:
    """A dot for the mean of each level, a line from its lowest to its highest run, and a menu to
    download both.
    """
    chart = main_effects_chart(effects, title)
    alt = f"{title}: mean, lowest and highest at each level of each setting"
    st.altair_chart(chart, key=key, alt=alt)
    download_menu(key, altair_files(lambda: [chart]), key, tables={"Effects": effects})
