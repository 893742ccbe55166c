"""A lesson walked through as a visitor does: each step opens its page in exactly the state of its
link, asks before it shows, and ends with the quiz.
"""

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from bertsent.ui.shared.visitor import NOBODY
from tests.lessons.tiny import TINY
from tests.ui.conftest import words

Visit = Callable[..., AppTest]
NOT_STATE = ("player_", "in_lesson", "at_step")


@pytest.fixture
def tiny(lab: Path) -> Path:
    file = lab / "lessons" / "tiny.md"
    file.parent.mkdir()
    file.write_text(TINY, encoding="utf-8")
    return file


def press(app: AppTest, key: str) -> AppTest:
    return app.button(key=key).click().run()


def styles(app: AppTest) -> list[str]:
    """Of the step, not of the pages."""
    found = [str(each.proto.body) for each in app.get("html")]
    return [each for each in found if each.endswith("<i></i>")]


def state(app: AppTest) -> dict[str, object]:
    """What the session keeps of the pages."""
    kept = app.session_state.to_dict()
    return {k: v for k, v in kept.items() if not k.startswith(NOT_STATE)}


def query(app: AppTest) -> dict[str, object]:
    return {k: v for k, v in app.query_params.items() if k not in ("in_lesson", "at_step")}


@pytest.mark.slow
def test_a_step_has_exactly_the_state_of_its_link(
    tiny: Path, visit: Visit, with_shipped_model: None
) -> None:
    """Whatever was chosen before is forgotten: the session is that of somebody who opens the link
    of the step in a new browser.
    """
    app = visit("4_Attention", look="Silence heads", silenced="5·5", text="Quite dull")
    app.multiselect(key="silenced").set_value(["3·3", "4·4"]).run()
    app.session_state["map_lasso"] = ("a", "b")
    app.switch_page("pages/8_Lessons.py").run()
    press(app, "start_tiny")
    assert app.title[0].value == "Probe" and app.session_state["probe"] == "Answer"
    assert "map_lasso" not in app.session_state and "silenced" not in app.session_state
    press(app, "player_next")
    assert app.title[0].value == "Attention" and not app.error and not app.exception
    assert app.multiselect(key="silenced").value == ["6·10", "1·2"]
    fresh = visit(
        "4_Attention",
        look="Silence heads",
        silenced=["6·10", "1·2"],
        text="Not a bad film & a fine one",
    )
    assert query(app) == query(fresh)
    assert state(app).keys() == state(fresh).keys()
    plain = (str, int, float, bool, list, tuple, type(None))
    for key, value in state(fresh).items():
        if isinstance(value, plain):
            assert state(app)[key] == value, key


def test_it_asks_first_and_says_why_afterwards(
    tiny: Path, visit: Visit, with_shipped_model: None
) -> None:
    app = visit("8_Lessons", lesson="tiny", step="1")
    assert app.title[0].value == "Probe" and app.query_params["in_lesson"] == "tiny"
    assert "It has seen" not in words(app) and "Let the class vote first" in words(app)
    press(app, "player_option_1_0")
    assert "Not quite" in words(app) and "It has seen" in words(app)
    assert app.session_state["player_answers"] == {"tiny": {1: 0}}
    for _ in range(2):
        press(app, "player_next")
    assert app.title[0].value == "Lessons" and app.query_params["at_step"] == "quiz"
    assert app.dataframe[0].value["right"].tolist() == ["not right"]


def test_what_gives_the_answer_away_is_hidden_until_it_is_answered(
    tiny: Path, visit: Visit, with_shipped_model: None
) -> None:
    hides = TINY.replace("focus: [answer]", "hide: [answer]\nanswer: verdict")
    tiny.write_text(hides.replace("- [x] Negative", "- [ ] Negative", 1), encoding="utf-8")
    app = visit("8_Lessons", lesson="tiny", step="1")
    hidden = [each for each in styles(app) if "visibility: hidden" in each]
    assert len(hidden) == 1 and "result_answer" in hidden[0] and "bar_answer" in hidden[0]
    press(app, "player_option_1_1")
    assert not [each for each in styles(app) if "visibility: hidden" in each]
    assert "The model says ▼ NEGATIVE" in words(app).replace("\\", "") and "Right" in words(app)


