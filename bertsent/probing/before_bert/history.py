"""What came when, and how it reads: five models in the order of their papers, and what the source
of the course got wrong about them.
"""

from dataclasses import dataclass
from types import MappingProxyType

ONE_WORD, LEFT_ONLY, TWO_JOINED, BOTH_WAYS = range(4)
LANES = MappingProxyType(
    {
        ONE_WORD: "no context: one vector a word",
        LEFT_ONLY: "left only",
        TWO_JOINED: "two one-way readings, joined",
        BOTH_WAYS: "both sides at once",
    }
)


@dataclass(frozen=True)
class Milestone:
    """A pretrained model: when its paper came out, how it reads (one of ``LANES``), what it is made
    of, what it learned without labels, and how it is used.
    """

    name: str
    date: str
    reads: int
    network: str
    objective: str
    used: str
    paper: str


MILESTONES = (
    Milestone(
        "word2vec",
        "Jan 2013",
        ONE_WORD,
        "one matrix of word vectors",
        "guess the words around a word (skip-gram), or the word from them",
        "its vectors are the input of another network",
        "Mikolov et al. 2013",
    ),
    Milestone(
        "ULMFiT",
        "Jan 2018",
        LEFT_ONLY,
        "3-layer LSTM",
        "guess the next word",
        "fine-tuned as a whole, layer after layer; a second one may read backwards, on its own",
        "Howard and Ruder 2018",
    ),
    Milestone(
        "ELMo",
        "Feb 2018",
        TWO_JOINED,
        "two 2-layer LSTMs, one each way",
        "guess the next word, and apart from that the previous one",
        "its joined states are further inputs of another network",
        "Peters et al. 2018",
    ),
    Milestone(
        "GPT",
        "Jun 2018",
        LEFT_ONLY,
        "12-layer transformer decoder",
        "guess the next word",
        "fine-tuned as a whole",
        "Radford et al. 2018",
    ),
    Milestone(
        "BERT",
        "Oct 2018",
        BOTH_WAYS,
        "12- or 24-layer transformer encoder",
        "guess masked words from both sides; does the second sentence follow the first?",
        "fine-tuned as a whole, with a small head for each task",
        "Devlin et al. 2018, published 2019",
    ),
)
SLIPS = MappingProxyType(
    {
        "E-11": "“GPT uses masked language model (MLM) to predict the next word” and, of BERT, "
        "“the model learns by predicting the next word” are wrong. GPT predicts the next word and "
        "masks no word of its text; BERT fills in masked words, wherever they stand, and never "
        "predicts a next one.",
        "E-19": "“ELMo, ULMFiT, GPT: all unidirectional”, and one paragraph later ELMo is “pseudo "
        "bidirectional”. ULMFiT and GPT read the left only; ELMo joins two one-way readings at "
        "the end; BERT reads both sides in every layer.",
    }
)


def history_sentence() -> str:
    """How many of the five read how, counted."""
    counts = {lane: [m.name for m in MILESTONES if m.reads == lane] for lane in LANES}
    return (
        f"Of the five, {' and '.join(counts[LEFT_ONLY])} read the left only, "
        f"{counts[TWO_JOINED][0]} joins two one-way readings, and {counts[BOTH_WAYS][0]} alone "
        f"has both sides in one layer; {counts[ONE_WORD][0]} knows no sentence at all."
    )
