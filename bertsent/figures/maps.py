"""A map's points in, the map out; a cluster × label matrix in, its picture out.

Every dot carries its review's id as ``customdata``, so that a click can be resolved. Equal input
makes a byte-identical figure, and ``uirevision`` never changes, so zoom and selection survive a
rerun of the page.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from bertsent.data.examples import LABELS
from bertsent.figures.colours import (
    ATTENTION_SCALE,
    CLEAR,
    CLUSTERS,
    HIGHLIGHT,
    QUIET,
    SAFE,
    Palette,
    escape,
    wrapped,
)
from bertsent.figures.dot_picture import UNKNOWN, chosen_palette
from bertsent.figures.label_looks import SHAPES, own_looks
from bertsent.figures.plotly_panels import FAINT, on_page

ColourBy = Literal["label", "prediction", "confidence", "cluster"]
PaletteName = Literal["default", "paper"]
Drag = Literal["lasso", "pan", "zoom", False]
_VIEW = {"eye": {"x": 1.5, "y": 1.5, "z": 0.9}}  # all three axes are read from here
STAR = "your review"  # the customdata of the star
_SENTIMENT_SYMBOLS = dict(zip(("POSITIVE", "NEGATIVE", ""), SHAPES, strict=False))
BARE_AXIS = {
    "showticklabels": False,
    "showgrid": True,
    "title": {"text": ""},
    "zeroline": False,
    "gridcolor": FAINT,
}  # units mean nothing
HOVER_WIDTH, _HOVER_LINES = 60, 8  # characters a line, lines a review
# hover lines in a figure: with fewer a review, a map of 5,000 long reviews stays below 3 MB
_ALL_LINES = 15_000
# characters of a review that hovering shows where not even a line each has room; a click opens all
# of it
_SHORT = 32
_SVG_DOTS = 4_000  # more of them are slow to draw and to move


def map_figure(
    points: pd.DataFrame,
    *,
    colour_by: ColourBy = "label",
    palette: PaletteName = "default",
    selected: str | Collection[str] | None = None,
    dropped: tuple[float, ...] | None = None,
    camera: dict[str, dict[str, float]] | None = None,
    axes: Sequence[str] = (),
    drag: Drag = "pan",
    height: int = 620,
) -> go.Figure:
    """Draw the points of a map (``Atlas.points``), in three dimensions where they have a ``z``.

    Args:
        colour_by: ``label`` (the truth), ``prediction``, ``confidence`` (symbol: the prediction) or
            ``cluster``.
        palette: ``paper`` is the publication's red positive and blue negative.
        selected: the id of a review to mark, or of many; one that is not on the map marks nothing.
            In two dimensions they are marked as a lasso marks dots, so that the next lasso takes
            the mark over; in three dimensions a single one is ringed.
        dropped: where a typed review lies (``Atlas.place``), drawn as a star.
        camera: from where a map of three dimensions is looked at; from the usual place where left
            out.
        axes: what each axis shows, written at the axes of three dimensions.
        drag: what dragging does in two dimensions.

    Raises:
        BadInput: an unknown ``colour_by`` or ``palette``.
    """
    figure = go.Figure(dots(points, colour_by, palette))
    deep = "z" in points
    if deep:
        _ring(figure, points[points["id"] == selected])
    else:
        mark(figure, selected)
    if dropped is not None:
        star(figure, dropped)
    if not deep:
        return flat_map(figure, height, "map").update_layout(dragmode=drag)
    lines = {
        f"{axis}axis": BARE_AXIS
        | {"showbackground": False, "showline": True, "linecolor": QUIET, "title": {"text": name}}
        for axis, name in zip("xyz", axes or "xyz", strict=True)
    }
    scene = {"aspectmode": "auto", **lines, "camera": camera or _VIEW}
    return dressed(figure, height, "map").update_layout(scene=scene)


def dots(
    points: pd.DataFrame,
    colour_by: ColourBy,
    palette: str,
    *,
    size: int | None = None,
    width: int = HOVER_WIDTH,
    maps: int = 1,
) -> list[go.Scatter | go.Scattergl | go.Scatter3d]:
    """The dots of a map, one trace a category, each with what hovering shows.

    Args:
        size: of a dot in pixels; chosen by how many there are where left out.
        width: characters a line of what hovering shows.
        maps: how many maps of so many reviews share a figure, and with it the room for what
            hovering shows.

    Raises:
        BadInput: an unknown ``colour_by`` or ``palette``.
    """
    colours = chosen_palette(colour_by, palette)
    hovers = pd.Series(_hovers(points, width, maps), index=points.index, dtype=object)
    size = size or (4 if "z" in points else 8 if len(points) <= 2_000 else 5)
    usual = {"size": size, "opacity": 0.8, "line": {"width": 1, "color": QUIET}}
    return [
        _dots(
            rows[_axes(points)].to_numpy(),
            len(points) * maps,
            name=name,
            marker=usual | marker,
            hoverinfo="text",
            hovertext=hovers[rows.index].tolist(),
            customdata=rows["id"].tolist(),
        )
        for name, rows, marker in _categories(points, colour_by, colours)
    ]


def mark(figure: go.Figure, selected: str | Collection[str] | None) -> None:
    """Mark the dots of a review, or of many, in a flat figure as a lasso marks them; where none is
    there, nothing is marked.
    """
    wanted = {selected} if isinstance(selected, str) else set(selected or ())
    places = [
        [place for place, ident in enumerate(trace.customdata) if ident in wanted]
        for trace in figure.data
    ]
    if any(places):
        for trace, found in zip(figure.data, places, strict=True):
            trace.selectedpoints = found


def dressed(figure: go.Figure, height: int, name: str) -> go.Figure:
    """What all maps have: the page's own background, a legend below, the scale of the confidence,
    and zoom that survives by ``name``.
    """
    return on_page(
        figure,
        height,
        (8, 8, 8, 48),
        uirevision=name,
        showlegend=True,
        # below, where the tool bar does not cover it
        legend={"orientation": "h", "y": 0.0, "yanchor": "top", "x": 0.0, "itemsizing": "constant"},
        hoverlabel={"align": "left"},
        modebar={
            "bgcolor": CLEAR,
            "color": QUIET,
            "activecolor": SAFE.of("POSITIVE"),
        },  # else a grey block on a light page
        coloraxis={
            "colorscale": ATTENTION_SCALE,
            "cmin": 0.5,
            "cmax": 1.0,
            "colorbar": {"title": {"text": "confidence"}, "tickformat": ".0%"},
        },
    )


def flat_map(figure: go.Figure, height: int, name: str) -> go.Figure:
    """``dressed``, with equal scales on both axes."""
    figure.update_xaxes(**BARE_AXIS).update_yaxes(**BARE_AXIS, scaleanchor="x", scaleratio=1)
    return dressed(figure, height, name)


def draw_arrow(
    figure: go.Figure, start: Sequence[float], end: Sequence[float], colour: str, **look: Any
) -> None:
    """An arrow on a map; none where start and end are one place."""
    (ax, ay), (x, y) = map(float, start), map(float, end)
    if (ax, ay) != (x, y):
        axes = {"xref": "x", "yref": "y", "axref": "x", "ayref": "y", "text": ""}
        head = {"showarrow": True, "arrowhead": 2, "arrowcolor": colour}
        figure.add_annotation(x=x, y=y, ax=ax, ay=ay, **axes, **head, **look)


def cluster_matrix_figure(matrix: pd.DataFrame) -> go.Figure:
    """Draw how many reviews of each label a cluster has; each cell carries ``[cluster, label]`` as
    ``customdata``.
    """
    counts, labels = matrix.to_numpy(), list(matrix.columns)
    share = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    names = [f"cluster {cluster}" for cluster in matrix.index]
    cells = list(np.ndindex(counts.shape))
    figure = go.Figure(
        go.Heatmap(
            z=share,
            x=labels,
            y=names,
            zmin=0,
            zmax=1,
            colorscale=ATTENTION_SCALE,
            hoverinfo="skip",
            showscale=False,
        )
    )
    figure.add_scatter(  # a heatmap cannot be clicked in Streamlit; points can
        x=[labels[column] for _, column in cells],
        y=[names[row] for row, _ in cells],
        mode="markers+text",
        marker={"size": 44, "symbol": "square", "color": CLEAR},
        text=[f"{counts[cell]:,}" for cell in cells],
        textfont={
            "size": 16,
            "color": ["#000000" if share[cell] > 0.55 else "#FFFFFF" for cell in cells],
        },
        customdata=[[int(matrix.index[row]), str(labels[column])] for row, column in cells],
        hoverinfo="text",
        hovertext=[
            f"{counts[row, column]:,} {labels[column]}, {_percent(share[row, column])} of "
            f"{names[row]}"
            for row, column in cells
        ],
        showlegend=False,
    )
    figure.update_yaxes(autorange="reversed", showgrid=False).update_xaxes(showgrid=False)
    return on_page(figure, 90 + 52 * len(matrix), (8, 8, 8, 8), uirevision="matrix")


_Category = tuple[str, pd.DataFrame, dict[str, Any]]


def _categories(points: pd.DataFrame, colour_by: str, palette: Palette) -> list[_Category]:
    if colour_by == "cluster":
        return [_cluster(points, int(cluster)) for cluster in sorted(points["cluster"].unique())]
    if colour_by == "label" and (own := own_looks(points["label"])):
        return _own(points, own)
    column = points["label" if colour_by == "label" else "prediction"]
    found = []
    for value, symbol in _SENTIMENT_SYMBOLS.items():
        rows = points[column == value] if value else points[~column.isin(LABELS)]
        marker: dict[str, Any] = {"symbol": symbol, "color": palette.of(value)}
        if colour_by == "confidence" and value:
            marker |= {"color": rows["confidence"].to_numpy(), "coloraxis": "coloraxis"}
        if len(rows):
            found.append((value or UNKNOWN[colour_by], rows, marker))
    return found


def _own(points: pd.DataFrame, looks: Mapping[str, tuple[str, str]]) -> list[_Category]:
    """A category for each label that is none of sentiment's, and one for no label."""
    looked = {**looks, "": (SHAPES[2], SAFE.undecided)}
    found = [
        (name or UNKNOWN["label"], points[points["label"] == name], {"symbol": s, "color": c})
        for name, (s, c) in looked.items()
    ]
    return [category for category in found if len(category[1])]


