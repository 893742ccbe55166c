"""The tabs “Fill in a word” and “Next sentence”: what is shown is what the heads answer, every
choice is in the link, and what cannot be asked is said with nothing lost.
"""

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from bertsent.models.folders import WEIGHTS
from bertsent.probing import fill_mask as filling
from bertsent.probing import guesses_by_checkpoint
from bertsent.probing.fill_mask import fill_hidden, fill_masks
from bertsent.probing.next_sentence import next_sentence
from bertsent.training.runs.run import Run
from bertsent.ui.words import fill_in
from bertsent.ui.words.gap_text import PRESETS, USUAL
from tests.ui.conftest import settled, words

PAGE, TAB = "5_Words", "Fill in a word"
Visit = Callable[..., AppTest]


@pytest.fixture
def with_words(words_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Heads of pretraining with random weights ship."""
    monkeypatch.setattr(filling, "SHIPPED_WORDS", words_folder)
    return words_folder


def plainly(app: AppTest) -> str:
    assert not app.exception and not app.error, words(app)
    return words(app).replace("\\", "")


def typed(app: AppTest, text: str) -> AppTest:
    return app.text_input(key="mask_text-box").set_value(text).run()


def test_a_word_is_hidden_by_a_click_and_its_loss_worked_out(
    with_words: Path, visit: Visit
) -> None:
    app = visit(PAGE, words=TAB)
    assert len(app.get("plotly_chart")) == 2
    both, left = (
        fill_hidden(with_words, USUAL, PRESETS[USUAL], left_only=only)[0] for only in (False, True)
    )
    said = plainly(app)
    assert both.arithmetic() in said and left.arithmetic() in said
    assert f"from {left.loss:.2f} to {both.loss:.2f}" in said
    assert "It is not what GPT would answer" in said and "slip E-11" in said
    assert "likeliest 40.0 % (37.0 to 43.0)" in said
    app.button_group(key="mask_hidden-pills").set_value([5, 8]).run()
    again = fill_hidden(with_words, USUAL, [5, 8])
    assert again[0].arithmetic() in plainly(app) and len(app.dataframe) == 1
    assert app.query_params["mask_hidden"] == "5 8"
    app.button_group(key="mask_gap-segments").set_value("2").run()
    assert again[1].arithmetic() in plainly(app) and again[0].arithmetic() not in plainly(app)


def test_a_new_sentence_hides_its_last_word_until_another_is_chosen(
    with_words: Path, visit: Visit
) -> None:
    app = typed(visit(PAGE, words=TAB, mask_hidden="1"), "The movie was fantastic.")
    [gap] = fill_hidden(with_words, "The movie was fantastic.", [3])
    assert gap.arithmetic() in plainly(app) and "mask_hidden" not in app.query_params
    app.button_group(key="mask_hidden-pills").set_value([]).run()
    assert "No word is hidden. Choose a word." in plainly(app)
    assert app.query_params["mask_hidden"] == "none"
    app.button_group(key="mask_hidden-pills").set_value([0]).run()
    assert "“the”" in plainly(app)


def test_a_typed_mask_takes_its_true_word(with_words: Path, visit: Visit) -> None:
    app = typed(visit(PAGE, words=TAB), "The [mask] was great")
    [gap] = fill_masks(with_words, "The [MASK] was great")
    assert f"“{gap.words[0][0]}”" in plainly(app) and "−log" not in plainly(app).split("slides")[0]
    app.text_input(key="mask_truths-box").set_value("film").run()
    [gap] = fill_masks(with_words, "The [MASK] was great", truths=["film"])
    assert gap.arithmetic() in plainly(app)
    app.text_input(key="mask_truths-box").set_value("unwatchable").run()
    assert "word pieces: un ##watch" in plainly(app)
    assert app.text_input(key="mask_text-box").value == "The [mask] was great"
    app.text_input(key="mask_truths-box").set_value("film, plot").run()
    assert "2 true words were given for 1" in plainly(app)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "No word is hidden"),
        ("[MASK] " * 20, "has 20 [MASK]"),
        ("I saw \u2603", "not in the vocabulary"),
        ("\u2603 \u2603", "not in the vocabulary"),
        ("<b>bold</b> *stars* $x$ :red[no]", "Likeliest"),
    ],
)
def test_what_cannot_be_asked_is_said(with_words: Path, visit: Visit, text: str, said: str) -> None:
    app = typed(visit(PAGE, words=TAB), text)
    assert said in plainly(app) and app.text_input(key="mask_text-box").value == text


def test_without_heads_it_says_what_to_do(
    finished: Run, visit: Visit, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(filling, "SHIPPED_WORDS", tmp_path / "nothing")
    app = visit(PAGE, words=TAB, model="backbone")
    assert "missing from assets/models/words" in plainly(app)
    assert "came without one" in plainly(visit(PAGE, words=TAB, model=finished.id))
    assert "missing from assets/models/words" in plainly(visit(PAGE, words="Next sentence"))


def test_the_gap_is_followed_through_fine_tuning(
    with_words: Path, with_shipped_model: None, visit: Visit
) -> None:
    app = visit(PAGE, words=TAB, mask_part="While it is fine-tuned")
    said = plainly(app)
    [gap] = fill_hidden(with_words, USUAL, PRESETS[USUAL])
    assert f"(rank {gap.rank:,}) before fine-tuning" in said
    assert "After fine-tuning." in said and len(app.get("plotly_chart")) == 2
    app.select_slider(key="mask_frame").set_value("before fine-tuning").run()
    assert gap.arithmetic() in plainly(app) and "Before fine-tuning." in plainly(app)
    app.button_group(key="mask_hidden-pills").set_value([]).run()
    assert "No word is hidden" in plainly(app)


def test_every_checkpoint_of_a_run_is_asked_in_the_background(
    with_words: Path, finished: Run, visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of the tiny run have a size that the heads do not fit, which is said."""
    for place in (guesses_by_checkpoint, fill_in):
        monkeypatch.setattr(place, "folder_with_language_model_head", lambda name: with_words)
    app = visit(PAGE, words=TAB, mask_part="While it is fine-tuned", model=finished.id)
    folders = list(finished.checkpoints.glob("step-*/" + WEIGHTS))
    assert len(folders) > 2 and not app.exception
    assert "size of the built-in one" in words(settled(app)).replace("\\", "")


def test_the_untouched_encoder_has_no_training_to_follow(with_words: Path, visit: Visit) -> None:
    app = visit(PAGE, words=TAB, mask_part="While it is fine-tuned", model="backbone")
    assert "no checkpoints of a training" in plainly(app)


def test_a_second_sentence_follows_or_not(with_words: Path, visit: Visit) -> None:
    app = visit(PAGE, words="Next sentence")
    p = next_sentence(with_words, "I went to the store.", "They were closed.").p_follows
    assert f"follows with {100 * p:.1f} %" in plainly(app)
    assert "pairs: 73.4 % (70.2 to 76.4) of 800 pairs" in plainly(app)
    app.text_input(key="next_first-box").set_value("It rained. [SEP] We left.").run()
    p = next_sentence(with_words, "It rained.", "We left.").p_follows
    assert f"follows with {100 * p:.1f} %" in plainly(app) and "[SEP] we left" in plainly(app)
    app.text_input(key="next_first-box").set_value("").run()
    assert "only one sentence" in plainly(app)
    assert app.text_input(key="next_second-box").value == "They were closed."
