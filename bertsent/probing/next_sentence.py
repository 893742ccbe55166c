"""Two sentences in, the probability that the second follows the first out: the other task that BERT
was pretrained with (Devlin et al. 2019, section 3.1). RoBERTa left it out and lost nothing (Liu et
al. 2019).
"""

import math
import re
from dataclasses import dataclass
from pathlib import Path

from bertsent.data.cleaning import clean_text
from bertsent.errors import BadInput
from bertsent.models.language_model_head import load_language_model
from bertsent.probing.fill_mask import builtin_tokenizer

SEP = "[SEP]"
_SEP = re.compile(re.escape(SEP), re.IGNORECASE)


@dataclass(frozen=True)
class NextSentence:
    """Two logits, 0 it follows and 1 it is a random one, and the tokens that were read."""

    logits: tuple[float, float]
    pieces: tuple[str, ...]

    @property
    def p_follows(self) -> float:
        """Their softmax."""
        return 1 / (1 + math.exp(self.logits[1] - self.logits[0]))


def two_sentences(first: str, second: str = "") -> tuple[str, str]:
    """What was typed as two sentences; where the first box has a [SEP], both stand
    there, and the second is not read.

    Raises:
        BadInput: one of them is empty, or there are more than two.
    """
    parts = _SEP.split(first)
    BadInput.raise_if(
        len(parts) > 2,
        f"There are {len(parts) - 1} {SEP} here.",
        f"Write {SEP} once, between two sentences.",
    )
    found = tuple(map(clean_text, parts if len(parts) == 2 else (first, second)))
    BadInput.raise_if(
        not all(found),
        "There is only one sentence." if any(found) else "There is no sentence.",
        f"Write one into each box, or both into the first one with {SEP} in between.",
    )
    return found[0], found[1]


def next_sentence(folder: Path, first: str, second: str) -> NextSentence:
    """Whether the second sentence follows the first.

    Args:
        folder: of the language-model heads.
        first: a clean text; of two that are too long together, the longer one is cut.
        second: a clean text.

    Raises:
        BadCheckpoint: the folder is damaged.
    """
    import torch

    model = load_language_model(folder)
    tokenizer = builtin_tokenizer()
    ids, segments = tokenizer.pair(first, second, model.bert.config.max_position_embeddings)
    rows = torch.tensor([ids])
    with torch.inference_mode():
        hidden = model.hidden(rows, torch.ones_like(rows), torch.tensor([segments]))
        follows, random = model.next_logits(hidden)[0].tolist()
    pieces = tokenizer.fast.convert_ids_to_tokens(ids)
    return NextSentence((follows, random), tuple(pieces))
