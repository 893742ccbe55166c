"""The networks that ship: they answer, their card's numbers are theirs, and a long text is where
they differ.
"""

import numpy as np
import pytest

from bertsent.data.sources import load_reviews
from bertsent.errors import NotAvailable
from bertsent.probing.baselines.lstm import LONGEST, word_spans
from bertsent.probing.before_bert.compared import (
    IN_A_ROW,
    LONG,
    SAMPLE,
    compared_networks,
    long_reviews,
    rows_of_reviews,
    scores_sentence,
)
from bertsent.probing.before_bert.networks import BOTH, LEFT
from bertsent.probing.before_bert.reach import by_place, mean_reach
from bertsent.probing.before_bert.shipped import read_readers, reader_scores, shipped_readers
from bertsent.probing.before_bert.word_reader import READERS
from bertsent.probing.shipped_scores import BUILTIN_VALIDATION


def test_the_scores_are_what_the_files_give() -> None:
    rows = load_reviews("builtin")
    judged = rows.where([row.split == "validation" for row in rows])
    scores = reader_scores()
    assert scores is not None
    own = scores[scores["set"] == BUILTIN_VALIDATION].set_index("kind")
    for kind, reader in shipped_readers().items():
        right = (reader.p_positive(judged.texts) > 0.5) == np.array(judged.labels)
        assert (right.sum(), len(right)) == (own.right[kind], own.n[kind])
    assert "LSTM, left to right 7" in scores_sentence()


def test_over_a_long_way_one_direction_forgets_and_the_middle_fades() -> None:
    """What the page is there to show; the sentence on it follows these numbers."""
    found = mean_reach(compared_networks(None), rows_of_reviews()[:6], parts=3)
    left, both = found[READERS[LEFT]], found[READERS[BOTH]]
    assert left[0] < 0.15 and left[2] > 0.6
    assert both[1] < both[0] and both[1] < both[2]


def test_texts_are_long_and_shuffling_keeps_the_words() -> None:
    assert len(long_reviews()) == SAMPLE
    assert min(len(word_spans(text)) for text in long_reviews()) >= LONG
    plain, mixed = rows_of_reviews(), rows_of_reviews(shuffled=True)
    assert {len(text.split()) for text in plain} == {IN_A_ROW} and IN_A_ROW < LONGEST
    assert mixed == rows_of_reviews(shuffled=True) != plain
    assert [sorted(a.split()) for a in mixed] == [sorted(a.split()) for a in plain]
    assert by_place(np.ones(IN_A_ROW) / IN_A_ROW, 3) == pytest.approx(np.full(3, 1 / 3))


def test_a_missing_file_is_said(tmp_path) -> None:
    with pytest.raises(NotAvailable, match=r"readers\.safetensors are missing"):
        read_readers(tmp_path / "readers.safetensors")
