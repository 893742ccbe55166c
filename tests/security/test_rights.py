"""Who starts a run owns it: others look on, and a forged press of a button does nothing."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from bertsent.errors import BadInput
from bertsent.training.groups.run_group import Member, RunGroup, _save
from bertsent.training.runs.notes import read_note, write_note
from bertsent.training.runs.owner import keep_owner
from bertsent.training.runs.run import Run, find_run, list_runs
from bertsent.ui import visitors
from bertsent.ui.fine_tune import new_run, run_buttons
from bertsent.ui.shared.visitor import NOBODY
from tests.security.conftest import ANN, BEN, forged, owned
from tests.ui.conftest import words
from tests.ui.fine_tune.test_all_runs import select
from tests.ui.fine_tune.test_run import PAGE, button

Visit, Looks = Callable[..., AppTest], Callable[..., None]


def test_who_starts_a_run_owns_it(
    visit: Visit, looks: Looks, lab, tiny_backbone, monkeypatch: pytest.MonkeyPatch
) -> None:
    (lab / "models").mkdir()
    (lab / "models" / "tiny").symlink_to(tiny_backbone)
    monkeypatch.setattr(new_run, "launch", lambda run: None)
    looks(ANN)
    app = visit(PAGE)
    app.selectbox(key="draft-model").set_value("tiny").run()
    app.number_input(key="draft-length").set_value(32)
    button(app, "start").click().run()
    assert not app.exception and not app.error
    (run,) = list_runs()
    assert run.owner == ANN
    assert not button(app, f"resume-{run.id}").disabled
    looks(BEN)
    assert button(visit(PAGE), f"resume-{run.id}").disabled


def test_others_see_a_live_run_and_cannot_pause_or_stop_it(
    running: Run, visit: Visit, looks: Looks
) -> None:
    owned(running, ANN)
    looks(BEN)
    app = visit(PAGE)
    assert not app.exception and "Started by somebody else" in words(app)
    for what in ("pause", "stop"):
        pressed = button(app, f"{what}-{running.id}")
        assert pressed.disabled and "somebody else" in pressed.help
        forged(pressed).click().run()
        assert running.requested() == ""
    looks(ANN)
    button(app.run(), f"pause-{running.id}").click().run()
    assert running.requested() == "pause"


def test_others_cannot_resume_or_end_it(
    crashed: Run, visit: Visit, looks: Looks, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[str] = []
    monkeypatch.setattr(run_buttons, "launch", lambda run: started.append("resume"))
    monkeypatch.setattr(run_buttons, "stop_and_keep", lambda run: started.append("keep"))
    owned(crashed, ANN)
    looks(BEN)
    app = visit(PAGE)
    for key in (f"resume-{crashed.id}", f"keep-{crashed.id}"):
        assert button(app, key).disabled
        app = forged(button(app, key)).click().run()
    assert started == []
    looks(ANN)
    button(app.run(), f"resume-{crashed.id}").click().run()
    assert started == ["resume"]


def test_others_cannot_change_its_sentinels(running: Run, visit: Visit, looks: Looks) -> None:
    owned(running, ANN)
    before = running.sentinels()
    looks(BEN)
    app = visit(PAGE, run=running.id)
    box = next(t for t in app.text_area if t.key and t.key.startswith(f"sentinels-{running.id}"))
    assert box.disabled
    forged(box).set_value("mine")
    forged(next(b for b in app.button if b.label == "Follow these")).click().run()
    assert running.sentinels() == before and not (running.folder / "sentinels.json").exists()


def test_others_cannot_rename_or_delete_it(finished: Run, visit: Visit, looks: Looks) -> None:
    owned(finished, ANN)
    write_note(finished.folder, "Ann's", "")
    looks(BEN)
    app = select(visit(PAGE, tab="All runs"), finished)
    forged(app.text_input(key=f"title-{finished.id}")).set_value("Ben's")
    assert button(app, f"save-{finished.id}").disabled
    app = forged(button(app, f"save-{finished.id}")).click().run()
    assert read_note(finished.folder).title == "Ann's"
    app = button(app, "delete-sure").click().run()
    assert not app.exception and find_run(finished.id).id == finished.id
    looks(BEN, host=True)
    app = select(visit(PAGE, tab="All runs"), finished)
    button(app, "delete-sure").click().run()
    assert not finished.folder.exists()


def test_runs_of_the_command_line_belong_to_the_host(
    running: Run, visit: Visit, looks: Looks
) -> None:
    assert running.owner == ""
    looks(BEN)
    assert button(visit(PAGE), f"pause-{running.id}").disabled
    looks(BEN, host=True)
    assert not button(visit(PAGE), f"pause-{running.id}").disabled


@pytest.mark.parametrize("content", ["", "x", ANN[:-1], ANN.upper(), "\n" * 100, "\udcff"])
def test_a_damaged_owner_is_nobody(finished: Run, content: str) -> None:
    (finished.folder / "owner").write_bytes(content.encode("utf-8", "surrogateescape"))
    assert finished.owner == ""


def test_a_secret_is_no_owner(finished: Run) -> None:
    with pytest.raises(BadInput):
        keep_owner(finished.folder, "0123456789abcdef" * 2)
    assert finished.owner == ""


def test_others_cannot_pause_a_group(running: Run, visit: Visit, looks: Looks) -> None:
    config = running.config
    member = Member(running.id, config.training.seed, config.data.sha256)
    group = RunGroup(
        name="calm-owl-grid",
        kind="grid",
        created=1.0,
        source="toy",
        members=(member,),
        factors=("seed",),
    )
    _save(group)
    owned(running, ANN)
    looks(BEN)
    app = visit(PAGE, tab="Compare", group=group.name)
    assert not app.exception
    pressed = button(app, f"pause-{group.name}")
    assert pressed.disabled
    forged(pressed).click().run()
    assert running.requested() == ""
    looks(ANN)
    button(app.run(), f"pause-{group.name}").click().run()
    assert running.requested() == "pause"


def test_without_the_layers_everybody_is_the_host(running: Run, visit: Visit) -> None:
    """``streamlit run app.py`` is for one person, who notices nothing of all this."""
    owned(running, ANN)
    app = visit(PAGE)
    assert not app.exception and "somebody else" not in words(app)
    button(app, f"pause-{running.id}").click().run()
    assert running.requested() == "pause"


def test_who_presses_a_button_and_leaves_at_once_is_nobody(
    running: Run, visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Streamlit carries out the press without knowing who it was: that was taken for a lab without
    layers, in which everybody is the host.
    """
    monkeypatch.setattr(visitors, "_guarded", [True])
    for owner in ("", ANN):
        owned(running, owner)
        app = visit(PAGE)
        forged(button(app, f"pause-{running.id}")).click().run()
        assert running.requested() == ""
    with pytest.raises(BadInput):
        keep_owner(running.folder, NOBODY.id)
