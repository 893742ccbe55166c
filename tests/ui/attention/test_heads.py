"""The Attention page: something to see before any training, the head that the link names, whatever
the review.
"""

import io
import json
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from bertsent.figures.attention_heatmap import head_heatmap
from bertsent.figures.plotly_panels import offline_page
from bertsent.probing.heads.attention_maps import AttentionMaps, TokenSelection
from bertsent.probing.heads.attention_matrix import (
    MEAN_OF_ALL,
    MEAN_OF_LAYER,
    ROLLOUT,
    STRONGEST,
    attention_matrix,
    strongest_head,
)
from bertsent.probing.loaded_model import load
from bertsent.training.runs.run import Run
from bertsent.ui.attention.bertviz import HEAD_VIEW, MODEL_VIEW, OFF
from bertsent.ui.attention.controls import WORDS
from bertsent.ui.attention.heads import DIRECTIONS, HOW
from bertsent.ui.attention.heads_how import STEPS
from bertsent.ui.attention.heatmaps import tile_of
from bertsent.ui.shared.downloads import safe_csv
from tests.ui.conftest import words

PAGE = "4_Attention"
TEXT = "Great, another boring movie"
EVIL = (
    "<script>alert(1)</script><img src=x onerror=alert(1)> </script>",
    "![x](http://example.org/x.png) [a](javascript:b) $$x^2$$ :red[x] **b**",
    "[CLS] [SEP] [MASK]",
    "\u202eevil\u202c هذا רע",
    "😀" * 5000,
    "=1+1 @sum -2 +3 \t=x",
    ".",
)
LONG = "The plot is thin, the jokes are old and the acting is fine. " * 6


def charts(app: AppTest) -> list[dict]:
    """The figures on the page: the grid, then the large heatmap."""
    return [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]


def title(app: AppTest) -> str:
    return charts(app)[1]["layout"]["title"]["text"]


def tokens_across(app: AppTest) -> int:
    return len(charts(app)[1]["data"][0]["x"])


def test_the_backbone_can_be_looked_into_before_any_training(visit: Callable[..., AppTest]) -> None:
    app = visit(PAGE)
    assert not app.exception and not app.error
    assert app.selectbox(key="layer").options == ["last", "1", "2", "3", "4", "5", "6"]
    assert app.selectbox(key="head").options == [
        STRONGEST,
        *map(str, range(1, 13)),
        MEAN_OF_LAYER,
        MEAN_OF_ALL,
        ROLLOUT,
    ]
    maps = load("backbone").attend(TEXT)
    assert title(app) == f"Head 6·{strongest_head(maps, 5) + 1}"
    grid = charts(app)[0]
    assert (
        list(grid["layout"]["yaxis"]["ticktext"]) == [f"L{n}" for n in range(1, 7)]
        and len(grid["layout"]["shapes"]) == 1
    )
    assert "Backbone, not fine-tuned · 7 tokens" in words(app).replace("\\", "")
    assert "it is not an explanation" in words(app)
    assert len(app.get("download_button")) == 4 and not app.get("iframe")


def test_a_link_opens_its_head(visit: Callable[..., AppTest]) -> None:
    app = visit(PAGE, layer="4", head="7", hide="true", text="This is not a bad film")
    assert not app.exception and title(app) == "Head 4·7"
    assert app.selectbox(key="layer").value == 4 and app.toggle(key="hide").value
    (box,) = charts(app)[0]["layout"]["shapes"]
    assert box["x0"] == pytest.approx(6 * 7 - 0.5) and box["y0"] == pytest.approx(
        3 * 7 - 0.5
    )  # six words and a gap of one
    assert tokens_across(app) == 6


@pytest.mark.parametrize(
    "query",
    [
        {"layer": "99", "head": "-1"},
        {"layer": "<b>", "head": "mean", "tokens": "9999", "bertviz": "x"},
    ],
)
def test_a_link_to_nothing_opens_the_usual_view(
    visit: Callable[..., AppTest], query: dict[str, str]
) -> None:
    app = visit(PAGE, **query)
    assert not app.exception and not app.error
    assert (
        app.selectbox(key="layer").value == "last" and app.selectbox(key="head").value == STRONGEST
    )


def test_means_are_shown(visit: Callable[..., AppTest]) -> None:
    app = visit(PAGE, layer="2")
    app.selectbox(key="head").set_value(MEAN_OF_LAYER).run()
    assert title(app) == "Mean of the 12 heads of layer 2"
    app.selectbox(key="head").set_value(MEAN_OF_ALL).run()
    assert title(app) == "Mean of all 72 heads" and not charts(app)[0]["layout"].get("shapes")
    app.selectbox(key="head").set_value(ROLLOUT).run()
    assert title(app) == "Rollout of all layers" and not charts(app)[0]["layout"].get("shapes")
    assert not app.exception