def _cluster(points: pd.DataFrame, cluster: int) -> _Category:
    turn, place = divmod(cluster, len(CLUSTERS))
    marker = {"symbol": SHAPES[(place + turn) % len(SHAPES)], "color": CLUSTERS[place]}
    return f"cluster {cluster}", points[points["cluster"] == cluster], marker


def _hovers(points: pd.DataFrame, width: int, maps: int) -> list[str]:
    """What hovering shows: the review, then the truth and the model's answer. Of very many reviews
    only the beginning and P(positive), or the label where there is no answer.
    """
    lines = int(min(_ALL_LINES // max(1, maps * len(points)), _HOVER_LINES))
    rows = points[["text", "label", "prediction", "p_positive", "cluster"]].itertuples(index=False)
    if lines:
        enough = width * (lines + 2)
        return [
            f"{wrapped(text[:enough], width, lines)}<br>{_facts(*rest)}" for text, *rest in rows
        ]
    return [
        f"{escape(text[:_SHORT])}{'…' if len(text) > _SHORT else ''}<br>"
        f"{escape(label) if np.isnan(p) else f'P(positive) {_percent(p)}'}"
        for text, label, _, p, _ in rows
    ]


def _facts(label: str, prediction: str, p_positive: float, cluster: int) -> str:
    truth = f"Truth: {escape(label or UNKNOWN['label'])}"
    if not prediction:
        return f"{truth} · cluster {cluster}"
    return (
        f"{truth} · predicted: {escape(prediction)}<br>P(positive) = {_percent(p_positive)} · "
        f"cluster {cluster}"
    )


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _axes(points: pd.DataFrame) -> list[str]:
    return [axis for axis in "xyz" if axis in points]


def flat_trace_type(count: int) -> type[go.Scatter | go.Scattergl]:
    """What draws the dots of a flat figure that has ``count`` in all: up to a few thousand SVG,
    which every browser shows; beyond, the graphics card, for which a browser needs WebGL.
    """
    return go.Scatter if count <= _SVG_DOTS else go.Scattergl


def _dots(
    where: np.ndarray, total: int = 1, **trace: Any
) -> go.Scatter | go.Scattergl | go.Scatter3d:
    """Markers at (n, 2) or (n, 3), of a figure that has ``total`` dots in all."""
    # half the bytes for a dot that nobody tells from its neighbour
    exact = np.float64 if len(where) <= _ALL_LINES else np.float32
    places = dict(zip("xyz", np.ascontiguousarray(where.T, dtype=exact), strict=False))
    if len(places) == 3:
        return go.Scatter3d(mode="markers", **places, **trace)
    chosen = {"marker": {"size": 1.5 * trace["marker"]["size"], "opacity": 1}}
    rest = {"marker": {"opacity": 0.2}}
    return flat_trace_type(total)(
        mode="markers", selected=chosen, unselected=rest, **places, **trace
    )


def _ring(figure: go.Figure, chosen: pd.DataFrame) -> None:
    """A ring around a review in three dimensions, where no dot can be marked by itself."""
    if len(chosen):
        line = {"width": 3, "color": HIGHLIGHT}
        ring = {"symbol": "circle-open", "size": 20, "color": HIGHLIGHT, "line": line}
        place = chosen[_axes(chosen)].to_numpy()[:1]
        figure.add_trace(_dots(place, name="selected", marker=ring, hoverinfo="skip"))


def star(figure: go.Figure, place: tuple[float, ...], **where: int) -> None:
    """A star where a typed review lies; ``where`` names the row and column of a panel."""
    shape = {
        "symbol": "cross" if len(place) == 3 else "star",
        "size": 16,
        "color": HIGHLIGHT,
        "line": {"width": 1, "color": QUIET},
    }
    name = "your review"
    trace = _dots(
        np.array([place]),
        name=name,
        marker=shape,
        hoverinfo="text",
        hovertext=[name],
        customdata=[STAR],
    )
    if len(place) == 2:  # no lasso dims it, and dots that a lasso marks do not cover it
        trace.update(
            selectedpoints=[0],
            selected={"marker": {"size": 16}},
            unselected={"marker": {"opacity": 1}},
        )
    figure.add_trace(trace, **where)
