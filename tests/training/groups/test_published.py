"""Rows 000-09 to 000-14: the published figures verbatim, and what they imply."""

import re

import pytest
from sklearn.metrics import classification_report, confusion_matrix

from bertsent.training.events import Evaluated, Started, Stepped
from bertsent.training.groups.published import (
    FACTORIAL,
    PUBLISHED,
    SLIPS,
    published_factorial,
)
from bertsent.training.runs.history import History
from bertsent.training.runs.run_tables import epoch_lines, epoch_rows

WITHOUT, WITH = PUBLISHED.values()
TRUTH = {"without": [0] * 7 + [1] * 6, "with": [0] * 8 + [1] * 7}
GUESS = {"without": [0] + [1] * 12, "with": [0] * 7 + [1] * 8}


@pytest.mark.parametrize("arm", PUBLISHED)
def test_scikit_learn_prints_the_published_report_of_the_implied_confusion_matrix(arm):
    printed = PUBLISHED[arm]
    matrix = confusion_matrix(TRUTH[arm], GUESS[arm])
    assert matrix.tolist() == printed.matrix
    names = ["Negative", "Positive"]
    assert classification_report(
        TRUTH[arm], GUESS[arm], target_names=names, zero_division=0.0
    ) == "\n".join([*printed.report, ""])


def test_the_figures_of_the_rows():
    assert WITHOUT.matrix == [[1, 6], [0, 6]] and WITH.matrix == [[7, 1], [0, 7]]
    assert (WITHOUT.steps, WITH.steps, len(WITHOUT.epochs), len(WITH.epochs)) == (8, 16, 6, 6)
    assert WITHOUT.seconds == [43, 20, 17, 16, 16, 18] and WITH.seconds == [49, 22, 24, 23, 24, 22]
    assert WITHOUT.epochs[-1] == [0.0515, 1.0, 0.9795, 0.5385]
    assert WITH.epochs[-1] == [0.0155, 1.0, 0.2375, 0.9333]
    assert WITHOUT.epochs[-1][3] == round(WITHOUT.right / WITHOUT.validation_rows, 4)
    assert WITH.epochs[-1][3] == round(WITH.right / WITH.validation_rows, 4)


@pytest.mark.parametrize("arm", PUBLISHED)
def test_accuracies_are_whole_numbers_of_reviews_but_for_the_one_marked_sic(arm):
    printed = PUBLISHED[arm]
    odd = []
    for epoch, (_, accuracy, _, val_accuracy) in enumerate(printed.epochs, start=1):
        assert accuracy == pytest.approx(
            round(accuracy * printed.train_rows) / printed.train_rows, abs=1e-4
        )
        if (
            abs(
                val_accuracy
                - round(val_accuracy * printed.validation_rows) / printed.validation_rows
            )
            > 1e-4
        ):
            odd.append(epoch)
    assert odd == printed.sic == ([4] if arm == "without" else [])
    assert SLIPS[0].startswith("(sic) val_accuracy 0.9462") and round(11 / 13, 4) == 0.8462


def test_no_batch_size_gives_both_numbers_of_steps():
    """The slip named on the page: rounded up or down, 56 rows in 8 steps need 7 a batch and 66 in
    16 need 4.
    """
    assert {b for b in range(1, 67) if 8 in (-(-56 // b), 56 // b)} == {7}
    assert {b for b in range(1, 67) if 16 in (-(-66 // b), 66 // b)} == {4}


def test_the_log_line_has_all_that_the_published_one_has_and_marks_the_slip():
    lines = epoch_lines(WITHOUT.rows(), 6, [4]).splitlines()
    assert (
        lines[0]
        == "Epoch 1/6  8 steps  43 s  5.4 s/step  loss: 0.6652 - accuracy: 0.6250 - val_loss: "
        "0.6775 - val_accuracy: 0.6923"
    )
    assert lines[3].endswith("val_accuracy: 0.9462 (sic)")
    assert sum("(sic)" in line for line in lines) == 1
    assert all(
        re.fullmatch(
            r"Epoch \d/6  16 steps  \d+ s  [13]\.\d s/step  loss: .* - val_accuracy: [01]\.\d{4}",
            line,
        )
        for line in epoch_lines(WITH.rows(), 6).splitlines()
    )


def test_a_history_becomes_the_same_rows():
    started = Started(
        step=0,
        total_steps=4,
        steps_per_epoch=2,
        epochs=2,
        train_rows=8,
        validation_rows=4,
        tokens_per_epoch=1,
        trainable=1,
        parameters=1,
        device="cpu",
        precision="fp32",
    )
    usual = {
        "loss": 0.5,
        "accuracy": 0.5,
        "learning_rate": 0.0,
        "head_learning_rate": 0.0,
        "grad_norm": 1.0,
        "tokens": 1,
        "tokens_per_second": 1.0,
        "eta_seconds": 0.0,
    }
    judged = {"macro_f1": 0.5, "seconds": 1.0}
    events = [
        started,
        Evaluated(step=0, epoch=0, loss=0.7, accuracy=0.5, **judged),
        Stepped(step=1, epoch=0.5, seconds=3.0, **usual),
        Stepped(step=2, epoch=1.0, seconds=5.0, **usual),
        Evaluated(
            step=2, epoch=1, loss=0.6, accuracy=0.75, train_loss=0.65, train_accuracy=0.6, **judged
        ),
    ]
    rows = epoch_rows(History().add(events))
    assert rows["epoch"].tolist() == [0, 1] and rows["val_accuracy"].tolist() == [0.5, 0.75]
    assert rows["accuracy"].isna().tolist() == [True, False]
    assert rows["seconds"].tolist() == [1.0, 5.0], (
        "5 s of steps with the first evaluation in them, and 1 s of the second, less the first"
    )
    assert epoch_lines(rows, 2) == (
        "Epoch 1/2  2 steps  5 s  2.5 s/step  loss: 0.6500 - accuracy: 0.6000 - val_loss: 0.6000 - "
        "val_accuracy: 0.7500"
    )
    assert not len(epoch_rows(History()))


def test_ed_is_extra_data():
    """The page explained ED as "edit-distance-like features"; in the source it is extra training
    data for sentiment and similarity.
    """
    assert list(FACTORIAL) == ["CLS", "SW", "WL", "ED"] and "extra data" in FACTORIAL["ED"]
    table = published_factorial().set_index(list(FACTORIAL))
    assert table.loc[(False, True, True, False), "mean"] == pytest.approx(0.725, abs=5e-4)
    assert len(table) == 16 and table.index.is_unique
