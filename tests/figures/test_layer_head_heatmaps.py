"""Boards, differences and arcs show the very numbers they were given; what is taken away is a file
that a stranger can open.
"""

import re

import numpy as np
import pytest

from bertsent.figures.arc_diagram import arc_chart
from bertsent.figures.attention_heatmap import (
    change_grid,
    change_heatmap,
    coarse,
    gap,
    head_grid,
    head_heatmap,
)
from bertsent.figures.layer_head_heatmap import (
    WHOLE,
    ablation_heatmap,
    measure_heatmap,
    query_key_strips,
)
from bertsent.figures.pictures import picture
from bertsent.figures.plotly_panels import offline_page
from bertsent.probing.heads.attention_change import attention_change
from bertsent.probing.heads.attention_maps import AttentionMaps
from bertsent.probing.heads.attention_matrix import AttentionMatrix, attention_matrix
from bertsent.probing.heads.head_ablation import AblationGrid
from bertsent.probing.heads.head_measures import head_measures

WORDS = ("[CLS]", "great", ",", "<b>x</b>", "$a$", "[SEP]")


def maps(seed: int, tokens=WORDS, layers: int = 3, heads: int = 4) -> AttentionMaps:
    weights = (
        np.random.default_rng(seed)
        .dirichlet(np.full(len(tokens), 0.3), (layers, heads, len(tokens)))
        .astype(np.float32)
    )
    return AttentionMaps(
        tuple(tokens), tuple(token in ("[CLS]", "[SEP]") for token in tokens), weights
    )


def board(layers: int = 3, heads: int = 4) -> AblationGrid:
    rng = np.random.default_rng(0)
    return AblationGrid(np.array([1.2, -0.2]), rng.normal(size=(layers, heads + 1, 2)))


def seen(figure) -> np.ndarray:
    """The value of each cell, of two heatmaps that lie over each other."""
    first, *others = (np.asarray(trace.z, float) for trace in figure.data)
    for other in others:
        first = np.where(np.isnan(first), other, first)
    return first


def test_the_board_shows_every_change_and_what_is_silenced() -> None:
    given = board()
    figure = ablation_heatmap(given, [(2, 3), (0, 0)])
    shown = seen(figure)
    np.testing.assert_allclose(shown[:, :4], 100 * given.change[:, :-1])
    np.testing.assert_allclose(shown[:, 5], 100 * given.change[:, -1])
    assert np.isnan(shown[:, 4]).all() and figure.data[0].zmin == -figure.data[0].zmax
    logits = seen(ablation_heatmap(given, logits=True))
    np.testing.assert_allclose(logits[:, :4], given.logit_change[:, :-1], rtol=1e-6)
    np.testing.assert_allclose(logits[:, 5], given.logit_change[:, -1], rtol=1e-6)
    assert [(round(box.y0 + 0.44), round(box.x0 + 0.46)) for box in figure.layout.shapes] == [
        (2, 3),
        (0, 0),
    ]
    names = re.compile(r"^(Layer|Head) (\d+) ")
    assert [int(names.match(name)[2]) for name in figure.data[0].x if name != "gap"] == [
        1,
        2,
        3,
        4,
        WHOLE,
    ]
    assert [int(names.match(name)[2]) for name in figure.data[0].y] == [1, 2, 3]


def test_a_large_board_has_no_numbers_and_a_still_one_has_a_range() -> None:
    assert ablation_heatmap(board(24, 16)).data[0].texttemplate is None
    still = AblationGrid(np.zeros(2), np.zeros((2, 3, 2)))
    assert ablation_heatmap(still).data[0].zmax == 1.0


def test_differences_are_shown_around_zero() -> None:
    found = attention_change(maps(0), maps(1))
    grid, step = change_grid(found, (1, 2)), len(WORDS) + gap(len(WORDS))
    shown = seen(grid)
    np.testing.assert_allclose(
        shown[step : step + 6, 2 * step : 2 * step + 6], found.weights[1, 2], atol=1e-6
    )
    assert (
        grid.data[0].zmin == -grid.data[0].zmax and grid.data[0].zmax >= np.abs(found.weights).max()
    )
    large = change_heatmap(WORDS, found.weights[1, 2], title="Head 2·3")
    np.testing.assert_allclose(seen(large), found.weights[1, 2], atol=1e-6)
    assert "<b>x" not in " ".join(large.layout.xaxis.ticktext)


