"""The subgroup check below the scorecard, as a visitor meets it."""

from bertsent.probing.loaded_model import load
from bertsent.probing.subgroups.check import check_subgroups
from bertsent.training.runs.run import Run
from tests.ui.conftest import settled, words
from tests.ui.probe.driving import PAGE, Visit, press, table, tables


def test_the_subgroup_check_begins_when_asked_and_shows_one_attribute_after_the_other(
    finished: Run, visit: Visit
) -> None:
    app = settled(visit(PAGE, probe="Scorecard"))
    begin = next(b.key for b in app.button if b.key.startswith("begin-subgroups-"))
    app = settled(press(app, begin))
    assert not app.error, words(app)
    found = check_subgroups(load(finished.id))
    shown, own = table(app, "subgroup_rows"), found.attributes()
    assert list(shown["attribute"]) == list(own["attribute"])
    assert list(shown["group"]) == list(own["group"])
    for row, gap, flipped in zip(shown.itertuples(), own["gap"], own["flipped"], strict=True):
        rounded = f"{100 * gap:+.1f}"
        expected = "0.0" if rounded in ("+0.0", "-0.0") else rounded.replace("-", "−")
        assert row.widest.startswith(f"{expected} (")
        assert row.flips.startswith(f"{flipped} of ")
    box = app.selectbox(key="subgroup_attribute")
    assert box.options == list(own["attribute"])
    app = box.set_value("religion").run()
    flips = found.cases[(found.cases["attribute"] == "religion") & found.cases["flipped"]]
    assert list(tables(app, "subgroup_flips")[0]["text"]) == list(flips["text"])


def test_a_scorecard_of_ones_own_suite_has_it_too(finished: Run, visit: Visit) -> None:
    from bertsent.probing.checklist.suite import EXAMPLE

    app = visit(PAGE, probe="Scorecard", suite_kind="A suite of yours")
    assert not any(b.key.startswith("begin-subgroups-") for b in app.button)
    app = settled(app.file_uploader(key="suite_file").upload("mine.csv", EXAMPLE.encode()).run())
    assert any(b.key.startswith("begin-subgroups-") for b in app.button)
