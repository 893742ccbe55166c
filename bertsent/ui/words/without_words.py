"""Word prediction: a review, an appended sentence with a gap, and which of two words is likelier
there; how often that is right, beside the fine-tuned model on the same reviews.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import streamlit as st

from bertsent.data.cleaning import clean_text
from bertsent.data.splits import review_groups
from bertsent.errors import BadInput, BertsentError
from bertsent.figures.rate_intervals import rate_intervals
from bertsent.models.backbone import weights_hash
from bertsent.models.folders import WEIGHTS
from bertsent.models.language_model_head import has_language_model
from bertsent.probing.fill_mask import folder_with_language_model_head, why_no_head
from bertsent.probing.zero_shot import BAD, GOOD, TEMPLATE, Prompt, ZeroShot, zero_shot
from bertsent.progress import Progress, part
from bertsent.settings import LIMITS
from bertsent.space.without_fine_tuning import difference_sentence, score_table
from bertsent.statistics import majority_class_sentence
from bertsent.ui.shared import (
    JobRequest,
    altair_chart,
    download_menu,
    escape_markdown,
    loaded_model,
    outcome,
    result,
    show_help,
)
from bertsent.ui.shared.links import linked_text
from bertsent.ui.words.built_in_parts import builtin_part, mean_vectors

REVIEW, SENTENCE, FIRST, SECOND = "zero_review", "zero_template", "zero_good", "zero_bad"
USUAL = "A slow start, and then I could not look away."
HALF, BARE, TUNED = "Two words, threshold 0.5", "Two words, bare sentence", "Fine-tuned"


@dataclass(frozen=True)
class _Scored:
    shot: ZeroShot
    tuned: np.ndarray  # (n,) whether the fine-tuned model is right


def show_word_prediction(name: str) -> None:
    """Draw the accuracy over the built-in validation reviews, and the answer to one typed review.

    Args:
        name: of the fine-tuned model.
    """
    folder = folder_with_language_model_head(name)
    if folder is None or not has_language_model(folder):
        with result("zero_shot"):
            st.info(escape_markdown(why_no_head(name)))
        return
    left, right = st.columns([2, 3], gap="medium")
    with left:
        review, prompt = _typed()
    try:
        with right, result("zero_shot"):
            _show_accuracy(name, folder, prompt)
        with left:
            _show_one(folder, review, prompt)
    except BadInput as error:
        left.info(escape_markdown(str(error)))
    show_help("words", "without_words")


def _typed() -> tuple[str, Prompt]:
    review = linked_text("A review", USUAL, key=REVIEW, longest=LIMITS.review_chars)
    template = linked_text("Appended to it", TEMPLATE, key=SENTENCE, longest=200)
    with st.container(horizontal=True):
        good = linked_text("Word if positive", GOOD, key=FIRST, longest=40)
        bad = linked_text("Word if negative", BAD, key=SECOND, longest=40)
    return clean_text(review), Prompt(template, good.strip(), bad.strip())


def _show_one(folder: Path, review: str, prompt: Prompt) -> None:
    found = zero_shot(folder, [review], prompt)
    p = float(found.p_positive[0])
    side = "more" if p > found.bare else "less"
    st.markdown(
        escape_markdown(
            f"“{prompt.good}” against “{prompt.bad}”: {100 * p:.1f} %, {side} than the "
            f"{100 * found.bare:.1f} % of the sentence without a review."
        )
    )


def _show_accuracy(name: str, folder: Path, prompt: Prompt) -> None:
    zero_shot(folder, [], prompt)  # refuses at once what cannot be asked
    tuned = loaded_model(name)
    try:
        tuned.require_head()
    except BertsentError as error:
        st.info(escape_markdown(str(error)))
        return
    reviews = builtin_part("validation")

    def work(progress: Progress) -> _Scored:
        shot = zero_shot(folder, reviews.texts, prompt, progress=part(progress, 0.0, 0.7))
        answers = mean_vectors(tuned, reviews, part(progress, 0.7, 1.0)).p_positive
        return _Scored(shot, (answers > 0.5) == (np.array(reviews.labels) == 1))

    found: _Scored | None = outcome(
        JobRequest(
            repr(("zero-shot", weights_hash(folder / WEIGHTS), tuned.key, prompt)),
            work,
            f"Asking about {len(reviews):,} built-in reviews",
            "Ask about the reviews",
        )
    )
    if found is not None:
        _draw(found, tuned.name)


def _draw(found: _Scored, name: str) -> None:
    reviews = builtin_part("validation")
    groups, shot = review_groups(reviews), found.shot
    right = {
        HALF: shot.right(reviews.labels, 0.5),
        BARE: shot.right(reviews.labels, shot.bare),
        TUNED: found.tuned,
    }
    table = score_table(right, groups)
    said = (
        difference_sentence(right[BARE], right[TUNED], groups, "Without a label it", name)
        + f" {majority_class_sentence(reviews.labels)}"
    )
    chart = rate_intervals(table, f"accuracy on {len(reviews):,} built-in validation reviews")
    altair_chart(chart, key="zero_shot_chart", alt=said)
    st.caption(escape_markdown(said))
    download_menu(
        "zero_shot_chart",
        lambda: [chart],
        "bertsent-zero-shot",
        tables={"Accuracies": table},
        finding=said,
    )
