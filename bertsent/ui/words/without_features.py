"""Features: a logistic regression on vectors that stay as they were pretrained, by the number of
labels it gets.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st

from bertsent.errors import NotAvailable
from bertsent.figures.guessed_words import labels_figure
from bertsent.progress import Progress, part
from bertsent.space.without_fine_tuning import labels_curve, labels_sentence
from bertsent.statistics import majority_class_accuracy
from bertsent.ui.shared import (
    JobRequest,
    escape_markdown,
    outcome,
    result,
    show_figure,
    show_help,
)
from bertsent.ui.words.built_in_parts import BothEnds, both_ends, builtin_part, mean_vectors


@dataclass(frozen=True)
class _Found:
    curve: pd.DataFrame
    tuned: float


def show_features(name: str) -> None:
    """Draw the accuracy by the number of labels, beside the fine-tuned model on the same reviews.

    Args:
        name: of the fine-tuned model.
    """
    with result("features"):
        try:
            ends = both_ends(name)
        except NotAvailable as error:
            st.info(escape_markdown(str(error)))
            return
        reviews = len(builtin_part("train")) + len(builtin_part("validation"))
        found: _Found | None = outcome(
            JobRequest(
                f"features-{ends.before.key}-{ends.tuned.key}",
                lambda progress: _measure(ends, progress),
                f"Reading {reviews:,} built-in reviews",
                "Read the reviews",
                lane="long",
                unasked=True,
            )
        )
        if found is not None:
            _draw(found, ends.tuned.name)
    show_help("words", "without_features")


def _measure(ends: BothEnds, progress: Progress) -> _Found:
    train, validation = builtin_part("train"), builtin_part("validation")
    learned = mean_vectors(ends.before, train, part(progress, 0.0, 0.75))
    judged = mean_vectors(ends.before, validation, part(progress, 0.75, 0.85))
    answers = mean_vectors(ends.tuned, validation, part(progress, 0.85, 0.95))
    curve = labels_curve(
        learned.vectors,
        train,
        judged.vectors,
        validation,
        ends.before,
        progress=part(progress, 0.95, 1.0),
    )
    right = (answers.p_positive > 0.5) == (np.array(validation.labels) == 1)
    return _Found(curve, float(right.mean()))


def _draw(found: _Found, name: str) -> None:
    floor = majority_class_accuracy(builtin_part("validation").labels)
    curve = found.curve
    show_figure(
        labels_figure(
            curve["labels"].tolist(),
            curve[["rate", "low", "high"]].to_numpy(),
            tuned=found.tuned,
            floor=floor,
            name=f"fine-tuned ({name})",
        ),
        "features_chart",
        "bertsent-features",
        labels_sentence(curve, found.tuned, floor),
        tables={"Accuracies": curve},
    )
