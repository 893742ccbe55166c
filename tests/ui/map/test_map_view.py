import json
import time
from collections.abc import Callable
from dataclasses import asdict

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from bertsent.data.examples import Reviews
from bertsent.probing.loaded_model import load
from bertsent.space.extreme_reviews import extremes
from bertsent.training.runs.run import Run
from bertsent.ui.shared.jobs import Jobs, jobs
from tests.conftest import wait_until
from tests.ui.conftest import words as written

PAGE = "6_Map"
EVIL = "<script>alert(1)</script> <b>big</b> $x^2$ **bold** [a](javascript:b)"
Visit = Callable[..., AppTest]


def words(app: AppTest) -> str:
    """What a visitor reads, without the marks that keep markdown literal."""
    return written(app).replace("\\", "")


def drawn(app: AppTest) -> AppTest:
    """The page as soon as its background work is over."""

    def over() -> bool:
        found = jobs()._jobs.values()
        return bool(found) and all(job.over for job in found)

    wait_until(over)
    return app.run()


def components(app: AppTest) -> list[dict]:
    """What the page sends to its own components."""
    return [json.loads(each.proto.json) for each in app.get("bidi_component") if each.proto.json]


def picture(app: AppTest) -> dict:
    """The map as it goes to the browser."""
    return next(data for data in components(app) if "looks" in data)


def marks(app: AppTest) -> dict:
    """What is marked on it: an open review, chosen rows and the star."""
    return next(data for data in components(app) if "opened" in data)


def figure(app: AppTest) -> dict:
    """The Plotly figure of the page."""
    return json.loads(app.get("plotly_chart")[0].proto.spec)


def shown_ids(app: AppTest) -> list[str]:
    return app.session_state["map_shown"].map.points["id"].tolist()


def dots(app: AppTest) -> dict[str, str]:
    """Review ids and what hovering shows."""
    return dict(zip(shown_ids(app), picture(app)["text"], strict=True))


def legend(app: AppTest) -> dict[str, int]:
    return {entry["name"]: entry["n"] for entry in picture(app)["legend"]}


def draw_button(app: AppTest):
    """The button that begins a map."""
    return next(
        each for each in app.button if (each.key or "").startswith(("begin-map", "begin-both"))
    )


def started() -> int:
    return len(jobs()._jobs)


def bring(app: AppTest, name: str, content: str) -> AppTest:
    app.selectbox(key="map_set-box").set_value("upload").run()
    app.file_uploader(key="map_file").upload(name, content.encode()).run()
    return app


@pytest.fixture
def mapped(finished: Run, visit: Visit) -> AppTest:
    """The page with the validation reviews of a finished run on its map."""
    return drawn(visit(PAGE, map_set="validation"))


@pytest.mark.slow
def test_without_any_run_the_untouched_backbone_is_mapped(visit: Visit) -> None:
    app = visit(PAGE)
    assert app.selectbox(key="model-box").options == ["Backbone, not fine-tuned"]
    app.select_slider(key="map_count").set_value(50).run()
    app = drawn(app)
    assert not app.exception and not app.error
    assert len(dots(app)) == 50 and all(ident.startswith("o-") for ident in dots(app))
    assert app.selectbox(key="map_colour").options == ["Truth", "Cluster"]
    assert "This model was not fine-tuned: it gives no probabilities" in words(app)


def test_a_runs_validation_reviews_are_all_on_its_map(mapped: AppTest, finished: Run) -> None:
    assert not mapped.exception and not mapped.error
    validation = finished.splits().validation
    assert set(dots(mapped)) == {example.id for example in validation}
    assert f"PCA of {len(validation)} reviews" in words(mapped)
    assert "It has learned from none of them." in words(mapped)
    assert mapped.selectbox(key="map_colour").options == [
        "Truth",
        "Prediction",
        "Confidence",
        "Cluster",
    ]


def test_the_extremes_are_the_models_own(mapped: AppTest, finished: Run) -> None:
    validation = finished.splits().validation
    most = extremes(validation, load(finished.id).probabilities(validation.texts)[:, 1])
    rows = [row for ends in most for row in ends.itertuples()]
    read = [caption.value.partition(" ")[0] for caption in mapped.caption]
    scores = [words for words in read if words.startswith("(")]
    assert scores == [f"({row.score:.3f})" for row in rows]
    assert {row.full_text for row in rows} <= {text.value for text in mapped.text}