def test_what_is_farthest_from_zero_stays_when_cells_are_shared() -> None:
    tokens = [f"t{i}" for i in range(100)]
    signed = AttentionMaps(tuple(tokens), (False,) * 100, np.zeros((1, 1, 100, 100), np.float32))
    signed.weights[0, 0, 10, 10], signed.weights[0, 0, 11, 11], signed.weights[0, 0, 50, 51] = (
        0.2,
        -0.7,
        0.1,
    )
    shared = coarse(signed)
    assert shared.weights.shape[-1] == 50 and shared.weights[0, 0, 5, 5] == pytest.approx(-0.7)
    assert shared.weights[0, 0, 25, 25] == pytest.approx(0.1)


def test_measures_and_products_are_shown() -> None:
    table = head_measures(maps(0))
    np.testing.assert_allclose(
        seen(measure_heatmap(table, "entropy", (0, 1))).ravel(), table["entropy"], atol=1e-6
    )
    query, key = np.random.default_rng(0).normal(size=(2, 8))
    np.testing.assert_allclose(
        np.asarray(query_key_strips(query, key).data[0].z), [query, key, query * key]
    )


def test_arcs_are_the_largest_weights_between_two_places() -> None:
    weights = np.array([[0.9, 0.1, 0.0], [0.3, 0.2, 0.5], [0.0, 0.995, 0.005]])
    shown = AttentionMatrix(
        "x", AttentionMaps(("a", "b", "c"), (False,) * 3, weights[None, None]), weights
    )
    table = shown.links(most=3)
    assert table[["from", "to", "weight"]].to_numpy().tolist() == [
        ["c", "b", 0.995],
        ["b", "c", 0.5],
        ["b", "a", 0.3],
    ]
    assert shown.links(most=9, of=0)[["from", "to"]].to_numpy().tolist() == [["a", "b"]]
    alone = np.ones((1, 1))
    lone = AttentionMatrix("x", AttentionMaps(("a",), (False,), alone[None, None]), alone)
    assert lone.links(most=9).empty


def test_arcs_to_the_right_lie_above_and_grow_towards_what_is_looked_at() -> None:
    weights = np.array([[0, 1, 0], [0, 0, 0], [0, 1, 0.0]])
    maps_ = AttentionMaps(("a", "b", "c"), (False,) * 3, weights[None, None])
    table = AttentionMatrix("x", maps_, weights).links(most=9)
    rows = arc_chart(("a", "b", "c"), table).layer[0].data
    right, left = (rows[rows["from"] == name] for name in "ac")
    assert (right["y"] > 0).all() and (left["y"] < 0).all()
    assert right["width"].is_monotonic_increasing and right["x"].iloc[-1] == pytest.approx(
        2
    ) == pytest.approx(left["x"].iloc[-1])


@pytest.mark.parametrize("tokens", [WORDS, [f"w{i}" for i in range(40)]])
def test_arcs_can_be_taken_away(tokens) -> None:
    given = maps(0, tokens)
    chart = arc_chart(
        tokens, attention_matrix(given, 0, "1").links(most=25), title="Head 1·1", sheet=True
    )
    assert picture([chart], "png").startswith(b"\x89PNG")
    assert b"<svg" in picture([chart], "svg")


FIGURES = {
    "grid": lambda: head_grid(maps(0), chosen=(1, 2)),
    "long grid": lambda: head_grid(maps(0, [f"w{i}" for i in range(70)])),
    "head": lambda: head_heatmap(WORDS, maps(0).weights[0, 0], title="Head 1·1 <script>"),
    "board": lambda: ablation_heatmap(board(), [(1, 1)]),
    "differences": lambda: change_grid(attention_change(maps(0), maps(1)), (0, 0)),
    "difference": lambda: change_heatmap(
        WORDS, attention_change(maps(0), maps(1)).weights[0, 0], title="Head"
    ),
    "measures": lambda: measure_heatmap(head_measures(maps(0)), "entropy"),
    "products": lambda: query_key_strips(*np.random.default_rng(0).normal(size=(2, 32))),
}


@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_of_heatmaps_is_a_page_that_runs_nothing_of_a_review(name: str) -> None:
    page = offline_page(FIGURES[name](), title="<script>title</script>").decode()
    assert "Plotly.newPlot" in page and "<script>title" not in page and "1 <script>" not in page
