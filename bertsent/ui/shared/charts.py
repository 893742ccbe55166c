"""Charts as every page draws them: Plotly figures with a sentence and their downloads, and Altair
charts whose specification is made once for all viewers.
"""

import copy
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from bertsent.ui.shared.downloads import UNSEEN_BAR, Table, download_menu
from bertsent.ui.shared.errors import escape_markdown
from bertsent.ui.shared.presenter import presenting
from bertsent.ui.shared.results import note_finding

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from bertsent.figures.altair_panels import ChartSpec


def draw(chart: "ChartSpec", *, key: str, alt: str, place: DeltaGenerator | None = None) -> None:
    """Draw it as wide as its place, with the page's theme, as ``st.altair_chart`` would."""
    note_finding(key, alt)
    rest = {name: part for name, part in chart.items() if name != "datasets"}
    own = {**copy.deepcopy(rest), "datasets": dict(chart["datasets"])}  # Streamlit writes into it
    (place or st).vega_lite_chart(_presented(own), width="stretch", key=key, alt=alt)


def altair_chart(
    chart: Any,  # of Altair
    *,
    place: DeltaGenerator | None = None,
    **options: Any,
) -> Any:  # what st.altair_chart gives
    """``st.altair_chart``, large while somebody presents."""
    where = place or st
    note_finding(options.get("key"), options.get("alt", ""))
    if presenting():
        return where.vega_lite_chart(_presented(chart.to_dict()), **options)
    return where.altair_chart(chart, **options)


def plotly_chart(
    figure: "go.Figure",
    *,
    place: DeltaGenerator | None = None,
    **options: Any,
) -> Any:  # what st.plotly_chart gives
    """``st.plotly_chart``, large while somebody presents."""
    note_finding(options.get("key"), options.get("alt", ""))
    if presenting():
        from bertsent.figures.enlarged import enlarged_figure

        figure = enlarged_figure(figure, ink())
    return (place or st).plotly_chart(figure, **options)


def _presented(spec: "ChartSpec") -> "ChartSpec":
    if not presenting():
        return spec
    from bertsent.figures.enlarged import enlarged_chart

    return enlarged_chart(spec, ink())


def ink() -> str:
    """The colour of words that are to be read on the page's own background."""
    return "#ffffff" if st.context.theme.type == "dark" else "#000000"


def show_figure(
    figure: "go.Figure",
    key: str,
    file: str,
    sentence: str,
    *,
    caption: str | None = None,
    tables: Mapping[str, Table] | None = None,
    page: Callable[[], bytes] | None = None,
    bar: bool = False,
    **layout: Any,  # as st.plotly_chart takes it
) -> Any:  # what st.plotly_chart gives
    """Draw a Plotly figure, what it shows in words, and the menu of its downloads.

    Args:
        key: of the chart on this page.
        file: how downloads are called, without an ending.
        sentence: what it shows, for readers of the screen.
        caption: what stands below it, if that is not the sentence; empty for nothing.
        tables: its numbers, by what they hold.
        page: what makes the HTML file, where the figure alone is not all of it.
        bar: whether people see the chart's own tools.
    """
    config = {"displaylogo": False} if bar else UNSEEN_BAR
    event = plotly_chart(figure, key=key, config=config, alt=sentence, **layout)
    if words := sentence if caption is None else caption:
        st.caption(escape_markdown(words))
    download_menu(key, figure, file, tables=tables, page=page, bar=bar)
    return event
