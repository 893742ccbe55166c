"""The download menu below a figure: its numbers as CSV, the figure as PNG, SVG or HTML, and the way
into the visitor's notebook.

A Plotly chart is photographed in the browser as it is seen: zoomed, turned, in the theme of the
page. Altair charts are drawn anew on white. Files are made when their button is pressed.
"""

import mimetypes
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import pandas as pd
import streamlit as st

from bertsent.training.runs.run import Run
from bertsent.ui.shared.components import browser_component
from bertsent.ui.shared.help_texts import show_help
from bertsent.ui.shared.pinning import pin_button

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from bertsent.figures.pictures import Form

Table: TypeAlias = pd.DataFrame | Callable[[], pd.DataFrame]
Charts: TypeAlias = Callable[[], Sequence[Any]]  # of Altair
# a mode bar that nobody sees: the menu presses its one button
UNSEEN_BAR: dict[str, object] = {"displaylogo": False, "modeBarButtons": [["toImage"]]}
_CAMERA = str(Path(__file__).parent / "scripts" / "plotly_camera")
_FORMS: "tuple[Form, ...]" = ("png", "svg", "html")
_FORMULA = ("=", "+", "-", "@", "\t", "\n")


def safe_csv(table: Table) -> bytes:
    """The table as UTF-8 CSV; a text in a cell or a header that a spreadsheet would take for a
    formula gets an apostrophe in front (OWASP, CSV injection).
    """
    frame = table() if callable(table) else table
    safe = frame.copy()
    for place, kind in enumerate(frame.dtypes):
        if not (pd.api.types.is_numeric_dtype(kind) or pd.api.types.is_datetime64_any_dtype(kind)):
            safe.isetitem(place, frame.iloc[:, place].astype(object).map(_harmless))
    safe.columns = pd.Index([_harmless(name) for name in frame.columns])
    return safe.to_csv(index=False).encode()


def download_menu(
    key: str,
    figure: "go.Figure | Charts | None",
    file: str,
    *,
    tables: Mapping[str, Table] | None = None,
    files: Mapping[str, tuple[str, Callable[[], bytes]]] | None = None,
    page: Callable[[], bytes] | None = None,
    bar: bool = False,
    canvas: bool = False,
    seen: "Callable[[], go.Figure] | None" = None,
    finding: str = "",
    run: Run | None = None,
) -> None:
    """Draw the menu of what a figure can be downloaded as.

    Args:
        key: the key of ``st.plotly_chart(figure, key=key, config=UNSEEN_BAR)`` on this page, or any
            other where the figure is no Plotly chart.
        figure: what is drawn there, or what makes Altair charts, to stand one below the other in
            the file; None for tables alone.
        file: how the files are called, without an ending.
        tables: what numbers there are, by what they hold.
        files: other files, by what they are: a name and what makes it.
        page: what makes the HTML file, where the Plotly figure alone is not all of it.
        bar: whether people see the chart's mode bar; its config has to contain the camera then, as
            Plotly's own has.
        canvas: whether a component of that key takes the pictures itself; ``page`` makes its HTML.
        seen: what draws the same with Plotly for a notebook, where ``figure`` is not what is seen.
        finding: what it shows in words, where the chart itself did not say so.
        run: which run it is of, where that is not the one that the page has open.
    """
    is_chart = figure is not None and not callable(figure)
    chart = re.sub(r"[^a-zA-Z0-9_-]", "-", key.strip())  # how Streamlit makes a class of a key
    if is_chart and not bar:
        st.html(f"<style>.st-key-{chart} .modebar-container {{display: none}}</style>")
    with st.popover("Download", key=f"{key}_download", type="tertiary"):
        for words, table in (tables or {}).items():
            ending = f"-{words.lower().replace(' ', '-')}" if len(tables or {}) > 1 else ""
            _button(
                f"{words} as CSV", partial(safe_csv, table), f"{file}{ending}.csv", f"{key}_{words}"
            )
        for words, (name, make) in (files or {}).items():
            _button(words, make, name, f"{key}_{words}")
        if is_chart or canvas:
            browser_component(_CAMERA)(key=f"{key}_camera", data={"chart": chart, "file": file})
            _button("HTML", page or partial(_page, figure, file), f"{file}.html", f"{key}_html")
        elif callable(figure):
            for form in _FORMS:
                make = partial(_picture, figure, form)
                _button(form.upper(), make, f"{file}.{form}", f"{key}_{form}")
        if figure is not None or seen or tables:
            pin_button(key, seen or figure, tables or {}, finding, run)


def downloads_and_help(
    key: str,
    figure: "go.Figure | Charts | None",
    file: str,
    help_text: tuple[str, str],
    *,
    tables: Mapping[str, Table] | None = None,
    finding: str = "",
    **values: Any,
) -> None:
    """Draw ``download_menu`` and beside it ``show_help``: the text of a page and a name, in which
    ``values`` replace their words.
    """
    with st.container(horizontal=True, gap="small"):
        download_menu(key, figure, file, tables=tables, finding=finding)
        show_help(*help_text, **values)


def _button(label: str, make: Callable[[], bytes], file: str, key: str) -> None:
    kind = mimetypes.guess_type(file)[0]
    html = "One file that keeps hover and zoom and works offline." if label == "HTML" else None
    st.download_button(
        label, make, file, kind, key=key, on_click="ignore", width="stretch", help=html
    )


def _picture(charts: Charts, form: "Form") -> bytes:
    from bertsent.figures.pictures import picture

    return picture(charts(), form)


def _page(figure: "go.Figure", file: str) -> bytes:
    from bertsent.figures.plotly_panels import offline_page

    return offline_page(figure, title=file)


def _harmless(cell: Any) -> Any:  # any cell of a table
    if not isinstance(cell, str):
        return cell
    cell = cell.replace("\r\n", "\n").replace("\r", "\n")  # a bare return would begin a row
    return f"'{cell}" if cell.startswith(_FORMULA) else cell
