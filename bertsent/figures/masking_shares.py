"""Shares of the drawn tokens by their fate in, bars beside the shares that were asked for out."""

import pandas as pd
import plotly.graph_objects as go

from bertsent.figures.colours import HIGHLIGHT, POSITIVE
from bertsent.figures.plotly_panels import FAINT, LEGEND_ABOVE, on_page

HEIGHT = 230


def masking_shares(table: pd.DataFrame) -> go.Figure:
    """One bar a fate with its interval, and a diamond where its share should be.

    Args:
        table: as ``text.masking_counts.share_table`` makes it.
    """
    fates, share = table["fate"], table["share"]
    reach = {
        "type": "data",
        "array": table["high"] - share,
        "arrayminus": share - table["low"],
        "thickness": 1,
    }
    figure = go.Figure(
        go.Bar(
            x=fates,
            y=share,
            error_y=reach,
            marker={"color": POSITIVE},
            name="counted",
            hovertemplate="%{x}: %{y:.2%}<extra></extra>",
        )
    )
    figure.add_scatter(
        x=fates,
        y=table["asked"],
        mode="markers",
        marker={"symbol": "diamond", "size": 12, "color": HIGHLIGHT},
        name="80 / 10 / 10",
        hovertemplate="asked for: %{y:.0%}<extra></extra>",
    )
    shares = [f"{fate} {100 * value:.1f} %" for fate, value in zip(fates, share, strict=True)]
    figure.update_xaxes(fixedrange=True, tickvals=fates, ticktext=shares)
    figure.update_yaxes(
        range=[0, 1], tickformat=".0%", gridcolor=FAINT, fixedrange=True, title="of the drawn"
    )
    return on_page(figure, HEIGHT, (0, 0, 40, 10), legend=LEGEND_ABOVE)
