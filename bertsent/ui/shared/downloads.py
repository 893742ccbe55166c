"""Frames in, files to take away out. Cells that a spreadsheet would run as formulas are made
harmless.
"""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

if TYPE_CHECKING:
    import plotly.graph_objects as go

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


# a mode bar that nobody sees: the menu presses its one button
UNSEEN_BAR: dict[str, object] = {"displaylogo": False, "modeBarButtons": [["toImage"]]}
_HTML = """
<div class="row"><button type="button" data-form="png">PNG</button><button type="button" data-form="svg">SVG</button></div>
<div class="said" role="status"></div>
"""
_CSS = """
.row {display: flex; gap: 0.5rem}
button {flex: 1; font: inherit; font-family: var(--st-font); color: var(--st-text-color); background: transparent; cursor: pointer;
  border: 1px solid var(--st-border-color); border-radius: var(--st-button-radius); padding: 0.35rem 0.75rem; min-height: 2.5rem}
button:hover, button:focus-visible {border-color: var(--st-primary-color); color: var(--st-primary-color)}
.said {font-family: var(--st-font); font-size: 0.85rem; color: var(--st-text-color)}
"""
_JS = """
export default function ({ data, parentElement }) {
  const camera = (chart) => chart._fullLayout?._modeBar?.buttons?.flat().find((button) => button.name === "toImage")
  const said = parentElement.querySelector(".said")
  const take = (format) => {
    const chart = document.querySelector(".st-key-" + data.chart + " .js-plotly-plot")
    const charts = [...document.querySelectorAll(".js-plotly-plot")]
    const button = chart && (camera(chart) ?? charts.map(camera).find(Boolean))  // any chart's camera takes every chart
    said.textContent = button ? "" : "The chart is not drawn yet."
    if (!button) return
    const settings = chart._context.toImageButtonOptions, paper = chart.layout.paper_bgcolor
    const clear = /transparent|,\\s*0(\\.0+)?\\s*\\)$/.test(chart._fullLayout.paper_bgcolor ?? "transparent")
    chart._context.toImageButtonOptions = { format, filename: data.file, scale: 2 }
    if (clear) chart.layout.paper_bgcolor = getComputedStyle(document.querySelector(".stApp")).backgroundColor
    try {
      button.click(chart)  // it copies settings and layout before it returns
    } finally {
      chart._context.toImageButtonOptions = settings
      if (clear) chart.layout.paper_bgcolor = paper
    }
  }
  for (const button of parentElement.querySelectorAll("button")) button.onclick = () => take(button.dataset.form)
}
"""


def download_menu(
    chart_key: str,
    figure: "go.Figure",
    file: str,
    *,
    page: Callable[[], bytes] | None = None,
    bar: bool = False,
) -> None:
    """Draw the menu below the chart ``st.plotly_chart(figure, key=chart_key, config=UNSEEN_BAR)``.

    Args:
        chart_key: the key of the chart on this page.
        figure: what is drawn there.
        file: how the files are called, without an ending.
        page: what makes the HTML file, where the figure alone is not all of it.
        bar: whether people see the chart's mode bar; its config has to contain the camera then, as
            Plotly's own has.
    """
    place = re.sub(
        r"[^a-zA-Z0-9_-]", "-", chart_key.strip()
    )  # how Streamlit makes a class of a key
    if not bar:
        st.html(f"<style>.st-key-{place} .modebar-container {{display: none}}</style>")
    with st.popover("Take away", key=f"{chart_key}_away", type="tertiary"):
        _camera()(key=f"{chart_key}_camera", data={"chart": place, "file": file})
        st.download_button(
            "HTML",
            page or (lambda: _page(figure, file)),
            f"{file}.html",
            "text/html",
            key=f"{chart_key}_html",
            on_click="ignore",
            width="stretch",
            help="One file that keeps hover and zoom and works offline.",
        )


def _page(figure: "go.Figure", file: str) -> bytes:
    from bertsent.figures.offline import offline_page

    return offline_page(figure, file)


@st.cache_resource(show_spinner=False)
def _camera():  # noqa: ANN202 - what Streamlit mounts
    return st.components.v2.component("bertsent_camera", html=_HTML, css=_CSS, js=_JS)
