"""The tab “Without fine-tuning”: each of the four uses shows what scikit-learn, or the language
model, says of the same reviews.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from bertsent.data.examples import Reviews
from bertsent.probing import fill_mask as filling
from bertsent.probing.zero_shot import zero_shot
from bertsent.training.runs.run import Run
from bertsent.ui.words import built_in_parts
from tests.ui.conftest import settled, words

PAGE, TAB = "5_Words", "Without fine-tuning"
Visit = Callable[..., AppTest]


@pytest.fixture(autouse=True)
def few_reviews(toy_reviews: Reviews, monkeypatch: pytest.MonkeyPatch) -> Iterator[Reviews]:
    """The built-in reviews are forty, of which sixteen validate."""
    parts = ["validation" if place < 16 else "train" for place in range(len(toy_reviews))]
    rows = (replace(row, split=part) for row, part in zip(toy_reviews, parts, strict=True))
    few = replace(toy_reviews, examples=tuple(rows))
    monkeypatch.setattr(built_in_parts, "load_reviews", lambda name, contrastive: few)
    built_in_parts.builtin_part.cache_clear()
    yield built_in_parts.builtin_part("validation")
    built_in_parts.builtin_part.cache_clear()


def plainly(app: AppTest) -> str:
    assert not app.exception and not app.error, words(app)
    return words(app).replace("\\", "")


def test_features_by_the_number_of_labels(finished: Run, visit: Visit) -> None:
    app = settled(visit(PAGE, words=TAB, without_part="Features", model=finished.id))
    said = plainly(app)
    assert "With 16 labels" in said and "with 24 on" in said and "majority class" in said
    assert len(app.get("plotly_chart")) == 1


def test_clusters_before_and_after(finished: Run, visit: Visit) -> None:
    app = settled(visit(PAGE, words=TAB, without_part="Clusters", model=finished.id))
    assert "of 16 reviews" in plainly(app) and len(app.get("plotly_chart")) == 2
    [table] = [frame.value for frame in app.dataframe]
    assert table["purity"].between(50, 100).all() and table["ARI"].between(-1, 1).all()


def test_two_words_in_place_of_a_label(
    words_folder: Path,
    with_shipped_model: None,
    few_reviews: Reviews,
    visit: Visit,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(filling, "SHIPPED_WORDS", words_folder)
    app = settled(visit(PAGE, words=TAB, without_part="Word prediction", zero_review="Fine."))
    shot = zero_shot(words_folder, few_reviews.texts)
    right = 100 * np.mean(shot.right(few_reviews.labels, shot.bare))
    said = plainly(app)
    assert f"Without a label it is right on {right:.1f} % of 16 reviews" in said
    [p] = zero_shot(words_folder, ["Fine."]).p_positive
    assert f"“great” against “terrible”: {100 * p:.1f} %" in said
    app.text_input(key="zero_good-box").set_value("\u2603").run()
    assert "not in the vocabulary" in plainly(app)
    assert app.text_input(key="zero_review-box").value == "Fine."


def test_what_has_no_head_or_no_beginning_is_said(finished: Run, visit: Visit) -> None:
    app = visit(PAGE, words=TAB, without_part="Word prediction", model=finished.id)
    assert "came without one" in plainly(app)
    for step in finished.checkpoints.glob("step-0"):
        step.rename(finished.folder / "gone")
    app = visit(PAGE, words=TAB, without_part="Clusters", model=finished.id)
    assert "before its fine-tuning is not on this machine" in plainly(app)
