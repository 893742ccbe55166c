"""A sentence in, the aspects that something may be said of out: by rules, not by the model.

Two rules. What the project's own sentences name as an aspect (outside their test part) is one, the
longest name first. And up to three words right before a verb such as *is*, *seems* or *lasts* are
one, back to the nearest word that belongs to no name: an article, a pronoun, a preposition, an
adverb in -ly. Articles and the like are written out here, so no tagger is needed.
"""

import csv
import re
from dataclasses import dataclass
from functools import lru_cache

from bertsent.settings import ASSETS

SENTENCES = ASSETS / "tasks" / "aspects.csv"
MOST_WORDS = 3
_WORD = re.compile(r"[^\W\d_][\w'’-]*")
_VERBS = frozenset(
    "is are was were isn't aren't wasn't weren't seem seems seemed look looks looked feel feels "
    "felt taste tastes tasted sound sounds sounded smell smells smelled work works worked last "
    "lasts lasted stay stays stayed keep keeps kept has have had does did do can could will would "
    "needs need comes came makes made takes took gets got goes went lacks lacked deserves leaves "
    "left beats".split()
)
_NO_NAME = _VERBS | frozenset(
    "a an the this that these those my your his her its our their some any no every each all both "
    "another other such what which who whom whose i you he she it we they me him us them one there "
    "here of in on at by for with without from to into onto over under about after before between "
    "during through as than like per and or but nor so yet while although though because since if "
    "unless until when where whereas however not never very too quite rather really just only even "
    "still also always often again ever almost nearly already now then am be been being don't "
    "doesn't didn't hasn't haven't hadn't should may might must shall won't can't couldn't "
    "wouldn't i'm it's that's i've we've they're you're there's what's let's".split()
)


@dataclass(frozen=True)
class Span:
    """``text[start:end]`` of a sentence."""

    start: int
    end: int
    text: str


def words_in(sentence: str) -> list[Span]:
    """The words of a sentence, without punctuation and numbers."""
    return [Span(*each.span(), each.group()) for each in _WORD.finditer(sentence)]


def find_aspects(sentence: str) -> list[Span]:
    """The aspects of a clean sentence, from left to right; none lies in another."""
    words = words_in(sentence)
    found = _subjects(sentence, words)
    for named in _named(sentence, words):
        if not any(named.start < own.end and own.start < named.end for own in found):
            found.append(named)
    return sorted(found, key=lambda span: span.start)


def may_be_asked(word: str) -> bool:
    """Whether a word can be clicked as an aspect: not an article, a pronoun and the like."""
    return _plain(word) not in _NO_NAME


def _subjects(sentence: str, words: list[Span]) -> list[Span]:
    found = []
    for place, word in enumerate(words):
        if _plain(word.text) in _VERBS:
            first = place
            while place - first < MOST_WORDS and _extends(sentence, words, first):
                first -= 1
            if first < place:
                found.append(_span(sentence, words[first], words[place - 1]))
    return found


def _extends(sentence: str, words: list[Span], first: int) -> bool:
    """Whether the word before the one at ``first`` belongs to the same name: nothing but a space
    lies between.
    """
    if not first:
        return False
    word, gap = words[first - 1], sentence[words[first - 1].end : words[first].start]
    plain = _plain(word.text)
    return not gap.strip() and plain not in _NO_NAME and not plain.endswith("ly")


def _named(sentence: str, words: list[Span]) -> list[Span]:
    """The longest known names, from left to right."""
    names, found, place = known_aspects(), [], 0
    while place < len(words):
        for count in range(min(MOST_WORDS + 1, len(words) - place), 0, -1):
            span = _span(sentence, words[place], words[place + count - 1])
            if span.text.lower() in names:
                found.append(span)
                place += count - 1
                break
        place += 1
    return found


@lru_cache(maxsize=1)
def known_aspects() -> frozenset[str]:
    """What the project's own sentences name as an aspect, in lower case."""
    with SENTENCES.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file)
        return frozenset(row["aspect"].lower() for row in rows if row["split"] != "test")


def _span(sentence: str, first: Span, last: Span) -> Span:
    return Span(first.start, last.end, sentence[first.start : last.end])


def _plain(word: str) -> str:
    return word.lower().replace("’", "'")
