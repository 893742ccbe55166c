"""Altair charts whose specification is made once for all viewers."""

import copy
from typing import TYPE_CHECKING

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

if TYPE_CHECKING:
    from bertsent.figures.chart_spec import ChartSpec


def draw(chart: "ChartSpec", *, key: str, alt: str, place: DeltaGenerator | None = None) -> None:
    """Draw it as wide as its place, with the page's theme, as ``st.altair_chart`` would."""
    frames = chart["datasets"]
    rest = copy.deepcopy(
        {name: part for name, part in chart.items() if name != "datasets"}
    )  # Streamlit writes into what it gets
    (place or st).vega_lite_chart(
        {**rest, "datasets": dict(frames)}, width="stretch", key=key, alt=alt
    )
