"""What is below a map: lists, clusters with their reviews, the boundary, calibration."""

import json
import time

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from bertsent.probing.loaded_model import load
from bertsent.space.extreme_reviews import confident_and_wrong, undecided
from bertsent.ui.map.selection import summary
from bertsent.ui.shared.jobs import jobs
from tests.ui.conftest import words

PAGE = "6_Map"


def drawn(app: AppTest) -> AppTest:
    """Wait for the work in the background and look again, until nothing is left to do."""
    for _ in range(8):
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and any(
            not job.over for job in list(jobs()._jobs.values())
        ):
            time.sleep(0.05)
        app.run()
        if all(job.over for job in list(jobs()._jobs.values())) and not app.get("progress"):
            return app
    return app


@pytest.fixture
def shown(finished, visit):
    """The map of a finished run with one of the questions below it."""

    def show(section: str, **query: str) -> AppTest:
        app = drawn(visit(PAGE, map_set="validation", finding=section, **query))
        assert not app.exception and not app.error, words(app)
        return app

    return show


def listed(app: AppTest) -> list[str]:
    """The numbers in brackets, as the lists have them."""
    said = [caption.value for caption in app.caption]
    return [words[1:].partition(")")[0] for words in said if words.startswith("(")]


def test_sure_and_wrong_and_undecided_are_the_models_own(shown, finished):
    app = shown("Extremes", extremes_which="Sure and wrong, undecided")
    validation = finished.splits().validation
    scores = load(finished.id).probabilities(validation.texts)[:, 1]
    rows = [
        *confident_and_wrong(validation, scores)["score"],
        *undecided(validation, scores)["score"],
    ]
    assert listed(app) == [f"{score:.3f}" for score in rows]


def test_what_training_changed_is_told_against_an_earlier_checkpoint(shown, finished):
    app = shown("Extremes", extremes_which="Most changed by training")
    validation = finished.splits().validation
    before, after = (
        load(name).probabilities(validation.texts)[:, 1]
        for name in (f"{finished.id}/step-0", finished.id)
    )
    change = np.sort(after - before)
    heads = [each.split(" → ") for each in listed(app)]
    moved = [float(b) - float(a) for a, b in heads]
    assert moved[0] == pytest.approx(change[-1], abs=2e-3) and "step 0" in app.selectbox(
        key="extremes_since"
    ).format_func(f"x/step-{0}")


def test_clusters_are_counted_matched_and_worded(shown, finished):
    app = shown("Clusters")
    charts = [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]
    cells = next(
        c["data"][1]["text"]
        for c in charts
        if len(c["data"]) > 1 and c["data"][0]["type"] == "heatmap"
    )
    assert sum(int(cell) for cell in cells) == len(finished.splits().validation)
    table = " ".join(str(t.value) for t in app.table)
    for measure in ("matched", "purity", "ARI", "NMI", "silhouette", "stability"):
        assert measure in table, table
    assert any("more frequent label has an accuracy" in c.value for c in app.caption)


def test_the_boundary_states_folds_full_width_and_fidelity(shown):
    app = shown("Boundary")
    table = " ".join(str(t.value) for t in app.table)
    for fact in ("folds", "full vectors", "majority class", "trustworthiness", "neighbours kept"):
        assert fact in table, table
    assert "exact McNemar test" in words(app)
    assert "choose 2-D above" in words(shown("Boundary", map_dimensions="3-D"))


def test_calibration_gives_the_error_and_temperature_moves_it(shown, finished):
    app = shown("Calibration")
    assert "Expected calibration error" in words(app) and "of the masks" in words(app)
    app.slider(key="calibration_t").set_value(2.0).run()
    assert "at T = 2" in words(app)


def test_a_backbone_without_a_head_is_told_apart(visit, finished):
    for section in ("Extremes", "Calibration"):
        app = drawn(visit(PAGE, map_set="validation", finding=section, model="backbone"))
        assert not app.exception and not app.error
        assert "not fine-tuned" in words(app)
        links = [link.proto.label for link in app.get("page_link")]
        assert ("Fine-tune it" in links) == (section == "Extremes")


def test_a_lasso_is_read_in_numbers_and_in_words_beside_the_map(shown, finished):
    app = shown("Clusters")
    chosen = [example.id for example in finished.splits().validation.examples[:3]]
    app.session_state["map_lasso"] = tuple(chosen)
    app.run()
    assert not app.exception and "3 reviews** of" in words(app)
    assert "of 3 answered rightly" in words(app) and "frequent in them" in words(app)


def test_another_layer_is_another_map(shown):
    app = shown("Extremes", map_layer="input")
    assert app.selectbox(key="map_layer").value == 0
    assert app.selectbox(key="map_layer").options == ["last", "1", "input"]


def test_a_selection_names_confidence_and_the_words_of_both_sides():
    rows = pd.DataFrame(
        {
            "label": ["POSITIVE", "NEGATIVE", ""],
            "prediction": ["POSITIVE"] * 3,
            "p_positive": [0.6, 0.95, 1.0],
            "confidence": [0.6, 0.95, 1.0],
        }
    )
    assert summary(rows) == [
        "truth: ▲ 1 positive · ▼ 1 negative",
        "answer: ▲ 3 positive",
        "1 of 2 answered rightly (50.0 %; the majority class: 50.0 %)",
        "mean confidence 85.0 %",
    ]
