"""A sentence with [MASK] in it, or one of which some words are to be hidden, in; the ids that an
encoder reads out, with the places of the masks and what stood there.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bertsent.errors import BadInput
from bertsent.text.tokens import ReviewTokenizer

MASK = "[MASK]"
MOST_MASKED = 12  # of one sentence; BERT learned with 15 of 100 tokens drawn
_MASK = re.compile(re.escape(MASK), re.IGNORECASE)


@dataclass(frozen=True)
class MaskedSentence:
    """The ids of a sentence, [CLS] and [SEP] included; ``places`` says where the masks are, and
    ``truths`` which id belongs to each, None where nobody knows.
    """

    ids: tuple[int, ...]
    places: tuple[int, ...]
    truths: tuple[int | None, ...]


def has_mask(text: str) -> bool:
    """Whether [MASK] was typed somewhere, in letters of any case."""
    return _MASK.search(text) is not None


def typed_sentence(
    text: str, tokenizer: ReviewTokenizer, most: int, truths: Sequence[str] = ()
) -> MaskedSentence:
    """A sentence in which [MASK] was typed, once or several times.

    Args:
        text: nothing else in it is read as a special token.
        tokenizer: that of the encoder.
        most: tokens that the encoder reads.
        truths: the word that belongs to each mask, in their order; empty where it is not known.

    Raises:
        BadInput: no mask, too many, one would be cut off, or a true word that one mask cannot hold.
    """
    fast, sides = tokenizer.fast, _MASK.split(text)
    masks = len(sides) - 1
    BadInput.raise_if(
        not masks, f"The sentence has no {MASK}.", f"Write {MASK} in the place of a word."
    )
    _check_number(masks)
    ids = [fast.cls_token_id]
    places = []
    for number, pieces in enumerate(tokenizer.ids(sides, most)):
        if number:
            places.append(len(ids))
            ids.append(fast.mask_token_id)
        ids += pieces[1:-1]
    BadInput.raise_if(
        places[-1] > most - 2, f"The sentence is too long: {MASK} would be cut off.", "Shorten it."
    )
    ids = [*ids[: most - 1], fast.sep_token_id]
    return MaskedSentence(tuple(ids), tuple(places), _true_ids(truths, masks, tokenizer))


def check_gaps(texts: Sequence[str]) -> None:
    """Check sentences that are watched while masked words are learned: each has one gap.

    Raises:
        BadInput: one has none, or several.
    """
    for text in texts:
        masks = len(_MASK.findall(text))
        BadInput.raise_if(
            masks != 1,
            f"The sentinel “{text[:60]}” has {masks or 'no'} {MASK}.",
            f"Write {MASK} once in each, in the place of a word.",
        )


def words_to_hide(text: str, tokenizer: ReviewTokenizer, most: int) -> list[str]:
    """The words and signs of a text in their order, as ``hide_words`` counts them."""
    found: dict[int, str] = {}
    tokens = tokenizer.tokens(text, most)
    for piece, word in zip(tokens.pieces, tokens.words, strict=True):
        if word is not None:
            found[word] = found.get(word, "") + piece.removeprefix("##")
    return list(found.values())


def hide_words(
    text: str, tokenizer: ReviewTokenizer, most: int, chosen: Sequence[int]
) -> MaskedSentence:
    """A text with every piece of the chosen words behind a mask of its own.

    Raises:
        BadInput: no word is chosen, or their pieces are too many.
    """
    tokens = tokenizer.tokens(text, most)
    places = tuple(place for place, word in enumerate(tokens.words) if word in set(chosen))
    BadInput.raise_if(not places, "No word is hidden.", "Choose a word.")
    _check_number(len(places))
    hidden = dict.fromkeys(places, tokenizer.fast.mask_token_id)
    ids = tuple(hidden.get(place, number) for place, number in enumerate(tokens.ids))
    return MaskedSentence(ids, places, tuple(tokens.ids[place] for place in places))


def _check_number(masks: int) -> None:
    BadInput.raise_if(
        masks > MOST_MASKED,
        f"The sentence has {masks} {MASK}, which leaves too little to go by.",
        f"Hide at most {MOST_MASKED} word pieces.",
    )


def _true_ids(
    words: Sequence[str], masks: int, tokenizer: ReviewTokenizer
) -> tuple[int | None, ...]:
    BadInput.raise_if(
        bool(words) and len(words) != masks,
        f"{len(words)} true words were given for {masks} {MASK}.",
        "Give one for each.",
    )
    return tuple(_true_id(word, tokenizer) for word in words) or (None,) * masks


def _true_id(word: str, tokenizer: ReviewTokenizer) -> int | None:
    if not word.strip():
        return None
    tokens = tokenizer.tokens(word, 64)
    pieces = tokens.pieces[1:-1]
    BadInput.raise_if(
        len(pieces) != 1,
        f"“{word[:40]}” is {len(pieces)} word pieces: {' '.join(pieces[:8])}.",
        f"One {MASK} stands for one piece: choose another word, or write {MASK} as often.",
    )
    return tokens.ids[1]
