"""BertViz without a network: nothing is fetched, no token becomes code, and a BertViz that changed
is noticed.
"""

import re

import numpy as np
import pytest

from bertsent.errors import BadInput, BertsentError
from bertsent.figures import bertviz_html as ours
from bertsent.figures.bertviz_html import head_view_html, model_view_html
from bertsent.probing.heads.attention_maps import AttentionMaps

EVIL = "</script><script>window.PWNED=1</script>"
VIEWS = [head_view_html, model_view_html]


def maps(tokens=("[CLS]", "great", EVIL, "\\ue000", "[SEP]"), layers=2, heads=3) -> AttentionMaps:
    weights = (
        np.random.default_rng(0)
        .random((layers, heads, len(tokens), len(tokens)))
        .astype(np.float32)
    )
    weights /= weights.sum(-1, keepdims=True)
    return AttentionMaps(
        tuple(tokens), tuple(token in ("[CLS]", "[SEP]") for token in tokens), weights
    )


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("dark", [False, True])
def test_nothing_is_fetched(view, dark):
    html = view(maps(), dark=dark)
    assert not re.search(r"<(script|link|img|iframe)[^>]*\b(src|href)\s*=", html)
    assert "cdnjs" not in html and "require.config" not in html and "default-src 'none'" in html
    assert html.startswith("<!doctype html>") and html.rstrip().endswith("</html>")


@pytest.mark.parametrize("view", VIEWS)
def test_a_token_never_ends_the_script(view):
    html = view(maps())
    assert "window.PWNED" not in html and html.count("</script>") == 4  # d3, jQuery, loader, view
    assert r'"\u003c/script>\u003c' in html and r'"\\ue000"' in html and "\ue000" not in html


@pytest.mark.parametrize("view", VIEWS)
def test_light_and_dark_differ_and_equal_maps_give_equal_documents(view):
    light, dark = view(maps()), view(maps(), dark=True)
    assert "color-scheme: light" in light and "color-scheme: dark" in dark and light != dark
    assert view(maps()) == light


def test_weights_are_written_with_four_decimals():
    given = maps()
    html = head_view_html(given, layer=1)
    first = re.search(r'"attn": \[\[\[\[([^\]]*)\]', html)[1]
    assert [float(x) for x in first.split(",")] == pytest.approx(given.weights[1, 0, 0], abs=5.1e-5)
    assert all(len(x.strip()) <= 6 for x in first.split(","))
    assert '"include_layers": [1]' in html and '"include_layers": [0, 1]' in head_view_html(given)


def test_the_menu_of_layers_begins_where_it_is_told():
    assert '"layer": 1,' in head_view_html(maps(), start=1) and '"layer": 0,' in head_view_html(
        maps()
    )
    with pytest.raises(BadInput, match="1 to 2"):
        head_view_html(maps(), start=2)


def test_layers_and_heads_count_from_one():
    assert ".text(layer + 1)" in head_view_html(maps())
    assert "config.layers[layerIndex] + 1" in model_view_html(maps())


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize(
    "tokens,one,message",
    [(65, False, "one layer"), (129, False, "Shorten"), (129, True, "Shorten")],
)
def test_long_texts_are_refused_with_a_way_out(view, tokens, one, message):
    chosen = ({"layer": 0} if view is head_view_html else {"layers": [0]}) if one else {}
    with pytest.raises(BadInput, match=message):
        view(maps(tuple(f"t{i}" for i in range(tokens))), **chosen)


def test_the_longest_texts_allowed_are_drawn():
    assert len(head_view_html(maps(("a",) * 64))) < 2e6
    assert len(model_view_html(maps(("a",) * 128), layers=[1])) < 2e6


def test_a_layer_that_does_not_exist_and_broken_weights_are_refused():
    with pytest.raises(BadInput, match="1 to 2"):
        head_view_html(maps(), layer=2)
    with pytest.raises(BadInput, match="1 to 2"):
        model_view_html(maps(), layers=[])
    broken = maps()
    broken.weights[0, 0, 0, 0] = np.nan
    with pytest.raises(BadInput, match="not finite"):
        head_view_html(broken)


@pytest.mark.parametrize("view", VIEWS)
def test_a_bertviz_that_changed_is_an_error_and_not_a_blank_box(view, monkeypatch):
    monkeypatch.setattr(ours, "_REQUIRE_JS", "<script src='elsewhere'></script>")
    with pytest.raises(BertsentError, match="bertviz==1.4.1"):
        view(maps())


def test_a_missing_script_names_its_package():
    with pytest.raises(BertsentError, match="no_such_package"):
        ours._script("no_such_package", "d3.js")
