"""Token ids in, their corruption for masked-language modelling out (Devlin et al. 2019, section 3.1
and appendix A.1): 15 % are drawn; of these 80 % become [MASK], 10 % a random word, 10 % stay.

The draw is that of transformers' ``DataCollatorForLanguageModeling``, on screen as in training. It
draws every token by itself, so a text has 15 % on average; the authors' own code draws that share
of each text exactly. Special tokens are never drawn.
"""

import itertools
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from bertsent.errors import BadInput

if TYPE_CHECKING:
    import torch

    from bertsent.text.tokens import ReviewTokenizer

DRAWN, HIDDEN, REPLACED = 0.15, 0.8, 0.1
_DRAWS = 100  # of which not one meets a word only where there are none
NO_LABEL = -100  # what torch's cross-entropy leaves out


class Fate(StrEnum):
    """What the corruption did with a token."""

    SPECIAL = "special"
    NOT_DRAWN = "not drawn"
    MASKED = "masked"
    REPLACED = "replaced"
    KEPT = "kept"


WHY: Mapping[Fate, str] = {
    Fate.SPECIAL: "Never drawn: it is no word of the text.",
    Fate.NOT_DRAWN: "Not drawn, like 85 of 100 tokens: it is read as it is, and nothing is asked "
    "about it.",
    Fate.MASKED: "Drawn and hidden, like 80 of 100 that are drawn: BERT has to tell the word from "
    "what stands on both sides.",
    Fate.REPLACED: "Drawn and replaced by a random word, like 10 of 100 that are drawn: [MASK] "
    "never occurs in a real text, so BERT must not rely on seeing it where it is asked.",
    Fate.KEPT: "Drawn and left as it is, like 10 of 100 that are drawn: BERT is asked for the word "
    "that it sees, so its vector stays close to the real word.",
}


@dataclass(frozen=True)
class CorruptedToken:
    """One token of a text: its word piece, the piece that BERT reads instead, and its fate."""

    piece: str
    read: str
    fate: Fate

    @property
    def why(self) -> str:
        """The reason for its fate, a sentence for the screen."""
        return WHY[self.fate]


def mask_tokens(
    input_ids: "torch.Tensor", tokenizer: "ReviewTokenizer", seed: int
) -> "tuple[torch.Tensor, torch.Tensor]":
    """What BERT reads, and what it is asked: both (B, T); the second has the original id where a
    token was drawn and ``NO_LABEL`` elsewhere. The same ids and seed give the same draw.
    """
    import torch
    from transformers import DataCollatorForLanguageModeling

    collator = DataCollatorForLanguageModeling(
        tokenizer.fast,
        mlm_probability=DRAWN,
        mask_replace_prob=HIDDEN,
        random_replace_prob=REPLACED,
    )
    collator.generator = collator.get_generator(seed)
    special = torch.isin(input_ids, torch.tensor(tokenizer.fast.all_special_ids))
    return collator.torch_mask_tokens(input_ids.clone(), special_tokens_mask=special)


def mask_rows(
    rows: Sequence[Sequence[int]], tokenizer: "ReviewTokenizer", seed: Sequence[int]
) -> tuple[list[list[int]], list[list[int]]]:
    """What BERT reads of rows of ids, and what it is asked, as ``mask_tokens`` has them. One draw
    for all rows, so they may be cut into batches afterwards; ``seed`` are numbers that tell this
    draw from all others. A draw that meets no word at all is done again.

    Raises:
        BadInput: the rows have no word that could be drawn.
    """
    import numpy as np
    import torch

    whole = torch.tensor([list(itertools.chain.from_iterable(rows))])
    for turn in range(_DRAWS):
        own = int(np.random.SeedSequence([*seed, turn]).generate_state(1)[0])
        read, labels = mask_tokens(whole, tokenizer, own)
        if bool((labels != NO_LABEL).any()):
            sizes = [len(row) for row in rows]
            parts = (torch.split(found[0], sizes) for found in (read, labels))
            first, second = ([part.tolist() for part in each] for each in parts)
            return first, second
    raise BadInput("There is no word that could be masked.", "Bring longer texts.")


def corrupt(
    text: str, tokenizer: "ReviewTokenizer", *, seed: int, max_length: int
) -> list[CorruptedToken]:
    """All tokens of a text with what one draw did to each.

    Raises:
        BadInput: the text has no words.
    """
    import torch

    ids = _ids(text, tokenizer, max_length)
    read, labels = mask_tokens(torch.tensor([ids]), tokenizer, seed)
    names = tokenizer.fast.convert_ids_to_tokens
    after, special = read[0].tolist(), set(tokenizer.fast.all_special_ids)
    fates = [
        _fate(*token, special, tokenizer)
        for token in zip(ids, after, labels[0].tolist(), strict=True)
    ]
    return [CorruptedToken(*token) for token in zip(names(ids), names(after), fates, strict=True)]


def count_fates(
    text: str, tokenizer: "ReviewTokenizer", *, draws: int, seed: int, max_length: int
) -> dict[Fate, int]:
    """How often tokens of a text met each fate in many draws.

    Raises:
        BadInput: the text has no words.
    """
    import torch

    ids = torch.tensor(_ids(text, tokenizer, max_length)).repeat(draws, 1)
    read, labels = mask_tokens(ids, tokenizer, seed)
    special = torch.isin(ids, torch.tensor(tokenizer.fast.all_special_ids))
    drawn, hidden = labels != NO_LABEL, read == tokenizer.fast.mask_token_id
    found = {
        Fate.SPECIAL: special,
        Fate.NOT_DRAWN: ~special & ~drawn,
        Fate.MASKED: drawn & hidden,
        Fate.REPLACED: drawn & ~hidden & (read != ids),
        Fate.KEPT: drawn & (read == ids),
    }
    return {fate: int(tokens.sum()) for fate, tokens in found.items()}


def _ids(text: str, tokenizer: "ReviewTokenizer", max_length: int) -> list[int]:
    ids = tokenizer.ids([text], max_length)[0]
    special = set(tokenizer.fast.all_special_ids)
    BadInput.raise_if(
        special.issuperset(ids), "There is no word that could be masked.", "Type a sentence."
    )
    return ids


def _fate(before: int, after: int, label: int, special: Set[int], of: "ReviewTokenizer") -> Fate:
    if label == NO_LABEL:
        return Fate.SPECIAL if before in special else Fate.NOT_DRAWN
    if after == before:
        return Fate.KEPT
    return Fate.MASKED if after == of.fast.mask_token_id else Fate.REPLACED