def test_rescaling_changes_the_grid_alone(visit: Callable[..., AppTest]) -> None:
    app = visit(PAGE)
    before = charts(app)
    app.toggle(key="rescale").set_value(True).run()
    after = charts(app)
    assert before[0]["data"] != after[0]["data"] and before[1]["data"] == after[1]["data"]


@pytest.mark.parametrize("text", ["", "  \n", "\x00"])
def test_an_empty_review_is_an_error_and_the_page_goes_on(
    visit: Callable[..., AppTest], text: str
) -> None:
    app = visit(PAGE, layer="4", head="7")
    app.text_input(key="review_box").set_value(text).run()
    assert not app.exception and "nothing to classify" in app.error[0].value
    app.text_input(key="review_box").set_value("good film").run()
    assert not app.error and title(app) == "Head 4·7"


def test_evil_reviews_are_only_words(visit: Callable[..., AppTest]) -> None:
    app = visit(PAGE, bertviz=MODEL_VIEW)
    for text in EVIL:
        app.toggle(key="hide").set_value(False)
        app.text_input(key="review_box").set_value(text).run()
        assert not app.exception and not app.error
        maps = load("backbone").attend(text.strip()).select(TokenSelection(size=32))
        assert tokens_across(app) == len(maps.tokens)
        assert "<script>" not in json.dumps(charts(app)) and "![x](" not in words(app)
        app.toggle(key="hide").set_value(True).run()
        assert not app.exception and not app.error


def test_a_long_review_is_shown_in_part_and_says_so(visit: Callable[..., AppTest]) -> None:
    app = visit(PAGE)
    assert "tokens" not in [box.key for box in app.selectbox]
    app.text_input(key="review_box").set_value(LONG).run()
    whole = len(load("backbone").tokens(LONG))
    assert (
        app.selectbox(key="tokens").options == ["32", "64", "128"]
        and app.selectbox(key="tokens").value == 32
    )
    assert tokens_across(app) == 32 and f"tokens 1 to 32 of {whole}" in words(app).replace("\\", "")
    app.selectbox(key="from").set_value(33).run()
    assert tokens_across(app) == 32 and f"tokens 33 to 64 of {whole}" in words(app).replace(
        "\\", ""
    )
    across = charts(app)[1]["layout"]["xaxis"]["ticktext"]
    assert list(across) == list(load("backbone").tokens(LONG).pieces[32:64])
    app.selectbox(key="tokens").set_value(64).run()
    assert tokens_across(app) == 64
    app.text_input(key="review_box").set_value(TEXT).run()
    assert not app.exception and tokens_across(app) == 7


def test_a_link_opens_a_stretch_of_a_long_review(visit: Callable[..., AppTest]) -> None:
    app = visit(PAGE, text=LONG, tokens="32", **{"from": "33"})
    assert not app.exception and "tokens 33 to 64 of" in words(app).replace("\\", "")


def test_pieces_can_be_seen_as_whole_words(visit: Callable[..., AppTest]) -> None:
    app = visit(PAGE, text="An unfathomableness, isn't it")
    assert any(token.startswith("##") for token in charts(app)[1]["layout"]["xaxis"]["ticktext"])
    app.selectbox(key="units").set_value(WORDS).run()
    assert list(charts(app)[1]["layout"]["xaxis"]["ticktext"]) == [
        "[CLS]",
        "An",
        "unfathomableness",
        ",",
        "isn't",
        "it",
        "[SEP]",
    ]
    assert "7 words and marks" in words(app).replace("\\", "")
    app.toggle(key="hide").set_value(True).run()
    assert tokens_across(app) == 5 and not app.exception
    app.text_input(key="review_box").set_value("\u200b").run()
    assert not app.exception


def test_bertviz_is_off_until_asked_for_and_one_layer_for_a_long_review(
    visit: Callable[..., AppTest],
) -> None:
    app = visit(PAGE, layer="3")
    assert app.segmented_control(key="bertviz").value == OFF
    for view in (HEAD_VIEW, MODEL_VIEW):
        app.segmented_control(key="bertviz").set_value(view).run()
        (frame,) = app.get("iframe")
        assert (
            "boring" in frame.proto.srcdoc and "cdnjs" not in frame.proto.srcdoc and not app.error
        )
    app.text_input(key="review_box").set_value(LONG).run()
    assert '"include_layers": [0, 1, 2, 3, 4, 5]' in app.get("iframe")[0].proto.srcdoc
    app.selectbox(key="tokens").set_value(128).run()
    assert '"include_layers": [2]' in app.get("iframe")[
        0
    ].proto.srcdoc and "one layer is shown, layer 3" in words(app).replace("\\", "")


def test_a_run_is_looked_into_with_its_own_layers(
    finished: Run, visit: Callable[..., AppTest]
) -> None:
    app = visit(PAGE)
    assert not app.exception and not app.error
    assert app.selectbox(key="layer").options == ["last", "1", "2"] and title(app).startswith(
        "Head 2·"
    )
    app.selectbox(key="model-box").set_value("backbone").run()
    assert app.selectbox(key="layer").options[-1] == "6" and title(app).startswith("Head 6·")


