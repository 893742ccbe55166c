"""Numbers after each layer as lines, told apart by colour, dash and mark."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from bertsent.figures.colours import escape
from bertsent.figures.plotly_panels import LEGEND_ABOVE, on_page

HEIGHT = 300


@dataclass(frozen=True)
class Line:
    """Values (n,) of layers, the first of them ``begins``, and how they are drawn."""

    values: np.ndarray
    colour: str
    dash: str = "solid"
    mark: str = "circle"
    begins: int = 1


def layer_lines(lines: Mapping[str, Line], quantity: str) -> go.Figure:
    """One line a name; ``quantity`` is what they measure."""
    figure = go.Figure()
    for name, line in lines.items():
        figure.add_scatter(
            x=list(range(line.begins, line.begins + len(line.values))),
            y=line.values,
            name=escape(name),
            mode="lines+markers",
            line={"color": line.colour, "dash": line.dash, "width": 2},
            marker={"symbol": line.mark, "size": 8},
            hovertemplate=f"{escape(name)}<br>layer %{{x}}: %{{y:.3f}}<extra></extra>",
        )
    figure.update_xaxes(title="layer", dtick=1, fixedrange=True)
    figure.update_yaxes(title=escape(quantity), rangemode="tozero", fixedrange=True)
    return on_page(figure, HEIGHT, (0, 0, 40, 10), legend=LEGEND_ABOVE)
