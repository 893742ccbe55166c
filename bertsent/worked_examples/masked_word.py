"""A sentence, one of its words and a probability in; the masked sentence and the loss out: a step
of masked-language modelling (lecture slides, Appendix A2c).
"""

import math

from bertsent.errors import BadInput
from bertsent.worked_examples.typed_values import number, text
from bertsent.worked_examples.worked_example import Input, Quantity, Values, WorkedExample
from bertsent.worked_examples.written_numbers import MINUS, short

MASK, PIECES = "[MASK]", 30_522  # of BERT's vocabulary


def mask_and_lose(sentence: str, hidden: str, p: float) -> Values:
    """The sentence with the word behind a mask, and −log of the probability that it got.

    Raises:
        BadInput: the word is not in the sentence.
    """
    words = sentence.split()
    BadInput.raise_if(
        hidden not in words, f"“{hidden}” is not in the sentence.", "Choose one of its words."
    )
    place = words.index(hidden)
    return {
        "masked": " ".join([*words[:place], MASK, *words[place + 1 :]]),
        "loss": -math.log(p),
    }


def _finding(found: Values) -> str:
    blind = f"guessing blindly among {PIECES:,} word pieces {math.log(PIECES):.2f}"
    return (
        f"Certainty would cost 0, {blind}; "
        f"p = {short(found['p'])} costs {found['loss']:.2f}. Only hidden words count."
    )


MASKED_WORD = WorkedExample(
    key="masked_word",
    rows=("001-26",),
    title="“The movie was fantastic” in three steps",
    source="Lecture slides, Appendix A2c",
    says=(
        "1. Hide a word. 2. Predict it from both sides. 3. Loss = −log p of the true word: "
        "p = 0.85 costs 0.16. The 0.85 is the slide’s; what this encoder says is above."
    ),
    inputs=(
        Input("sentence", "Sentence", "The movie was fantastic", text(80)),
        Input("hidden", "Hidden word", "fantastic", text(30)),
        Input("p", "p of the hidden word", "0.85", number(low=1e-9, high=1.0)),
    ),
    work=mask_and_lose,
    quantities=(
        Quantity("masked", "BERT reads", "", said="The movie was [MASK]"),
        Quantity("loss", "loss", lambda f: f"{MINUS}ln {short(f['p'])}", said="0.16", places=2),
    ),
    finding=_finding,
)
