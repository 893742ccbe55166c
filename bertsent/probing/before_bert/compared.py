"""Which networks are compared, each with what measures its reach, and the reviews over which the
mean is taken.
"""

import numpy as np

from bertsent.data.sources import load_reviews
from bertsent.probing.baselines.lstm import LstmClassifier, word_spans
from bertsent.probing.baselines.pipelines import LSTM
from bertsent.probing.baselines.shipped import ORDINARY, shipped_baselines
from bertsent.probing.before_bert.networks import BOTH, JOINED, LEFT
from bertsent.probing.before_bert.reach import Measure, reach_of_bert, reach_of_reader
from bertsent.probing.before_bert.shipped import reader_scores, shipped_readers
from bertsent.probing.before_bert.word_reader import READERS, WordReader
from bertsent.probing.loaded_model import LoadedModel

MAXIMUM = "LSTM, both ways, largest state"
LONG, SAMPLE = 20, 60  # words of a long review at least, and how many of them are taken
IN_A_ROW = 120  # words of several reviews in a row; all networks read so many


def compared_networks(model: LoadedModel | None) -> dict[str, Measure]:
    """What measures the reach of the networks, by name: three LSTMs that answer from where they
    end, the baseline LSTM, which takes the largest state at any word, and ``model`` if it has an
    answer.

    Raises:
        NotAvailable: the networks that ship are missing or damaged.
    """
    readers = shipped_readers()
    found = {READERS[kind]: _measure(readers[kind]) for kind in (LEFT, BOTH, JOINED)}
    baseline = shipped_baselines(ORDINARY)[LSTM].baseline
    assert isinstance(baseline, LstmClassifier)
    found[MAXIMUM] = _measure(baseline)
    if model is not None and "sentiment" in model.gives:
        found[f"BERT ({model.name})"] = lambda text: reach_of_bert(model, text)
    return found


def long_reviews() -> list[str]:
    """Built-in reviews of at least ``LONG`` words that no network here learned from, ``SAMPLE`` of
    them, evenly taken.
    """
    texts = [
        row.text
        for row in load_reviews("builtin")
        if row.split != "train" and len(word_spans(row.text)) >= LONG
    ]
    places = np.linspace(0, len(texts) - 1, min(SAMPLE, len(texts))).astype(int)
    return [texts[place] for place in places]


def rows_of_reviews(*, shuffled: bool = False) -> list[str]:
    """Those reviews in a row, as texts of ``IN_A_ROW`` words: a way that is long enough to forget
    on.

    With ``shuffled`` the words of each text stand in a random order, the same every time: strong
    words are as likely early as late, and what is left is the order in which a network reads.
    """
    words = [text[start:end] for text in long_reviews() for start, end in word_spans(text)]
    rows = [words[n : n + IN_A_ROW] for n in range(0, len(words) - IN_A_ROW + 1, IN_A_ROW)]
    if shuffled:
        rows = [
            [row[n] for n in np.random.default_rng(seed).permutation(len(row))]
            for seed, row in enumerate(rows)
        ]
    return [" ".join(row) for row in rows]


def scores_sentence(kinds: tuple[str, ...] = (LEFT, BOTH, JOINED)) -> str:
    """How often the networks were right when they were made; empty where that is not known."""
    scores = reader_scores()
    if scores is None:
        return ""
    title = scores["set"].iloc[0]
    own = scores[scores["set"] == title].set_index("kind")
    said = [f"{READERS[kind]} {100 * own.right[kind] / own.n[kind]:.0f} %" for kind in kinds]
    return f"Right on {own.n.iloc[0]:,} {title} that they did not learn from: {'; '.join(said)}."


def _measure(reader: WordReader | LstmClassifier) -> Measure:
    return lambda text: reach_of_reader(reader, text)
