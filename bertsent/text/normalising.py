"""A text in, its words as the vocabulary of a BERT spells them out: letter by letter, with what was
done to each.

The rules of ``BasicTokenizer`` (Devlin et al. 2019, their ``tokenization.py``), worked out with the
Unicode tables of Python: characters that nobody sees are dropped, white space becomes a space,
Chinese characters stand alone, and a model without capitals drops accents and capitals. Every
character is looked at by itself, as in the ``tokenizers`` library. Then white space and punctuation
part the words.
"""

import string
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

# the blocks of CJK ideographs that BasicTokenizer names
CHINESE = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B820, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)
DROPPED, SPACE, ALONE, ACCENT, CAPITAL = (
    "not seen, dropped",
    "a space",
    "stands alone",
    "accent dropped",
    "lower case",
)
_UNSEEN = ("Cc", "Cf", "Co")  # control, format, private use


@dataclass(frozen=True)
class SpellingRules:
    """What a tokenizer does to letters; ``strip_accents`` goes with ``lower_case`` where a
    tokenizer does not say.
    """

    lower_case: bool = True
    strip_accents: bool = True
    clean: bool = True
    chinese_alone: bool = True


@dataclass(frozen=True)
class Letter:
    """One character of a text, what it becomes (nothing, one character or more), and by which
    rules.
    """

    sign: str
    becomes: str
    rules: tuple[str, ...] = ()

    @property
    def changed(self) -> bool:
        """Whether a reader sees another letter than was typed."""
        return self.becomes.strip() != self.sign.strip()


@dataclass(frozen=True)
class SpelledWord:
    """A word or a mark as the vocabulary is asked for it, and where its letters stand in the text:
    from ``start`` up to ``end``.
    """

    text: str
    start: int
    end: int


def letters_of(text: str, rules: SpellingRules) -> tuple[Letter, ...]:
    """What becomes of each character."""
    return tuple(_letter(sign, rules) for sign in text)


def words_of(letters: Sequence[Letter]) -> tuple[SpelledWord, ...]:
    """Words, and marks each by itself, in the order of the text."""
    words, open_word = list[SpelledWord](), False
    for sign, place in _signs(letters):
        if sign == " ":
            open_word = False
        elif open_word and not is_mark(sign):
            words[-1] = replace(words[-1], text=words[-1].text + sign, end=place + 1)
        else:
            words.append(SpelledWord(sign, place, place + 1))
            open_word = not is_mark(sign)
    return tuple(words)


def is_mark(sign: str) -> bool:
    """Whether it is punctuation: what Unicode calls so, and every mark of ASCII (``$``, ``+``)."""
    return sign in string.punctuation or unicodedata.category(sign).startswith("P")


def _signs(letters: Sequence[Letter]) -> Iterator[tuple[str, int]]:
    for place, letter in enumerate(letters):
        yield from ((sign, place) for sign in letter.becomes)


def _letter(sign: str, rules: SpellingRules) -> Letter:
    if rules.clean and _is_unseen(sign):
        return Letter(sign, "", (DROPPED,))
    if sign.isspace():
        return Letter(sign, " ", (SPACE,) if sign != " " else ())
    becomes, done = sign, list[str]()
    if rules.strip_accents:
        apart = unicodedata.normalize("NFD", sign)
        becomes = "".join(c for c in apart if unicodedata.category(c) != "Mn")
        done += [ACCENT] * (becomes != apart)
    if rules.lower_case:
        lower = "".join(c.lower() for c in becomes)
        done += [CAPITAL] * (lower != becomes)
        becomes = lower
    if rules.chinese_alone and any(low <= ord(sign) <= high for low, high in CHINESE):
        return Letter(sign, f" {becomes} ", (*done, ALONE))
    return Letter(sign, becomes, tuple(done))


def _is_unseen(sign: str) -> bool:
    hidden = sign in "\0\ufffd" or unicodedata.category(sign) in _UNSEEN
    return hidden and sign not in "\t\n\r"
