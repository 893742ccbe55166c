"""All heads of a review, computed and drawn: one tiled heatmap against a grid of subplots."""

from typing import TYPE_CHECKING

from tests.benchmarks.child_process import run_in_child
from tests.benchmarks.rows import Row
from tests.benchmarks.temporary_home import finished_run
from tests.benchmarks.timing import interleaved

if TYPE_CHECKING:
    from bertsent.probing.heads.attention_maps import AttentionMaps

REVIEW = (
    "Great, another superhero movie: two hours of noise, a plot that forgets itself and a "
    "hero who smiles as if he had seen it first."
)


def rows(quick: bool) -> list[Row]:
    """Milliseconds from text to the figure's JSON, and the bytes that go to the browser."""
    found = run_in_child("drawing", "measure", run=finished_run().id, times=5 if quick else 30)
    grid = f"{found['heads']:.0f} heads of {found['tokens']:.0f} tokens"
    return [
        Row(
            "all heads, computed and drawn",
            "ms",
            found["ours"] * 1000,
            found["peer"] * 1000,
            "attend, head_grid and to_json against attend and one go.Heatmap subplot a head; "
            f"{grid}, median of turns",
        ),
        Row(
            "  sent to the browser",
            "KB",
            found["ours_bytes"] / 1000,
            found["peer_bytes"] / 1000,
            "length of the figure's JSON",
        ),
    ]


def measure(run: str, times: int) -> dict[str, float]:
    """Seconds and bytes of both."""
    from bertsent.figures.attention_heatmap import head_grid
    from bertsent.probing.loaded_model import load

    model = load(run)
    works = {
        "ours": lambda _: head_grid(model.attend(REVIEW)).to_json(),
        "peer": lambda _: subplots(model.attend(REVIEW)),
    }
    found = interleaved(works, times, warm_up=2)
    maps = model.attend(REVIEW)
    size = {
        "ours_bytes": len(works["ours"](0).encode()),
        "peer_bytes": len(works["peer"](0).encode()),
    }
    return {**found, **size, "heads": maps.layers * maps.heads, "tokens": len(maps.tokens)}


def subplots(maps: "AttentionMaps") -> str:
    """The grid as most notebooks draw it."""
    import plotly.graph_objects as go
    from plotly.subplots import make_subplots

    names = [f"{position} {token}" for position, token in enumerate(maps.tokens)]
    figure = make_subplots(rows=maps.layers, cols=maps.heads)
    for layer in range(maps.layers):
        for head in range(maps.heads):
            tile = go.Heatmap(z=maps.weights[layer, head], x=names, y=names, coloraxis="coloraxis")
            figure.add_trace(tile, row=layer + 1, col=head + 1)
    figure.update_layout(coloraxis={"colorscale": "Cividis"})
    figure.update_xaxes(showticklabels=False)
    figure.update_yaxes(showticklabels=False, autorange="reversed")
    return figure.to_json()
