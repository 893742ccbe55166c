"""Words and their tokens in, rows of cards as HTML out: the letters as they were typed, what they
became, the pieces, and numbers below each piece. Cards go on in the next line where a line is full.
All of it is escaped.
"""

import html
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Kind = Literal["", "chosen", "marker", "padding", "unknown", "second"]
Marked = tuple[tuple[str, str], ...]  # stretches of text, each with what happened to it, or ""


@dataclass(frozen=True)
class TokenCard:
    """A token: its piece, and the numbers below it."""

    piece: str
    numbers: tuple[str, ...]
    kind: Kind = ""


@dataclass(frozen=True)
class WordCard:
    """A word: the lines above its tokens, and those."""

    tokens: tuple[TokenCard, ...]
    above: tuple[Marked, ...] = ()


def token_cards(names: Sequence[str], words: Sequence[WordCard], *, alt: str) -> str:
    """One card a word; ``names`` are those of the lines, from the top: what stands above, the
    piece, its numbers. ``alt`` says what it shows.
    """
    first = "".join(f"<span>{html.escape(name)}</span>" for name in names)
    cards = "".join(map(_word, words))
    return (
        f'<div class="token-cards" role="group" aria-label="{html.escape(alt)}">'
        f'<div class="token-names">{first}</div><div class="token-words">{cards}</div></div>'
    )


def _word(word: WordCard) -> str:
    above = "".join(f'<div class="token-above">{_marked(line)}</div>' for line in word.above)
    tokens = "".join(map(_token, word.tokens))
    return f'<div class="token-word">{above}<div class="token-row">{tokens}</div></div>'


def _marked(line: Marked) -> str:
    return "".join(
        f'<mark title="{html.escape(done)}">{html.escape(text)}</mark>'
        if done
        else html.escape(text)
        for text, done in line
    )


def _token(token: TokenCard) -> str:
    numbers = "".join(f"<span>{html.escape(number)}</span>" for number in token.numbers)
    return f'<div class="token-card {token.kind}"><b>{html.escape(token.piece)}</b>{numbers}</div>'
