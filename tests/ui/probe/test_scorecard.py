"""Scorecard, as a visitor meets it."""

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from bertsent.probing.loaded_model import load
from bertsent.training.runs.run import Run
from tests.ui.conftest import settled, words
from tests.ui.probe.driving import PAGE, Visit, table


@pytest.fixture
def scorecard(finished: Run, visit: Visit) -> AppTest:
    app = visit(PAGE, probe="Scorecard")
    if any(b.key.startswith("begin-suite-") for b in app.button):
        app = next(b for b in app.button if b.key.startswith("begin-suite-")).click().run()
    return settled(app)


@pytest.mark.slow
def test_the_scorecard_beside_counted_words_and_over_checkpoints(
    scorecard: AppTest, finished: Run
) -> None:
    app = scorecard
    assert not app.error, words(app)
    rates = table(app, "suite_table").set_index("capability")
    from bertsent.probing.checklist.builtin_suite import builtin_suite
    from bertsent.probing.checklist.scoring import score

    suite = builtin_suite()
    answers = load(finished.id).probabilities(suite.texts)[:, 1]
    own = score(suite, answers).table().set_index("capability")
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
    from bertsent.probing.checklist.suite import EXAMPLE

    app = visit(PAGE, probe="Scorecard", suite_kind="A suite of yours")
    assert "The scorecard appears here" in words(app)
    app = settled(app.file_uploader(key="suite_file").upload("mine.csv", EXAMPLE.encode()).run())
    assert len(table(app, "suite_table")) == 4 and not app.error
    app = app.file_uploader(key="suite_file").upload("bad.csv", b"kind,text\nMFT,a\n").run()
    assert any("has no column" in e.value for e in app.error)
    assert "mine" in words(app)
