"""Pairs, Irony grid, Scorecard and Batch, as a visitor meets them."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import accuracy_score
from streamlit.testing.v1 import AppTest

from bertsent.probing.loaded_model import load
from bertsent.settings import PROJECT
from bertsent.training.runs.run import Run
from bertsent.ui.probe import irony_grid
from bertsent.ui.shared.jobs import jobs
from tests.conftest import wait_until
from tests.ui.conftest import words

PAGE = "3_Probe"
Visit = Callable[..., AppTest]


def settled(app: AppTest) -> AppTest:
    """The page after all background work, drawn once more."""
    for _ in range(4):
        everything = list(jobs()._jobs.values())
        wait_until(lambda all_=everything: all(job.over for job in all_))
        app = app.run()
        assert not app.exception, app.exception
    return app


COLUMNS = {
    "suite_table": {"model", "capability", "failure"},
    "batch_table": {"p_positive", "tokens", "cut"},
    "batch_slices": {"slice", "accuracy", "from"},
}


def tables(app: AppTest, which: str) -> list[pd.DataFrame]:
    return [f.value for f in app.dataframe if COLUMNS[which] <= set(f.value.columns)]


def table(app: AppTest, which: str) -> pd.DataFrame:
    return tables(app, which)[0]


def press(app: AppTest, key: str) -> AppTest:
    return next(b for b in app.button if b.key == key).click().run()


@pytest.fixture
def pairs(finished: Run, visit: Visit) -> AppTest:
    return settled(visit(PAGE, probe="Pairs"))


def test_a_pair_shows_both_answers_and_what_turns(pairs: AppTest, finished: Run) -> None:
    assert not pairs.error, words(pairs)
    learner = load(finished.id)
    first, second = (
        learner.predict(["Great, another boring movie"])[0],
        learner.predict(["Great, another gripping movie"])[0],
    )
    shown = [s.value for s in pairs.subheader]
    assert any(
        f"{first.label} {max(first.p_positive, 1 - first.p_positive):.1%}" in s for s in shown
    )
    assert f"from {first.p_positive:.1%} to {second.p_positive:.1%}" in words(pairs).replace(
        "\\", ""
    )
    assert "1 change, 4 words stay" in words(pairs).replace("\\", "")
    marks = "".join(str(h.proto.body) for h in pairs.get("html") if "pair" in str(h.proto.body))
    assert "<mark>−boring</mark>" in marks and "<mark>+gripping</mark>" in marks


def test_presets_swap_and_the_link(pairs: AppTest, finished: Run, visit: Visit) -> None:
    app = press(pairs, "pair-preset-Not bad / bad")
    assert app.text_area(key="pair_first").value == "This is not a bad film"
    app = press(app, "pair-swap")
    assert (app.text_area(key="pair_first").value, app.text_area(key="pair_second").value) == (
        "This is a bad film",
        "This is not a bad film",
    )
    app = press(app, "pair-preset-it → animal / street")
    assert app.selectbox(key="pair_from").value.startswith("it (") and not app.exception
    app.selectbox(key="pair_head").set_value("the head that changes most").run()
    assert "changes most at" in words(app)
    linked = settled(visit(PAGE, probe="Pairs", pair_first="A good film", pair_second="A bad film"))
    assert linked.text_area(
        key="pair_first"
    ).value == "A good film" and "1 change, 2 words stay" in words(linked)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "<script>alert(1)</script> <br> &amp; x",
        "\u202eevil\u202c",
        "$$x$$ **b** [a](javascript:b)",
    ],
)
def test_odd_texts_in_a_pair(pairs: AppTest, text: str) -> None:
    pairs.text_area(key="pair_first").set_value(text).run()
    app = settled(pairs)
    assert bool(app.error) == (not text)
    bodies = "".join(
        str(h.proto.body) for h in app.get("html") if "class='pair'" in str(h.proto.body)
    )
    assert "<script" not in bodies and "<br>" not in bodies
    if "<script>" in text:
        assert "<mark>−&lt;</mark><mark>−script</mark>" in bodies


def test_a_text_of_a_pair_becomes_the_review(pairs: AppTest) -> None:
    app = press(pairs, "pair-take-second")
    assert (
        app.text_input(key="review_box").value == "Great, another gripping movie"
        and app.session_state["probe"] == "Answer"
    )


@pytest.fixture
def grid(finished: Run, visit: Visit) -> AppTest:
    return settled(
        visit(
            PAGE,
            probe="Irony grid",
            grid_openers="Great\nOh no",
            grid_adjectives="boring\nfine\nlong",
        )
    )


def cells(app: AppTest) -> dict:
    import json

    return json.loads(app.get("plotly_chart")[0].proto.spec)


def test_the_grid_is_the_models_own(grid: AppTest, finished: Run) -> None:
    assert not grid.error, words(grid)
    alone = 1 - load(finished.id).predict(["Great, another boring movie"])[0].p_positive
    assert f"{max(alone, 1 - alone):.1%}; the opener alone" in words(grid).replace("\\", "")
    points = cells(grid)["data"][1]
    assert sum(place != [-1, -1] for place in points["customdata"]) == 6


def test_a_click_chooses_a_cell_and_takes_it_along(
    grid: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    grid.selectbox(key="grid_row").set_value(1).run()
    grid.selectbox(key="grid_column").set_value(2).run()
    assert any(t.value == "Oh no, another long movie" for t in grid.text)
    app = press(grid, "grid_take")
    assert (
        app.text_input(key="review_box").value == "Oh no, another long movie"
        and app.session_state["probe"] == "Answer"
    )
    from types import SimpleNamespace

    for place, chosen in (([0, 1], (0, 1)), ([-1, -1], (5, 5)), ("x", (5, 5))):
        found = SimpleNamespace(selection=SimpleNamespace(points=[{"customdata": place}]))
        state = {irony_grid.CHART: found, "grid_row": 5, "grid_column": 5}
        monkeypatch.setattr(irony_grid.st, "session_state", state)
        irony_grid._clicked()
        assert (state["grid_row"], state["grid_column"]) == chosen


def test_a_grid_that_cannot_be_asked_says_why(grid: AppTest) -> None:
    grid.text_input(key="grid_template").set_value("{opener}, no adjective").run()
    assert any("needs" in e.value for e in grid.error) and not grid.exception
    grid.text_input(key="grid_template").set_value("{adj} {noun}. {opener}!").run()
    grid.text_area(key="grid_openers").set_value("One").run()
    assert not grid.error and not grid.exception


@pytest.fixture
def scorecard(finished: Run, visit: Visit) -> AppTest:
    app = visit(PAGE, probe="Scorecard")
    if any(b.key.startswith("begin-suite-") for b in app.button):
        app = next(b for b in app.button if b.key.startswith("begin-suite-")).click().run()
    return settled(app)


def test_the_scorecard_beside_counted_words_and_over_checkpoints(
    scorecard: AppTest, finished: Run
) -> None:
    app = scorecard
    assert not app.error, words(app)
    rates = table(app, "suite_table").set_index("capability")
    from bertsent.probing.checklist.builtin_suite import builtin_suite
    from bertsent.probing.checklist.scoring import probabilities_of_model, score

    own = (
        score(builtin_suite(), probabilities_of_model(load(finished.id)))
        .table()
        .set_index("capability")
    )
    np.testing.assert_array_equal(rates["failed"], own["failed"])
    app.toggle(key="suite_counted").set_value(True).run()
    app = settled(app)
    both = table(app, "suite_table")
    assert set(both["model"]) >= {"BOW + SVM", "TF-IDF + logistic regression"}
    order = both[(both["model"] == "BOW + SVM") & (both["kind"] == "ORDER")]
    assert (order["failed"] == 0).all()
    begin = [b for b in app.button if b.key.startswith("begin-suite-history")]
    app = settled(begin[0].click().run())
    assert any(m.key == "suite_over" for m in app.multiselect)


def test_a_suite_of_ones_own(scorecard: AppTest, finished: Run, visit: Visit) -> None:
    from bertsent.probing.checklist.suite_file import EXAMPLE

    app = visit(PAGE, probe="Scorecard", suite_kind="A suite of yours")
    assert "The scorecard appears here" in words(app)
    app = settled(app.file_uploader(key="suite_file").upload("mine.csv", EXAMPLE.encode()).run())
    assert len(table(app, "suite_table")) == 4 and not app.error
    app = app.file_uploader(key="suite_file").upload("bad.csv", b"kind,text\nMFT,a\n").run()
    assert any("has no column" in e.value for e in app.error)
    assert "mine" in words(app)


ROWS = (
    "id,text,label,phenomenon\na,A fine warm film,1,plain\nb,=1+1 awful "
    "acting,0,plain\nc,great "
    "fun,0,sarcasm\nd,no fun,,sarcasm\n"
)


def batch(visit: Visit, data: str, name: str = "mine.csv") -> AppTest:
    app = visit(PAGE, probe="Batch")
    app.button_group(key="batch_how").set_value("A file").run()
    return settled(app.file_uploader(key="batch_file").upload(name, data.encode()).run())


def test_a_file_is_answered_and_judged(finished: Run, visit: Visit) -> None:
    app = batch(visit, ROWS)
    assert not app.error, words(app)
    shown, learner = table(app, "batch_table"), load(finished.id)
    np.testing.assert_allclose(
        shown["p_positive"], [learner.predict([t])[0].p_positive for t in shown["text"]], atol=1e-6
    )
    known = shown[shown["label"].notna()]
    rates = table(app, "batch_slices").set_index("slice")
    assert rates.loc["all", "accuracy"] == accuracy_score(known["label"], known["prediction"])
    for name, rows in known.groupby("phenomenon"):
        assert rates.loc[name, "accuracy"] == accuracy_score(rows["label"], rows["prediction"])
    app.toggle(key="batch_wrong").set_value(True).run()
    assert len(table(app, "batch_table")) == (known["label"] != known["prediction"]).sum()
    assert not [
        key for key in jobs()._jobs if key.startswith("batch")
    ]  # nothing of it stays outside of the session


def test_pasted_reviews_and_another_session_sees_none_of_them(finished: Run, visit: Visit) -> None:
    app = visit(PAGE, probe="Batch")
    app.text_area(key="batch_text").set_value("A secret film\n\nAnother one")
    app = settled(press(app, "batch_ask"))
    assert list(table(app, "batch_table")["text"]) == ["A secret film", "Another one"]
    other = AppTest.from_file(str(PROJECT / "app.py"), default_timeout=240)
    other.query_params["probe"] = "Batch"
    other = other.run().switch_page("pages/3_Probe.py").run()
    assert "secret" not in words(other) and not tables(other, "batch_table")


def test_a_bad_file_is_told_and_the_last_good_one_stays(finished: Run, visit: Visit) -> None:
    app = batch(visit, ROWS)
    app = (
        app.file_uploader(key="batch_file")
        .upload("more.csv", ("text\n" + "good\n" * 10_001).encode())
        .run()
    )
    assert any("the limit here is 10,000" in e.value for e in app.error)
    assert len(table(app, "batch_table")) == 4
