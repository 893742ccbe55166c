import json
from collections.abc import Callable

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from bertsent.data.examples import Example, Reviews
from bertsent.errors import NotAvailable
from bertsent.probing import registry
from bertsent.probing.loaded_model import load
from bertsent.statistics import majority_class_sentence
from bertsent.training.runs.run import Run
from bertsent.ui.map import before_and_after
from bertsent.ui.map.dot_events import DotEvent, checked_event, checked_ranges, known
from bertsent.ui.map.learned_from import learned_from
from bertsent.ui.shared.jobs import jobs
from tests.ui.map.test_map_view import (
    PAGE,
    bring,
    draw_button,
    drawn,
    figure,
    picture,
    started,
    words,
)

Visit = Callable[..., AppTest]
LINK = {"map_view": "Before and after"}
TITLES = ["Before: PCA", "Before: t-SNE", "After: PCA", "After: t-SNE"]


@pytest.fixture
def from_builtin(finished: Run) -> Run:
    """The finished run, as if it had begun with the built-in backbone: small, and of another width
    than what it is compared with.
    """
    path = finished.folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"model": "builtin"}))
    return finished


@pytest.fixture
def compared(from_builtin: Run, visit: Visit, shared_space: None) -> AppTest:
    """The page with the training reviews of that run before and after."""
    return drawn(visit(PAGE, map_set="train", **LINK))


def traces(app: AppTest) -> list[dict]:
    """The dots of the figure, without the star."""
    return [trace for trace in figure(app)["data"] if trace["name"] != "your review"]


def dots(app: AppTest) -> set[str]:
    return {ident for trace in traces(app) for ident in trace["customdata"]}


def panels(app: AppTest) -> list[str]:
    """Which panel each dot is in."""
    return [trace["xaxis"] for trace in traces(app) for _ in trace["customdata"]]


def test_the_same_reviews_are_in_all_four_panels(compared: AppTest, from_builtin: Run) -> None:
    assert not compared.exception and not compared.error
    train = from_builtin.splits().train
    assert [note["text"] for note in figure(compared)["layout"]["annotations"]] == TITLES
    assert set(dots(compared)) == {example.id for example in train}
    assert {axis: panels(compared).count(axis) for axis in panels(compared)} == dict.fromkeys(
        ("x", "x2", "x3", "x4"), len(train)
    )


def test_it_is_one_job_and_colours_make_nothing_anew(compared: AppTest) -> None:
    assert started() == 1
    for colour in ("prediction", "confidence", "cluster", "label"):
        compared.selectbox(key="map_colour").set_value(colour).run()
    compared.toggle(key="map_paper").set_value(True).run()
    assert (
        "#D62728" in json.dumps(figure(compared)["data"])
        and started() == 1
        and not compared.exception
    )


def test_the_caption_is_measured_and_says_what_it_was_trained_on(
    compared: AppTest, from_builtin: Run
) -> None:
    (job,) = jobs()._jobs.values()
    gain, count = job.result.separation, len(from_builtin.splits().train)
    assert (
        f"for {100 * gain.first:.1f} % of {count} reviews before fine-tuning and for "
        f"{100 * gain.second:.1f} % after" in words(compared)
    )
    assert f"was trained on {count} of these {count} reviews" in words(compared)
    assert majority_class_sentence(from_builtin.splits().train.labels) in words(compared)


