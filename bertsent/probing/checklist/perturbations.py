"""A review in, the same review changed out: changes that must leave the label, that must move it,
or that destroy the order.

Every change is drawn from the text itself (SHA-256), so the built-in suite is the same on every
machine and at every visit.
"""

import hashlib
import re
from collections.abc import Callable
from random import Random

NEUTRAL = (
    "I watched it on a Tuesday.",
    "It runs for about two hours.",
    "We saw it with four other people.",
    "It came out in spring.",
)
PRAISE = (
    "I loved every minute of it.",
    "I recommend it warmly.",
    "It is a wonderful film.",
    "I was happy from start to finish.",
)
BLAME = (
    "I hated every minute of it.",
    "I advise against it.",
    "It is a terrible film.",
    "I was bored from start to finish.",
)
NAMES = ("Anna", "David", "Mehmet", "Priya", "Chen", "Fatima", "Ivan", "Maria")
PLACES = ("Chicago", "Lagos", "Mumbai", "Lyon", "Osaka", "Quito")
NAMED = "names and places swapped"
_SHORT = {
    "is not": "isn't",
    "was not": "wasn't",
    "did not": "didn't",
    "does not": "doesn't",
    "do not": "don't",
    "could not": "couldn't",
    "would not": "wouldn't",
    "cannot": "can't",
    "were not": "weren't",
    "are not": "aren't",
    "has not": "hasn't",
    "it is": "it's",
    "that is": "that's",
    "I am": "I'm",
    "I have": "I've",
    "will not": "won't",
}
_LONG = {short: long for long, short in _SHORT.items()}
_LETTERS = re.compile(r"\b[a-z]{6,}\b")
# gives the changed text, or a base and the changed text; None: this text cannot be changed so
Perturbation = Callable[[str], str | tuple[str, str] | None]


def chance(*parts: str) -> Random:
    """A random source that depends on nothing but the text."""
    return Random(int.from_bytes(hashlib.sha256("\x1f".join(parts).encode()).digest()[:8]))


def typo(text: str) -> str | None:
    """Two neighbouring inner letters of one longer word change places."""
    words = [found for found in _LETTERS.finditer(text) if _swaps(found[0])]
    if not words:
        return None
    random = chance("typo", text)
    word = random.choice(words)
    at = word.start() + random.choice(_swaps(word[0]))
    return text[:at] + text[at + 1] + text[at] + text[at + 2 :]


def _swaps(word: str) -> list[int]:
    return [i for i in range(1, len(word) - 2) if word[i] != word[i + 1]]


def contraction(text: str) -> str | None:
    """ "is not" becomes "isn't", or the other way round."""
    for old, new in (_SHORT | _LONG).items():
        changed = re.sub(rf"(?<![\w']){re.escape(old)}(?![\w'])", new, text, count=1)
        if changed != text:
            return changed
    return None


def shout(text: str) -> str | None:
    """All in capitals, where none were used to shout before."""
    return None if re.search(r"\b[A-Z]{2,}\b", text) else text.upper()


def full_stop(text: str) -> str | None:
    """Without its last full stop."""
    return text[:-1] if text.endswith(".") and not text.endswith("..") else None


def neutral(text: str) -> str | None:
    """A neutral sentence comes first."""
    return f"{chance('neutral', text).choice(NEUTRAL)} {text}"


def named(text: str) -> tuple[str, str]:
    """The text with a person's name and a place in front of it, and the same with others."""
    random = chance("names", text)
    people, places = random.sample(NAMES, 2), random.sample(PLACES, 2)
    first, second = (
        f"Seen with {who} in {where}. {text}" for who, where in zip(people, places, strict=True)
    )
    return first, second


def praised(text: str) -> str:
    """A sentence of praise comes last."""
    return f"{text} {chance('praise', text).choice(PRAISE)}"


def blamed(text: str) -> str:
    """A sentence of blame comes last."""
    return f"{text} {chance('blame', text).choice(BLAME)}"


def shuffled(text: str) -> str | None:
    """Its words in another order, each with the marks that stick to it; None where there is no
    other order.
    """
    words = text.split()
    if len(set(words)) < 2:
        return None
    random, order = chance("order", text), list(words)
    while order == words:
        random.shuffle(order)
    return " ".join(order)


INVARIANCES: dict[str, Perturbation] = {
    "typo": typo,
    "contraction": contraction,
    "capitals": shout,
    "full stop left out": full_stop,
    "neutral sentence added": neutral,
    NAMED: named,
}
