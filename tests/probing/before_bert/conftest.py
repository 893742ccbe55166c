"""The four networks with weights as they are drawn: what holds for any weights."""

import pytest

from bertsent.probing.baselines.lstm import LstmConfig
from bertsent.probing.before_bert.word_reader import READERS, WordReader, untrained

WORDS = ["the", "film", "was", "great", "boring", "not", "and", "long", ","]


@pytest.fixture(params=READERS)
def reader(request: pytest.FixtureRequest) -> WordReader:
    return drawn(request.param)


def drawn(kind: str) -> WordReader:
    return untrained(kind, WORDS, LstmConfig(embedding_size=6, hidden_size=5, seed=3))
