"""Batch, as a visitor meets it."""

import numpy as np
from sklearn.metrics import accuracy_score
from streamlit.testing.v1 import AppTest

from bertsent.probing.loaded_model import load
from bertsent.settings import PROJECT
from bertsent.training.runs.run import Run
from bertsent.ui.shared.jobs import jobs
from tests.ui.conftest import settled, words
from tests.ui.probe.driving import PAGE, Visit, press, table, tables

ROWS = (
    "id,text,label,phenomenon\na,A fine warm film,1,plain\nb,=1+1 awful "
    "acting,0,plain\nc,great "
    "fun,0,sarcasm\nd,no fun,,sarcasm\n"
)


def batch(visit: Visit, data: str, name: str = "mine.csv") -> AppTest:
    app = visit(PAGE, probe="Batch")
    return settled(app.file_uploader(key="batch_file").upload(name, data.encode()).run())


def test_a_file_is_answered_and_judged(finished: Run, visit: Visit) -> None:
    app = batch(visit, ROWS)
    assert not app.error, words(app)
    shown, learner = table(app, "batch_table"), load(finished.id)
    np.testing.assert_allclose(
        shown["p_positive"] / 100,
        [learner.predict([t])[0].p_positive for t in shown["text"]],
        atol=1e-6,
    )
    known = shown[shown["label"].notna()]
    rates = table(app, "batch_slices").set_index("slice")
    assert rates.loc["all", "accuracy"] == 100 * accuracy_score(known["label"], known["prediction"])
    for name, rows in known.groupby("phenomenon"):
        assert rates.loc[name, "accuracy"] == 100 * accuracy_score(
            rows["label"], rows["prediction"]
        )
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