def test_a_damaged_checkpoint_is_refused(finished: Run, visit: Callable[..., AppTest]) -> None:
    for weights in finished.checkpoints.glob("*/model.safetensors"):
        weights.write_bytes(weights.read_bytes()[:1000])
    app = visit(PAGE)
    assert not app.exception and any(
        "Export or download the model again" in e.value for e in app.error
    )


def test_focus_words_are_marked_where_the_review_has_them(visit: Callable[..., AppTest]) -> None:
    app = visit(PAGE, text="not a good film")
    large = charts(app)[1]["layout"]
    marked = [name for name in large["yaxis"]["ticktext"] if name.startswith("<b>")]
    assert marked == ["<b>▸ not</b>", "<b>▸ good</b>"] and len(large["shapes"]) == 4
    row = load("backbone").attend("not a good film")
    assert "“not” looks most at" in words(app).replace("\\", "") and len(row.tokens) == 6
    app.text_input(key="marks").set_value("FILM").run()
    assert [n for n in charts(app)[1]["layout"]["xaxis"]["ticktext"] if "▸" in n] == [
        "<b>▸ film</b>"
    ]
    app.text_input(key="marks").set_value("<b>, $x$").run()
    assert not app.exception and not charts(app)[1]["layout"].get("shapes")


def test_each_step_of_how_attention_works_has_the_models_numbers(
    finished: Run, visit: Callable[..., AppTest]
) -> None:
    app = visit(PAGE, beside=HOW, layer="2", head="1")
    for step in STEPS:
        app.segmented_control(key="how_step").set_value(step).run()
        assert not app.exception and not app.error, step
    (card,) = (found.value for found in app.dataframe if "BERT-base" in found.value)
    assert card.loc[1, "this model"] == str(load(finished.id).heads)
    app.segmented_control(key="how_step").set_value("Concat").run()
    assert "2 × 16 = 32" in words(app).replace("\\", "")
    for text in (LONG, ".", "😀", "word " * 1000):
        app.text_input(key="review_box").set_value(text).run()
        assert not app.exception and not app.error, text


def test_left_to_right_nothing_ahead_is_seen(finished: Run, visit: Callable[..., AppTest]) -> None:
    app = visit(PAGE, beside=DIRECTIONS)
    assert not app.exception and not app.error
    shown = charts(app)[1]
    assert shown["data"][-1]["mode"] == "text" and len(shown["data"][-1]["text"]) == 5
    told = words(app).replace("\\", "")
    assert "left to right 0 %" in told and "it cannot (1.0" in told
    app.segmented_control(key="directions").set_value("This review").run()
    assert len(charts(app)[1]["data"][-1]["text"]) == 7
    for text in ("Great", LONG, "word " * 1000):
        app.text_input(key="review_box").set_value(text).run()
        assert not app.exception and not app.error, text


@pytest.mark.parametrize(
    "sent",
    [
        None,
        [],
        {},
        {"layer": 3},
        {"layer": "3", "head": 1},
        {"layer": None, "head": 1},
        {"layer": 0, "head": 10**9},
    ],
)
def test_a_click_that_a_browser_made_up_is_nothing(sent: object) -> None:
    assert tile_of(sent) is None
    assert tile_of({"layer": 3, "head": 12}) == (3, 12)


def by_hand() -> AttentionMaps:
    weights = np.full((2, 3, 4, 4), 0.25, dtype=np.float32)
    weights[1, 2, 1] = [0.0, 0.0, 0.9, 0.1]
    weights[1, 0, 0] = [0.0, 0.0, 0.0, 1.0]  # what [CLS] does is no link between words
    return AttentionMaps(("[CLS]", "=1+1", "@sum", "[SEP]"), (True, False, False, True), weights)


def test_what_is_taken_away_is_harmless_and_the_same() -> None:
    maps = by_hand()
    text = safe_csv(attention_matrix(maps, 1, "3").table()).decode()
    assert all(
        cell[:1] not in "=+-@\t" for line in text.splitlines() for cell in line.split(",") if cell
    )
    table = pd.read_csv(io.StringIO(text))
    assert list(table["token"]) == ["[CLS]", "'=1+1", "'@sum", "[SEP]"]
    np.testing.assert_allclose(table.iloc[:, 2:].to_numpy(), maps.weights[1, 2], atol=1e-7)
    every = maps.table()
    assert len(every) == maps.weights.size
    row = every[
        (every["layer"] == 2)
        & (every["head"] == 3)
        & (every["from position"] == 2)
        & (every["to position"] == 3)
    ].iloc[0]
    assert (row["from"], row["to"]) == ("=1+1", "@sum") and row["value"] == pytest.approx(0.9)
    html = offline_page(
        head_heatmap(("<script>x</script>", "$a$"), np.eye(2, dtype=np.float32), title="Head 1·1"),
        title="Head 1·1",
    ).decode()
    assert "<script>x" not in html and '"showSendToCloud": false' in html
