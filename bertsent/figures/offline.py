"""A Plotly figure in, one HTML file out that opens without a network: its scripts are inside, and
it sends nothing anywhere.
"""

import html
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import plotly.graph_objects as go

PAPER = "plotly_white"  # figures are made for the page's own theme; on paper they get this one
QUIET_BAR = {
    "showSendToCloud": False,
    "modeBarButtonsToRemove": ["sendChartToCloud"],
    "displaylogo": False,
    "responsive": True,
}


def offline_page(figure: "go.Figure", title: str) -> bytes:
    """The figure on white with its hover and zoom, as UTF-8.

    Args:
        figure: it is left as it is. What people wrote in it stays text: markup in its data ends no
            script.
        title: what the file says it is, shown as text.
    """
    import plotly.graph_objects as go

    shown = go.Figure(figure).update_layout(template=PAPER, paper_bgcolor="white")
    drawn = shown.to_html(
        include_plotlyjs=True,
        include_mathjax=False,
        full_html=False,
        auto_play=False,
        config=QUIET_BAR,
    )
    head = (
        '<!doctype html><html lang="en"><head><meta '
        f'charset="utf-8"><title>{html.escape(title)}</title>'
    )
    style = (
        "<style>body{font-family:sans-serif;margin:1rem auto;max-width:80rem;padding:0 "
        "1rem;background:white}</style></head>"
    )
    return f"{head}{style}<body><h1>{html.escape(title)}</h1>{drawn}</body></html>".encode()
