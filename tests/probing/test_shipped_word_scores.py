"""The scores of the heads are those of the file beside them, and nothing is said without it."""

from pathlib import Path

import pytest

from bertsent.errors import NotAvailable
from bertsent.probing.shipped_word_scores import (
    NEXT,
    TOP_1,
    guesses_sentence,
    next_sentence_sentence,
    word_scores,
)


def test_scores_are_read_and_said(words_folder: Path) -> None:
    [score] = word_scores(words_folder, TOP_1)
    assert (score.of, score.n, score.value, score.interval) == ("passages", 900, 0.4, (0.37, 0.43))
    said = guesses_sentence(words_folder)
    assert "likeliest 40.0 % (37.0 to 43.0), among ten 61.0 % (58.0 to 64.0), of 900" in said
    assert "pairs: 73.4 % (70.2 to 76.4) of 800 pairs" in next_sentence_sentence(words_folder)


def test_nothing_is_said_without_a_file_and_a_damaged_one_is_told(tmp_path: Path) -> None:
    assert word_scores(tmp_path, NEXT) == []
    assert guesses_sentence(tmp_path) == next_sentence_sentence(tmp_path) == ""
    (tmp_path / "scores.csv").write_text("set,n\nx,1\n")
    with pytest.raises(NotAvailable, match="damaged"):
        word_scores(tmp_path, NEXT)
