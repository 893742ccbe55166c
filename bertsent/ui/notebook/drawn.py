"""The figures and the numbers of a pin on the page, as they were when it was pinned."""

from typing import Any

import streamlit as st

from bertsent.figures.embedded import restored_figure
from bertsent.report.document import Drawing
from bertsent.report.pins import Pin, PinContent
from bertsent.ui.shared import plotly_chart


def draw_content(pin: Pin, content: PinContent | None) -> None:
    """Draw it; ``content`` is None where its file is gone or damaged."""
    if content is None:
        st.warning("The figure of this pin is damaged and cannot be shown. Take it out.")
        return
    for number, drawing in enumerate(content.drawings):
        try:
            _draw(drawing, f"drawn_{pin.id}_{number}")
        except Exception:  # whatever a damaged file makes of it
            st.warning("A figure of this pin cannot be drawn; its numbers are below.")
    for table in content.tables:
        rows = table.frame()
        if content.drawings:
            with st.popover(f"{table.title}, {table.of:,} rows", type="tertiary"):
                st.dataframe(rows, hide_index=True)
        else:
            st.dataframe(rows, hide_index=True)


def _draw(drawing: Drawing, key: str) -> None:
    if drawing.library == "plotly":
        options: dict[str, Any] = {"config": {"displaylogo": False}, "alt": drawing.alt}
        plotly_chart(restored_figure(drawing.spec), key=key, **options)
    else:
        st.vega_lite_chart(drawing.spec, width="stretch", key=key, alt=drawing.alt)