def test_colours_make_nothing_anew(mapped: AppTest) -> None:
    before, sent = started(), picture(mapped)
    for colour in ("cluster", "confidence", "prediction"):
        mapped.selectbox(key="map_colour").set_value(colour).run()
        assert set(dots(mapped)) and picture(mapped) != sent
    mapped.selectbox(key="map_colour").set_value("label").run()
    mapped.toggle(key="map_paper").set_value(True).run()
    assert "#D62728" in json.dumps(picture(mapped)["looks"])
    assert started() == before and not mapped.exception


def test_another_method_keeps_the_old_map_until_the_new_one_is_there(
    mapped: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = picture(mapped)["x"]
    held = Jobs.start
    monkeypatch.setattr(
        Jobs,
        "start",
        lambda self, key, work, lane: held(self, key, _until_cancelled, lane),
    )
    mapped.button_group(key="map_method").set_value("tsne").run()
    assert picture(mapped)["x"] == before and any(
        "A map of" in str(p.text) for p in mapped.progress
    )
    next(b for b in mapped.button if b.key.startswith("cancel-")).click().run()
    wait_until(lambda: all(job.over for job in jobs()._jobs.values()))
    mapped.run()
    assert picture(mapped)["x"] == before and "Cancelled" in words(mapped)
    monkeypatch.setattr(Jobs, "start", held)
    draw_button(mapped).click().run()
    mapped = drawn(mapped)
    assert "t-SNE of" in words(mapped) and not mapped.exception


def test_three_dimensions_come_with_pca_only(mapped: AppTest) -> None:
    mapped.button_group(key="map_dimensions").set_value(3).run()
    mapped = drawn(mapped)
    assert {trace["type"] for trace in figure(mapped)["data"]} == {"scatter3d"}
    mapped.button_group(key="map_method").set_value("tsne").run()
    assert len(mapped.button_group(key="map_dimensions").options) == 1
    assert not drawn(mapped).exception


def test_a_chosen_review_is_opened_ringed_and_carried_on(mapped: AppTest, finished: Run) -> None:
    example, before = finished.splits().validation.examples[3], picture(mapped)
    mapped.session_state["map_selected"] = example.id
    mapped.run()
    assert marks(mapped)["opened"] == shown_ids(mapped).index(example.id)
    assert picture(mapped) == before
    assert any(text.value == example.text.strip() for text in mapped.text)
    answer = load(finished.id).predict([example.text])[0]
    assert answer.label in words(mapped)
    mapped.button(key="map_probe").click().run()
    assert mapped.session_state["text"] == example.text.strip()
    assert mapped.title[0].value == "Probe"


def test_the_link_carries_the_review_that_is_open(finished: Run, visit: Visit) -> None:
    example = finished.splits().validation.examples[3]
    app = drawn(visit(PAGE, map_set="validation", map_review=example.id))
    assert marks(app)["opened"] == shown_ids(app).index(example.id)
    app.button(key="beside_back").click().run()
    assert marks(app)["opened"] is None and "map_review" not in app.query_params


def test_a_chosen_review_is_carried_to_attention(mapped: AppTest, finished: Run) -> None:
    example = finished.splits().validation.examples[3]
    mapped.session_state["map_selected"] = example.id
    mapped.run().button(key="map_attention").click().run()
    assert (
        mapped.session_state["text"] == example.text.strip()
        and mapped.title[0].value == "Attention"
    )


def test_a_lasso_stays_while_the_page_reruns_and_is_taken_back_by_a_button(
    mapped: AppTest, finished: Run
) -> None:
    chosen = {example.id for example in finished.splits().validation.examples[:3]}
    mapped.session_state["map_lasso"] = tuple(chosen)
    mapped.selectbox(key="map_colour").set_value("cluster").run()
    ids = shown_ids(mapped)
    assert {ids[row] for row in marks(mapped)["rows"]} == chosen
    assert "3 reviews of" in words(mapped).replace("*", "")
    mapped.button(key="read_all").click().run()
    table = next(each.value for each in mapped.dataframe if len(each.value) == 3)
    assert set(table["text"]) == {dots(mapped)[ident] for ident in chosen}
    mapped.button(key="selection_none").click().run()
    assert marks(mapped)["rows"] == [] and not mapped.exception


def test_a_map_that_was_made_before_opens_without_being_asked_for(
    finished: Run, visit: Visit
) -> None:
    rows = "".join(f"r{i},film number {i},{i % 2}\n" for i in range(450))
    app = bring(
        visit(PAGE, map_set="upload", map_method="t-SNE"), "large.csv", f"id,text,label\n{rows}"
    )
    draw_button(app).click().run()
    drawn(app)
    app = bring(
        visit(PAGE, map_set="upload", map_method="t-SNE"), "large.csv", f"id,text,label\n{rows}"
    )  # another day: nothing in memory
    assert started() == 1 and len(dots(drawn(app))) == 450 and not app.exception


def test_a_review_that_is_too_long_for_probe_is_cut_and_that_is_said(
    finished: Run, visit: Visit
) -> None:
    app = drawn(bring(visit(PAGE), "long.csv", f'id,text\nlong,"{"word " * 2_000}"\nshort,fine\n'))
    app.session_state["map_selected"] = "long"
    app.run()
    assert "Only the first 5,000" in words(app)
    app.button(key="map_probe").click().run()
    assert len(app.session_state["text"]) == 5_000 and not app.exception


def test_a_bad_file_is_told_and_loses_nothing(finished: Run, visit: Visit) -> None:
    app = bring(visit(PAGE), "bad.csv", "title,stars\nx,3\n")
    assert any("bad.csv has no text column" in e.value.replace("\\", "") for e in app.error)
    assert not app.exception and app.selectbox(key="map_set-box").value == "upload"
    app.file_uploader(key="map_file").upload(
        "good.csv", b"id,text\ng1,A fine film\ng2,A dull film\n"
    ).run()
    app = drawn(app)
    assert not app.error and set(dots(app)) == {"g1", "g2"}
    app.file_uploader(key="map_file").upload("worse.csv", b"text\n\xff\xfe\n").run()
    assert app.error and set(dots(app)) == {"g1", "g2"}


def test_an_upload_survives_a_look_at_another_page(finished: Run, visit: Visit) -> None:
    app = drawn(bring(visit(PAGE), "mine.csv", "id,text\ng1,A fine film\ng2,A dull film\n"))
    app.switch_page("pages/3_Probe.py").run()
    app.switch_page("pages/6_Map.py").run()
    assert set(dots(app)) == {"g1", "g2"} and "mine.csv" in words(app)


def test_review_text_is_never_markup(finished: Run, visit: Visit) -> None:
    app = drawn(
        bring(
            visit(PAGE),
            "evil.csv",
            f'id,text,label\n=evil,"{EVIL}",1\nr2,A dull film,0\nr3,A fine film,1\n',
        )
    )
    assert dots(app)["=evil"] == EVIL  # the browser writes it as text
    app.session_state["map_selected"] = "=evil"
    app.run()
    assert any(text.value == EVIL for text in app.text)
    assert "<script" not in "".join(m.value for m in app.markdown) and not app.exception


def test_one_review_or_none_alike_do_not_stop_the_page(finished: Run, visit: Visit) -> None:
    app = drawn(bring(visit(PAGE), "one.csv", "id,text\ng1,A fine film\n"))
    assert not app.exception and not app.error and set(dots(app)) == {"g1"}


def test_a_large_set_waits_for_its_button(finished: Run, visit: Visit) -> None:
    rows = "".join(f"r{i},film number {i},{i % 2}\n" for i in range(450))
    app = bring(visit(PAGE, map_set="upload"), "large.csv", f"id,text,label\n{rows}")
    assert "A map of 450 reviews will appear here" in words(app) and not started()
    draw_button(app).click().run()
    app = drawn(app)
    assert len(dots(app)) == 450
    app.select_slider(key="map_count").set_value(100).run()
    assert "100 of 450 reviews, drawn at random with seed 42" in words(app)
    assert len(dots(drawn(app))) == 100


def test_the_review_of_the_bar_is_a_star_that_can_be_read(mapped: AppTest, finished: Run) -> None:
    place = marks(mapped)["star"]
    assert len(place) == 2 and np.isfinite(place).all()
    mapped.session_state["map_star"] = True
    mapped.run()
    answer = load(finished.id).predict(["Great, another boring movie"])[0]
    assert f"{'▲' if answer.label == 'POSITIVE' else '▼'} {answer.label}" in words(mapped)
    assert sum((b.key or "").startswith("map_around_") for b in mapped.button) == 5
    mapped.toggle(key="map_drop").set_value(False).run()
    assert marks(mapped)["star"] is None
    mapped.toggle(key="map_drop").set_value(True).run()
    mapped.text_input(key="review_box").set_value("").run()
    assert marks(mapped)["star"] is None and dots(mapped) and not mapped.exception


def test_the_link_carries_the_settings(finished: Run, visit: Visit) -> None:
    app = drawn(
        visit(PAGE, map_set="train", map_method="t-SNE", map_colour="Cluster", map_clusters="3")
    )
    assert (
        app.button_group(key="map_method").value == "tsne"
        and app.selectbox(key="map_colour").value == "cluster"
    )
    assert app.number_input(key="map_clusters").value == 3
    assert set(legend(app)) == {"cluster 0", "cluster 1", "cluster 2"}


@pytest.mark.parametrize("word", ["tsne", "TSNE", "t-sne", "T SNE"])
def test_links_are_understood_as_people_write_them(finished: Run, visit: Visit, word: str) -> None:
    app = visit(PAGE, map_method=word, map_color="predictions", map_set="HARD")
    assert app.button_group(key="map_method").value == "tsne"
    assert app.selectbox(key="map_colour").value == "prediction"
    assert app.selectbox(key="map_set-box").value == "builtin-test" and not app.toast


def test_a_word_of_the_link_that_means_nothing_is_said_and_left_out(
    finished: Run, visit: Visit
) -> None:
    app = visit(PAGE, map_method="umap", map_colour="<b>", finding="Selection")
    assert app.button_group(key="map_method").value == "pca"
    said = " ".join(each.value for each in app.toast)
    assert "umap" in said and "map\\_colour" in said and "Selection" not in said
    assert "umap" not in str(app.query_params)


def test_a_search_is_by_the_encoder_before_fine_tuning_and_says_what_that_changed(
    finished: Run, visit: Visit
) -> None:
    first = finished.splits().validation.examples[0]
    app = drawn(visit(PAGE, map_set="validation", meaning_query=first.text[:200]))
    ids = shown_ids(app)
    assert len(marks(app)["rows"]) == min(10, len(ids))
    found = [b.key for b in app.button if (b.key or "").startswith("map_found_")]
    assert "found by both models" in words(app)
    assert found[0] == f"map_found_{first.id}"  # nothing means more like it than itself
    app.button(key="search_close").click().run()
    assert marks(app)["rows"] == [] and not app.exception


def test_a_camera_from_a_browser_is_checked() -> None:
    from bertsent.ui.map.clicks_3d import _camera

    vector = {"x": 1, "y": 2.5, "z": 0}
    assert _camera({"eye": vector, "center": vector, "up": vector, "more": "<b>"}) == {
        name: vector for name in ("eye", "center", "up")
    }
    for sent in (
        None,
        "x",
        {},
        {"eye": vector},
        {"eye": {**vector, "x": float("nan")}, "center": vector, "up": vector},
    ):
        assert _camera(sent) is None


def test_samples_are_the_same_at_every_visit(toy_reviews: Reviews) -> None:
    from bertsent.ui.map.review_sample import draw

    few = draw(toy_reviews, 10)
    assert len(few) == 10 and few == draw(toy_reviews, 10) and draw(toy_reviews, 100) is toy_reviews
    order = [toy_reviews.examples.index(example) for example in few]
    assert order == sorted(order) and all(asdict(example)["text"] for example in few)
    assert not np.array_equal(order, range(10))


def _until_cancelled(progress: Callable[[float], None]) -> None:
    """Work that goes on until somebody cancels it."""
    while True:
        progress(0.1)
        time.sleep(0.01)
