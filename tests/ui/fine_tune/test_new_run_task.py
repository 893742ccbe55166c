"""What a new run shall learn: chosen, named by a file's columns, corrected, and refused with what
to do.
"""

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from bertsent.data.splits import split
from bertsent.data.task_sets import SMALL_SETS, small_set
from bertsent.tasks.catalogue import ASPECTS, FEELINGS, FIVE_STEPS, PARAPHRASE, SIMILARITY
from bertsent.training.runs.run import list_runs
from bertsent.ui.fine_tune import new_run
from bertsent.ui.fine_tune.opening import NEW_RUN, TAB
from tests.ui.conftest import words
from tests.ui.fine_tune.test_run import PAGE, button

LEARN, SLOW = "learn-box", [pytest.mark.slow]
STEPS = "text,label\n" + "".join(f"text {i},{i % 5}\n" for i in range(60))
SOUP = "text,aspect,label\n" + "".join(
    f"The soup {i} was so,soup,{('negative', 'neutral', 'positive')[i % 3]}\n" for i in range(60)
)
CATS = "text1,text2,score\n" + "".join(f"a cat {i},one cat,{i % 6}\n" for i in range(60))
FEELS = "text,joy,fear\n" + "".join(f"text {i},{i % 2},{(i // 2) % 2}\n" for i in range(60))
GENRES = "text,label\n" + "".join(
    f"text {i},{('crime', 'war', 'love')[i % 3]}\n" for i in range(60)
)


def upload(app: AppTest, data: str, name: str = "mine.csv") -> AppTest:
    app.segmented_control(key="reviews-kind").set_value("Upload").run()
    return app.file_uploader(key="reviews-upload").upload(name, data.encode()).run()


def said(app: AppTest) -> str:
    return words(app).replace("\\", "")


@pytest.mark.parametrize(
    "task",
    [pytest.param(name, marks=SLOW if name != ASPECTS.name else []) for name in SMALL_SETS],
)
def test_a_link_opens_the_form_of_a_task_with_its_small_set(
    task: str, visit: Callable[..., AppTest]
) -> None:
    app = visit(PAGE, learn=task)
    assert not app.exception and not app.error, words(app)
    assert app.segmented_control(key=TAB).value == NEW_RUN
    halves = split(small_set(task))
    rows = f"{len(halves.train):,} training and {len(halves.validation):,} validation reviews"
    assert rows in words(app) and not button(app, "start").disabled
    columns = app.dataframe[0].value.columns.tolist()
    assert columns[:2] == ["score" if task == SIMILARITY.name else "label", "text"]
    followed = [box for box in app.text_area if box.key == "draft-sentinels"]
    assert bool(followed) == (task == FIVE_STEPS.name)


@pytest.mark.parametrize(
    ("data", "task", "text"),
    [
        (STEPS, FIVE_STEPS.name, "one of 5 labels"),
        (CATS, SIMILARITY.name, "“text1” and “text2”"),
        pytest.param(SOUP, ASPECTS.name, "“aspect” in “text”", marks=SLOW),
        pytest.param(FEELS, FEELINGS.name, "whether each of 2 labels holds", marks=SLOW),
        pytest.param(GENRES, "labels", "one of 3 labels", marks=SLOW),
    ],
)
def test_a_file_names_its_task_by_its_columns(
    data: str, task: str, text: str, visit: Callable[..., AppTest]
) -> None:
    app = upload(visit(PAGE, learn="sentiment"), data)
    assert not app.exception and not app.error, words(app)
    assert app.selectbox(key=LEARN).value == task and text in said(app)
    assert not button(app, "start").disabled


def test_texts_that_judge_nothing_join_the_training_part(
    visit: Callable[..., AppTest], lab: Path, tiny_backbone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (lab / "models").mkdir()
    (lab / "models" / "tiny").symlink_to(tiny_backbone)
    monkeypatch.setattr(new_run, "launch", lambda run: None)
    app = visit(PAGE, learn=FIVE_STEPS.name)
    app.selectbox(key="draft-model").set_value("tiny")
    app.checkbox(key="draft-no-opinion").set_value(True).run()
    button(app, "start").click().run()
    (run,) = list_runs()
    plain, found = split(small_set(FIVE_STEPS.name)), run.splits()
    assert found.validation.sha256 == plain.validation.sha256
    added = found.train.examples[len(plain.train) :]
    assert len(added) == 350 and {e.label for e in added} == {2}
    assert {e.split for e in added} == {"train"} and "no-opinion" in run.config.data.source
    assert len(run.config.sentinels) == 3


def test_what_was_understood_is_corrected(
    visit: Callable[..., AppTest], lab: Path, tiny_backbone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Scores of 0 to 5 are taken for similarity; somebody means labels, with their steps the other
    way round.
    """
    (lab / "models").mkdir()
    (lab / "models" / "tiny").symlink_to(tiny_backbone)
    monkeypatch.setattr(new_run, "launch", lambda run: None)
    app = upload(visit(PAGE, learn="sentiment"), GENRES)
    app.checkbox[1].set_value(True).run()
    app.multiselect[0].set_value(["war", "crime", "love"]).run()
    app.selectbox(key="draft-model").set_value("tiny").run()
    app.number_input(key="draft-length").set_value(32).run()
    assert not app.exception and not app.error, words(app)
    button(app, "start").click().run()
    (run,) = list_runs()
    assert run.config.task.labels == ("war", "crime", "love") and run.config.task.ordered
    assert run.config.sentinels == () and run.config.data.origin.kind == "upload"
    app = upload(visit(PAGE, learn="sentiment"), CATS)
    app.selectbox(key=LEARN).set_value(PARAPHRASE.name).run()
    assert app.error and button(app, "start").disabled, "a column of scores says 2, 3 and 4"


@pytest.mark.parametrize(
    ("task", "data", "reason"),
    [
        (FIVE_STEPS.name, STEPS + "more,5\nmore,0\n", "unknown label “5”"),
        (SIMILARITY.name, CATS + "a cat,a dog,nan\n", "has “nan” in “score”"),
    ],
)
def test_a_bad_file_is_refused_with_what_to_do_and_nothing_is_lost(
    task: str, data: str, reason: str, visit: Callable[..., AppTest]
) -> None:
    app = upload(visit(PAGE, learn=task), data)
    app.number_input(key="draft-epochs").set_value(7)
    app.selectbox(key=LEARN).set_value(task).run()
    assert not app.exception
    assert any(reason in box.value.replace("\\", "") for box in app.error), words(app)
    assert button(app, "start").disabled and app.number_input(key="draft-epochs").value == 7
    assert not list_runs()