def test_the_quiz_is_graded_with_reasons_and_can_be_taken_again(
    tiny: Path, visit: Visit, with_shipped_model: None
) -> None:
    app = visit("8_Lessons", in_lesson="tiny", at_step="quiz")
    app.radio(key="player_quiz_0_1").set_value(0)
    app.radio(key="player_quiz_0_2").set_value(0)
    press(app, "player_quiz_check")
    assert "1 of 2 right" in words(app) and "A layer has twelve" in words(app)
    press(app, "player_quiz_again")
    assert [radio.value for radio in app.radio] == [None, None]
    press(app, "player_quiz_check")
    assert "0 of 2 right" in words(app) and "Not answered" in words(app)


def test_the_arrows_of_presenter_mode_go_on_with_the_lesson(
    tiny: Path, visit: Visit, with_shipped_model: None
) -> None:
    """Not through the six parts of the answer, nor to the next tab."""
    app = visit("8_Lessons", lesson="tiny", step="1", present="1")
    app.switch_page("pages/3_Probe.py")  # AppTest does not follow a page that opens another one
    press(app, "present_next")
    assert app.title[0].value == "Attention" and app.query_params["at_step"] == "2"
    assert app.query_params["present"] == "1"
    app.switch_page("pages/4_Attention.py")
    press(app, "present_back")
    assert app.title[0].value == "Probe" and app.query_params["at_step"] == "1"


def test_it_stays_on_every_page_until_it_is_ended(
    tiny: Path, visit: Visit, with_shipped_model: None
) -> None:
    app = visit("8_Lessons", lesson="tiny", step="2")
    app.switch_page("pages/2_Fine-tune.py").run()
    assert app.query_params["at_step"] == "2" and app.button(key="player_end")
    press(app, "player_end")
    assert "in_lesson" not in app.query_params and app.title[0].value == "Fine-tune"
    assert not [b for b in app.button if str(b.key).startswith("player_")]


@pytest.mark.parametrize(
    "query",
    [
        {"in_lesson": "../tiny", "at_step": "1"},
        {"in_lesson": "gone", "at_step": "quiz"},
        {"lesson": "<script>", "step": "1"},
        {"lesson": "gone", "step": "9" * 5000},
        {"in_lesson": "bad", "at_step": "1"},
    ],
)
def test_a_forged_or_dead_lesson_is_said_and_nothing_breaks(
    tiny: Path, visit: Visit, query: dict[str, str]
) -> None:
    (tiny.parent / "bad.md").write_bytes(b"\xff")
    app = visit("8_Lessons", **query)
    assert app.title[0].value == "Lessons" and not app.error and not app.exception
    assert bool(app.warning) == ("lesson" in query)
    assert "in_lesson" not in app.query_params


@pytest.mark.parametrize("place", ["0", "inf", "9" * 5000])
def test_any_step_of_a_link_is_one_of_the_lesson(
    tiny: Path, visit: Visit, with_shipped_model: None, place: str
) -> None:
    app = visit("8_Lessons", lesson="tiny", step=place)
    assert app.query_params["at_step"] in ("1", "2", "quiz") and not app.error


def test_the_host_adds_a_lesson_and_reads_what_is_wrong_with_one(lab: Path, visit: Visit) -> None:
    app = visit("8_Lessons")
    bad = TINY.replace("probe=Answer", "probe=Why not").encode()
    app.file_uploader(key="lesson_file").upload("mine.md", bad).run()
    line = TINY.split("\n").index("```yaml step") + 3
    assert f"line {line}" in app.error[0].value and not (lab / "lessons").exists()
    app.file_uploader(key="lesson_file").upload("mine.md", TINY.encode()).run()
    assert not app.error and (lab / "lessons" / "mine.md").read_bytes() == TINY.encode()
    press(app, "delete_sure_mine")
    assert not (lab / "lessons" / "mine.md").exists()


def test_only_the_host_adds_and_deletes_and_reads_the_notes(
    tiny: Path, visit: Visit, with_shipped_model: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bertsent.ui.lessons import catalogue, own_lessons, player

    for module in (catalogue, own_lessons, player):
        monkeypatch.setattr(module, "visitor", lambda: NOBODY)
    app = visit("8_Lessons")
    keys = [str(each.key) for each in (*app.button, *app.get("file_uploader"))]
    assert "start_tiny" in keys and "lesson_file" not in keys and "delete_sure_tiny" not in keys
    press(app, "start_tiny")
    assert "Let the class vote first" not in words(app)
