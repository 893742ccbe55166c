"""The heatmaps show the very weights they were given, and a person's words only as words."""

import numpy as np
import pytest

from bertsent.errors import BadInput
from bertsent.figures.attention_heatmap import gap, head_grid, head_heatmap
from bertsent.figures.colours import HIGHLIGHT, escape, wrapped
from bertsent.probing.heads.attention_maps import AttentionMaps

WORDS = "[CLS] great , another <b>movie</b> , $x$ [SEP]".split()


def maps(tokens=WORDS, layers=3, heads=4) -> AttentionMaps:
    weights = (
        np.random.default_rng(0)
        .random((layers, heads, len(tokens), len(tokens)))
        .astype(np.float32)
    )
    weights /= weights.sum(-1, keepdims=True)
    return AttentionMaps(
        tuple(tokens), tuple(token in ("[CLS]", "[SEP]") for token in tokens), weights
    )


def tile(figure, layer: int, head: int, size: int, what: str = "z") -> np.ndarray:
    step = size + gap(size)
    picture = np.asarray(getattr(figure.data[0], what))
    return picture[layer * step : layer * step + size, head * step : head * step + size]


@pytest.mark.parametrize("tokens", [WORDS, [f"t{i}" for i in range(40)]])
def test_every_tile_holds_its_heads_weights(tokens):
    given = maps(tokens)
    figure = head_grid(given)
    assert len(figure.data) == 1
    for layer in range(3):
        for head in range(4):
            np.testing.assert_array_equal(
                tile(figure, layer, head, len(tokens)), given.weights[layer, head]
            )
    assert np.isfinite(np.asarray(figure.data[0].z)).sum() == given.weights.size  # all else is gap
    assert figure.data[0].zmin == 0 and figure.data[0].zmax >= given.weights.max()


def test_rescaling_brings_each_head_to_one_and_keeps_the_true_weight_for_hovering():
    given = maps()
    figure = head_grid(given, rescale=True)
    for layer, head in [(0, 0), (2, 3)]:
        assert tile(figure, layer, head, len(WORDS)).max() == pytest.approx(1)
        np.testing.assert_array_equal(
            tile(figure, layer, head, len(WORDS), "customdata"), given.weights[layer, head]
        )
    assert "customdata" in figure.data[0].hovertemplate


def test_of_a_long_text_neighbours_share_a_cell_and_no_peak_is_lost():
    tokens = [f"t{i}" for i in range(101)]
    given = maps(tokens, layers=1, heads=2)
    given.weights[0, 1, 80, 100] = 0.9
    figure = head_grid(given)
    seen = tile(figure, 0, 1, 51)
    assert seen[40, 50] == np.float32(0.9) and seen[0, 0] == given.weights[0, 1, :2, :2].max()
    assert (
        "Head 2 · to t100 (51)" in figure.data[0].x
        and "Layer 1 · from t80 t81 (41)" in figure.data[0].y
    )


def test_layers_heads_and_tokens_are_named_and_positions_never_fall_together():
    figure = head_grid(maps())
    assert list(figure.layout.yaxis.ticktext) == ["L1", "L2", "L3"]
    assert list(figure.layout.xaxis.ticktext) == ["H1", "H2", "H3", "H4"]
    across, down = figure.data[0].x, figure.data[0].y
    assert len(set(across)) == len(across) == np.asarray(figure.data[0].z).shape[1]
    assert len(set(down)) == len(down) == np.asarray(figure.data[0].z).shape[0]
    assert "Head 2 · to great (2)" in across and "Layer 3 · from [SEP] (8)" in down


def test_the_chosen_head_is_outlined_where_it_is():
    (box,) = head_grid(maps(), chosen=(1, 3)).layout.shapes
    step = len(WORDS) + gap(len(WORDS))
    assert (box.x0, box.y0, box.x1 - box.x0) == (3 * step - 0.5, step - 0.5, len(WORDS))
    assert box.line.color == HIGHLIGHT