def test_a_chosen_review_is_opened_and_ringed_without_a_new_figure(
    compared: AppTest, from_builtin: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    example, before, ringed = from_builtin.splits().train.examples[3], figure(compared), []
    monkeypatch.setattr(
        before_and_after, "watch_dots", lambda *_, marked, **__: ringed.append(marked)
    )
    compared.session_state["map_selected"] = example.id
    compared.run()
    assert ringed == [example.id] and figure(compared) == before
    assert any(text.value == example.text.strip() for text in compared.text)
    assert load(from_builtin.id).predict([example.text])[0].label in words(compared)


def test_a_lasso_in_one_panel_marks_the_same_reviews_in_all_four(
    compared: AppTest, from_builtin: Run
) -> None:
    ids = {example.id for example in from_builtin.splits().train.examples[:5]}
    compared.session_state["map_lasso"] = tuple(ids)
    compared.run()
    marked = [
        (trace["xaxis"], trace["customdata"][i])
        for trace in traces(compared)
        for i in trace["selectedpoints"]
    ]
    assert sorted(marked) == sorted(
        (axis, ident) for axis in ("x", "x2", "x3", "x4") for ident in ids
    )
    assert "5 reviews** of" in words(compared) and not compared.exception


def test_a_second_click_closes_the_review_and_a_lasso_keeps_the_zoom(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    state: dict[str, object] = {}
    monkeypatch.setattr(before_and_after.st, "session_state", state)
    for clicked, opened in (("a", "a"), ("b", "b"), ("b", None), ("a", "a")):
        before_and_after._acted("key", DotEvent(clicked, (), {"xaxis": (0.0, 1.0)}))
        assert state["map_selected"] == opened and "map_ranges" not in state
    before_and_after._acted("key", DotEvent(None, ("a", "c"), {"xaxis": (0.0, 1.0)}))
    assert state["map_lasso"] == ("a", "c") and state["map_ranges"] == {
        "key": {"xaxis": (0.0, 1.0)}
    }


def test_what_a_browser_points_at_is_checked() -> None:
    assert checked_event({"id": "a", "ranges": {"xaxis": [0, 1]}}) == DotEvent(
        "a", (), {"xaxis": (0.0, 1.0)}
    )
    assert checked_event({"ids": ["a", "b"]}) == DotEvent(None, ("a", "b"), {})
    for sent in (
        None,
        "a",
        [],
        {},
        {"id": 3},
        {"ids": "ab"},
        {"ids": ["a", 1]},
        {"ids": ["a"] * 50_001},
    ):
        assert checked_event(sent) is None
    assert known(("b", "x", "a"), ("a", "b", "c")) == ("a", "b")


def test_the_zoom_of_a_browser_is_checked_and_kept(compared: AppTest) -> None:
    sent = {
        "xaxis": [1, 2.5],
        "yaxis4": [-1, 0],
        "xaxis3": [0, float("nan")],
        "xaxis2": [1, 1],
        "title": [0, 1],
        "yaxis": "ab",
    }
    assert checked_ranges(sent) == {"xaxis": (1.0, 2.5), "yaxis4": (-1.0, 0.0)}
    assert checked_ranges(None) == checked_ranges([1]) == {}
    ((key, _),) = jobs()._jobs.items()
    compared.session_state["map_ranges"] = {
        key: checked_ranges(sent),
        "another": {"xaxis2": (0.0, 1.0)},
    }
    compared.run()
    layout = figure(compared)["layout"]
    assert (
        layout["xaxis"]["range"] == [1, 2.5]
        and layout["yaxis4"]["range"] == [-1, 0]
        and "range" not in layout["xaxis2"]
    )


def test_one_map_and_back(compared: AppTest) -> None:
    compared.button_group(key="map_view").set_value("one").run()
    one = drawn(compared)
    assert picture(one)["text"] and not one.get("plotly_chart") and "PCA of" in words(one)
    before = started()
    one.button_group(key="map_view").set_value("both").run()
    assert len(set(panels(one))) == 4 and started() == before and not one.exception


def test_another_set_keeps_the_old_maps_until_the_new_ones_are_there(
    compared: AppTest, from_builtin: Run
) -> None:
    old = set(dots(compared))
    rows = "".join(f"r{i},film number {i},{i % 2}\n" for i in range(401))
    app = bring(compared, "large.csv", f"id,text,label\n{rows}")
    assert set(dots(app)) == old and draw_button(app)
    app.select_slider(key="map_count").set_value(50).run()
    app = drawn(app)
    assert (
        set(dots(app)) != old
        and len(dots(app)) == 50
        and "was trained on none of these reviews" in words(app)
    )


def test_many_reviews_wait_for_the_button(from_builtin: Run, visit: Visit) -> None:
    rows = "".join(f"r{i},film number {i}\n" for i in range(401))
    app = bring(visit(PAGE, map_set="upload", **LINK), "large.csv", f"id,text\n{rows}")
    assert (
        "Four maps of 401 reviews, before and after will appear here" in words(app)
        and not started()
    )


def test_without_labels_nothing_is_claimed(from_builtin: Run, visit: Visit) -> None:
    app = drawn(
        bring(visit(PAGE, **LINK), "mine.csv", "id,text\ng1,A fine film\n=g2,A dull film\n")
    )
    assert not app.exception and not app.error and set(dots(app)) == {"g1", "=g2"}
    assert "Five labelled reviews of each class are needed" in words(
        app
    ) and "straight cut" not in words(app)


def test_a_model_of_another_backbone_has_no_before(finished: Run, visit: Visit) -> None:
    app = visit(PAGE, map_set="validation", **LINK)
    assert not app.exception and not app.get("plotly_chart") and not started()
    assert "for models that were trained from the built-in backbone" in words(app)


def test_the_backbone_itself_is_told_to_choose_another(from_builtin: Run, visit: Visit) -> None:
    app = visit(PAGE, model="backbone", **LINK)
    assert not app.exception and not app.get("plotly_chart") and not started()
    assert "This is the backbone before fine-tuning" in words(app) and from_builtin.id in words(app)


def test_where_a_model_comes_from(from_builtin: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    newest = registry.run_models(from_builtin)[0]
    assert registry.origin(from_builtin.id) == registry.origin(newest.name) == "backbone"
    assert registry.origin("backbone") is None
    monkeypatch.setattr(registry, "host_folders", lambda: {"theirs": newest.folder})
    assert registry.origin("theirs") is None
    monkeypatch.setattr(registry, "shipped", lambda: True)
    assert registry.origin("builtin") == "backbone"
    with pytest.raises(NotAvailable):
        registry.origin("nobody-here")


def test_the_table_to_take_away_is_whole(compared: AppTest) -> None:
    (job,) = jobs()._jobs.values()
    table = job.result.table
    assert compared.get("download_button")
    assert {
        f"{when}_{method}_{axis}"
        for when in ("before", "after")
        for method in ("pca", "tsne")
        for axis in "xy"
    } <= set(table)
    assert {"prediction", "p_positive", "before_cluster", "after_cluster"} <= set(
        table
    ) and isinstance(table, pd.DataFrame)


def test_training_reviews_are_counted_by_their_text(from_builtin: Run) -> None:
    train = from_builtin.splits().train.examples
    few = Reviews("few", (train[0], Example("new", "never seen before"), train[1]))
    assert learned_from(from_builtin.id, few) == 2
    assert learned_from("nobody-here", few) is None


def test_a_dropped_review_is_a_star_in_every_panel(compared: AppTest) -> None:
    stars = [trace for trace in figure(compared)["data"] if trace["name"] == "your review"]
    assert (
        [star["xaxis"] for star in stars] == ["x", "x2", "x3", "x4"]
        and not compared.exception
        and not compared.error
    )
    compared.session_state["map_star"] = True
    compared.run()
    for when in ("before", "after"):
        near = [b for b in compared.button if (b.key or "").startswith(f"map_near_{when}_")]
        assert len(near) == 5
    assert "differ in width, so no plane can show both" in words(
        compared
    )  # a tiny run beside the real backbone


def test_both_models_lie_on_one_plane_with_the_way_of_a_typed_review(
    from_builtin: Run, visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here the run's own first checkpoint stands in for the backbone."""
    first = registry.run_models(from_builtin)[-1].name
    monkeypatch.setattr(before_and_after, "origin", lambda name: first)
    app = drawn(visit(PAGE, map_set="train", **LINK))
    app.toggle(key="map_drop").set_value(False).run()
    assert "From pretrained to fine-tuned, on one plane" in words(
        app
    ) and "Show your review as a star" in words(app)
    app.toggle(key="map_drop").set_value(True).run()
    assert "the amber arrow shows" in words(app) and not app.exception and not app.error
    spec = json.loads(app.get("plotly_chart")[1].proto.spec)
    assert [trace["name"] for trace in spec["data"]][-1] == "your review" and len(
        spec["layout"]["annotations"]
    ) == 6
