"""A word in, its word pieces out, trial by trial: WordPiece (Wu et al. 2016, section 4.1; Devlin et
al. 2019, section 3).

Longest match first: from the beginning of the word, the longest stretch of letters that is in the
vocabulary becomes a piece, then the longest from there on, with the prefix ``##`` of a piece that
continues a word. Where no stretch is known, the whole word becomes [UNK].
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from bertsent.errors import NotAvailable
from bertsent.text.normalising import Letter, SpelledWord, SpellingRules, letters_of, words_of

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

_KINDS = ("BertNormalizer", "BertPreTokenizer", "WordPiece")  # of the tokenizers library


class Trial(NamedTuple):
    """One look into the vocabulary: the letters from ``start`` up to ``end`` of a word, spelled as
    a piece, and the id of that piece; None where there is none.
    """

    start: int
    end: int
    piece: str
    id: int | None


@dataclass(frozen=True)
class WordPieceRules:
    """What a WordPiece tokenizer knows: how letters are read, its vocabulary, and how it is asked
    for pieces.
    """

    spelling: SpellingRules
    vocabulary: Mapping[str, int] = field(repr=False)
    prefix: str = "##"
    unknown: str = "[UNK]"
    longest_word: int = 100

    @cached_property
    def pieces(self) -> Mapping[int, str]:
        """The vocabulary by id."""
        return {number: piece for piece, number in self.vocabulary.items()}

    def trials(self, word: str) -> Iterator[Trial]:
        """Every trial of a word, in order; none for a word that is too long to try."""
        start = 0
        while start < len(word) <= self.longest_word:
            for end in range(len(word), start, -1):
                piece = self.prefix * (start > 0) + word[start:end]
                trial = Trial(start, end, piece, self.vocabulary.get(piece))
                yield trial
                if trial.id is not None:
                    break
            else:
                return
            start = end

    def split(self, word: str) -> "SplitWord":
        """The pieces of a word."""
        trials = tuple(self.trials(word))
        found = tuple(trial for trial in trials if trial.id is not None)
        if found and found[-1].end == len(word):
            pieces = tuple(trial.piece for trial in found)
        else:
            pieces = (self.unknown,)
        ids = tuple(self.vocabulary.get(piece, -1) for piece in pieces)
        return SplitWord(word, pieces, ids, trials)

    def trace(self, text: str) -> "TextTrace":
        """The way of a text from its letters to the ids between [CLS] and [SEP]."""
        letters = letters_of(text, self.spelling)
        words = words_of(letters)
        known = {word: self.split(word) for word in dict.fromkeys(word.text for word in words)}
        return TextTrace(text, letters, words, tuple(known[word.text] for word in words))


@dataclass(frozen=True)
class SplitWord:
    """A word, its pieces with their ids, and all trials that led there."""

    word: str
    pieces: tuple[str, ...]
    ids: tuple[int, ...]
    trials: tuple[Trial, ...] = field(repr=False)

    @property
    def stuck(self) -> int | None:
        """The letter, from 0, from which on nothing is known; None where the word was split, and
        the first letter of a word that is too long to try.
        """
        if not self.trials:
            return 0
        last = self.trials[-1]
        return last.start if last.id is None else None


@dataclass(frozen=True)
class TextTrace:
    """The way of a text from letters to ids: ``splits`` has the pieces of each of ``words``."""

    text: str
    letters: tuple[Letter, ...]
    words: tuple[SpelledWord, ...]
    splits: tuple[SplitWord, ...]

    @property
    def ids(self) -> tuple[int, ...]:
        """The ids of all pieces, without [CLS] and [SEP]."""
        return tuple(number for split in self.splits for number in split.ids)

    @property
    def pieces(self) -> tuple[str, ...]:
        return tuple(piece for split in self.splits for piece in split.pieces)


def word_piece_rules(fast: "PreTrainedTokenizerFast") -> WordPieceRules:
    """The rules of a tokenizer of the BERT family.

    Raises:
        NotAvailable: it works in another way.
    """
    backend: Any = fast.backend_tokenizer
    kinds = (backend.normalizer, backend.pre_tokenizer, backend.model)
    NotAvailable.raise_if(
        tuple(type(kind).__name__ for kind in kinds) != _KINDS,
        "This tokenizer does not split words as BERT's does.",
        "Choose a BERT or a DistilBERT.",
    )
    normalizer, _, model = kinds
    accents = normalizer.strip_accents
    return WordPieceRules(
        SpellingRules(
            lower_case=normalizer.lowercase,
            strip_accents=normalizer.lowercase if accents is None else accents,
            clean=normalizer.clean_text,
            chinese_alone=normalizer.handle_chinese_chars,
        ),
        backend.get_vocab(with_added_tokens=False),
        model.continuing_subword_prefix,
        model.unk_token,
        model.max_input_chars_per_word,
    )