def test_a_whole_layer_can_be_outlined():
    (box,) = head_grid(maps(), chosen=(1, None)).layout.shapes
    step = len(WORDS) + gap(len(WORDS))
    assert (box.x0, box.x1, box.y0, box.y1 - box.y0) == (
        -0.5,
        4 * step - gap(len(WORDS)) - 0.5,
        step - 0.5,
        len(WORDS),
    )


@pytest.mark.parametrize("chosen", [(3, 0), (0, 4), (-1, 0), (3, None)])
def test_a_head_that_does_not_exist_is_refused(chosen):
    with pytest.raises(BadInput, match="3 layers of 4 heads"):
        head_grid(maps(), chosen=chosen)


def test_a_large_head_keeps_equal_tokens_apart_and_prints_its_weights():
    matrix = maps().weights[0, 0]
    figure = head_heatmap(WORDS, matrix, title="Head 1·1")
    dark, bright = (np.asarray(trace.z) for trace in figure.data)
    np.testing.assert_array_equal(np.where(np.isnan(dark), bright, dark), matrix)
    assert all(trace.texttemplate == "%{z:.2f}" for trace in figure.data)
    assert len(set(figure.data[0].x)) == len(WORDS)
    assert list(figure.layout.xaxis.ticktext).count(",") == 2
    assert figure.layout.yaxis.autorange == "reversed" and figure.layout.title.text == "Head 1·1"


def test_numbers_are_left_out_where_they_would_not_fit():
    tokens = [f"t{i}" for i in range(60)]
    figure = head_heatmap(tokens, np.full((60, 60), 1 / 60))
    assert len(figure.data) == 1 and figure.data[0].texttemplate is None
    assert len(figure.layout.xaxis.ticktext) <= 48


def test_with_more_tokens_only_what_is_not_nothing_is_printed():
    tokens = [f"t{i}" for i in range(20)]
    matrix = np.zeros((20, 20), dtype=np.float32)
    matrix[3, 4], matrix[5, 6] = 0.9, 0.004
    dark, bright = head_heatmap(tokens, matrix).data
    assert bright.text[3][4] == "0.90" and not any(word for row in dark.text for word in row)
    assert dark.z[5][6] == np.float32(0.004)  # hovering still tells


@pytest.mark.parametrize(
    "figure", [head_grid(maps()), head_heatmap(WORDS, maps().weights[0, 0], title="<i>$y$")]
)
def test_words_are_never_markup_and_backgrounds_are_clear(figure):
    text = figure.to_json().replace("\\u003c", "<").replace("\\u003e", ">")
    assert (
        "<b>" not in text
        and "<i>" not in text
        and "$x$" not in text
        and "&lt;b&gt;movie" in text.replace("\\u0026", "&")
    )
    assert figure.layout.paper_bgcolor == figure.layout.plot_bgcolor == "rgba(0,0,0,0)"
    assert figure.layout.font.color is None


def test_text_for_plotly_is_literal_and_bounded():
    assert escape('<b> & $x$ %{y} "q"') == '&lt;b&gt; &amp; &#36;x&#36; %&#123;y} "q"'
    lines = wrapped("word " * 500).split("<br>")
    assert len(lines) == 8 and max(map(len, lines)) <= 60 and lines[-1].endswith("…")
    assert wrapped("short<br />one") == "short one"


@pytest.mark.parametrize("layers", [2, 6, 12, 24])
@pytest.mark.parametrize("tokens", [3, 12, 64])
def test_a_grid_and_a_head_fit_the_first_screen_whatever_the_model(layers, tokens):
    names = [f"t{i}" for i in range(tokens)]
    grid = head_grid(maps(names, layers=layers, heads=12))
    large = head_heatmap(names, np.eye(tokens), title="Head 1·1")
    assert grid.layout.height <= large.layout.height <= 480  # of 800, with bar, tabs and controls
    assert len(large.layout.yaxis.ticktext) * 9 < large.layout.height


def test_marked_words_are_named_with_a_sign_and_outlined():
    figure = head_heatmap(WORDS, maps().weights[0, 0], marked=[1])
    assert list(figure.layout.xaxis.ticktext)[1] == "<b>▸ great</b>"
    row, column = figure.layout.shapes
    assert (row.y0, row.y1) == (0.5, 1.5) == (column.x0, column.x1)
