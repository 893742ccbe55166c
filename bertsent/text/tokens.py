"""Texts in, ``Tokens`` out: thread-safe access to a Hugging Face tokenizer.

A fast tokenizer keeps its truncation settings inside itself, so two threads that ask for different
lengths get each other's answers without any error; every call goes through a lock here. What a
person types is never read as special tokens: "[SEP]" in a review is five characters.
"""

import copy
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from bertsent.data.cleaning import clean_text
from bertsent.errors import BadInput
from bertsent.settings import LIMITS
from bertsent.text.word_pieces import TextTrace, WordPieceRules, word_piece_rules

if TYPE_CHECKING:
    from transformers import BatchEncoding, PreTrainedTokenizerFast

# a text is cut to so many before the tokenizer sees it, which bounds its time and memory
CHARACTERS_PER_TOKEN = 40


@dataclass(frozen=True)
class Tokens:
    """One encoded text.

    ``words`` gives for each token the position of the word it belongs to, None for [CLS] and [SEP];
    ``pieces`` are the WordPiece strings.
    """

    ids: tuple[int, ...]
    pieces: tuple[str, ...]
    words: tuple[int | None, ...]

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def special(self) -> tuple[bool, ...]:
        return tuple(word is None for word in self.words)


class ReviewTokenizer:
    """A tokenizer that many threads may share."""

    def __init__(self, tokenizer: "PreTrainedTokenizerFast") -> None:
        self.fast = tokenizer
        self.pad_id = tokenizer.pad_token_id or 0
        self.unknown_id, self.sep_id = tokenizer.unk_token_id, tokenizer.sep_token_id
        self._lock = threading.Lock()

    @cached_property
    def rules(self) -> WordPieceRules:
        """By which rules it splits words.

        Raises:
            NotAvailable: not by those of BERT.
        """
        return word_piece_rules(self.fast)

    def ids(self, texts: Sequence[str], max_length: int, *, clean: bool = True) -> list[list[int]]:
        """Token ids with [CLS] and [SEP], at most ``max_length`` each, not padded; with
        ``clean=False`` the texts are read as they are.
        """
        return self._encode(texts, max_length, clean)["input_ids"] if len(texts) else []

    def tokens(self, text: str, max_length: int) -> Tokens:
        """One text with its pieces and word positions."""
        found = self._encode([text], max_length)
        ids = found["input_ids"][0]
        pieces = self.fast.convert_ids_to_tokens(ids)
        return Tokens(tuple(ids), tuple(pieces), tuple(found.word_ids(0)))

    def trace(self, text: str, max_length: int) -> TextTrace:
        """The way of one text from its letters to ids, worked out by ``rules``; all of what is cut
        only at ``max_length`` tokens.

        Raises:
            NotAvailable: this tokenizer does not split words as BERT's does.
        """
        return self.rules.trace(readable(text, max_length))

    def pair(self, first: str, second: str, max_length: int) -> tuple[list[int], list[int]]:
        """Ids and segments of two texts that are read together, of the longer one less where they
        are too long.
        """
        texts = [readable(text, check_length(max_length)) for text in (first, second)]
        with self._lock:
            found = self.fast(
                *texts,
                truncation="longest_first",
                max_length=max_length,
                split_special_tokens=True,
                return_token_type_ids=True,
            )
        return found["input_ids"], found["token_type_ids"]

    def input_ids(
        self, inputs: Sequence[tuple[str, str]], max_length: int, *, clean: bool = True
    ) -> list[list[int]]:
        """Token ids of what a task reads, at most ``max_length`` each: of one text as ``ids`` gives
        them, of two as ``pair`` does. ``TokenBatch.segments`` tells the two apart.
        """
        check_length(max_length)
        pairs = [pair for pair in inputs if pair[1]]
        singles = [first for first, second in inputs if not second]
        one = iter(self.ids(singles, max_length, clean=clean))
        two = iter(self._pairs(pairs, max_length, clean) if pairs else ())
        return [next(two if second else one) for _, second in inputs]

    def _pairs(
        self, inputs: Sequence[tuple[str, str]], max_length: int, clean: bool
    ) -> list[list[int]]:
        sides = [
            [readable(text, max_length, clean=clean) for text in side]
            for side in zip(*inputs, strict=True)
        ]
        with self._lock:
            found = self.fast(
                *sides,
                truncation="longest_first",
                max_length=max_length,
                split_special_tokens=True,
                return_attention_mask=False,
                return_token_type_ids=False,
            )
        return found["input_ids"]

    def spans(self, text: str, max_length: int) -> tuple[tuple[int, int], ...]:
        """The start and end of each token of ``tokens`` in the text; (0, 0) for [CLS] and [SEP]."""
        encodings = self._encode([text], max_length).encodings
        return tuple(encodings[0].offsets) if encodings else ()

    def save(self, folder: Path, max_length: int, *, masks: bool = False) -> None:
        """Write the tokenizer files so that the library, too, cuts at ``max_length`` and reads no
        special tokens in reviews; with ``masks`` it does, for a model that fills in [MASK].

        Raises:
            OSError: the disk is full or not writable.
        """
        with self._lock:
            tokenizer = copy.deepcopy(self.fast)
        tokenizer.model_max_length = max_length
        tokenizer.split_special_tokens = not masks
        tokenizer.init_kwargs[
            "split_special_tokens"
        ] = not masks  # the attribute alone is not saved
        try:
            tokenizer.save_pretrained(folder)
        except Exception as error:  # the Rust side raises plain exceptions, a full disk among them
            raise OSError(str(error)) from error

    def _encode(self, texts: Sequence[str], max_length: int, clean: bool = True) -> "BatchEncoding":
        check_length(max_length)
        cut = [readable(text, max_length, clean=clean) for text in texts]
        with self._lock:
            return self.fast(
                cut,
                truncation=True,
                max_length=max_length,
                split_special_tokens=True,
                return_attention_mask=False,
                return_token_type_ids=False,
            )


def readable(text: str, max_length: int, *, clean: bool = True) -> str:
    """What a tokenizer is given of a text: clean, not endless, and without half surrogates."""
    cut = (clean_text(text) if clean else text)[: max_length * CHARACTERS_PER_TOKEN]
    return cut.encode("utf-8", "replace").decode("utf-8")


def check_length(max_length: int, longest: int = LIMITS.longest_length) -> int:
    """Check ``max_length`` and return it.

    Raises:
        BadInput: it is not between 8 and ``longest`` tokens.
    """
    BadInput.raise_if(
        not LIMITS.shortest_length <= max_length <= longest,
        f"A max length of {max_length:,} tokens is not possible.",
        f"Choose from {LIMITS.shortest_length} to {longest}.",
    )
    return max_length
