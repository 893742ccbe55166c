"""Raw review text in, the text that people see and models read out: without markup and invisible
control characters, otherwise unchanged.

``clean_text`` is applied where a text becomes an ``Example``, where somebody types one and where a
tokenizer reads one, so that screen, training, answers and exports agree. It is idempotent: a clean
text stays as it is, and positions in it stay valid.
"""

import html
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping

from bertsent.errors import BadInput

_REMOVED = {
    "HTML tag": re.compile(r"< ?br ?/? ?>|< ?/? ?p ?>", re.IGNORECASE),
    "HTML entity": re.compile(r"&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,31});", re.IGNORECASE),
    "direction mark": re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069]"),
    "control character": re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]"),
}
_PLURALS = {"HTML entity": "HTML entities"}
_PASSES = 8  # an entity may hide another one ("&amp;lt;"); no real text nests deeper


def clean_text(text: str) -> str:
    """The review in one line, without ``<br />`` and ``<p>``, HTML entities, control characters and
    marks that turn text around.

    The result is text, not markup: whoever makes HTML of it still has to escape it.
    """
    return clean_and_count(text)[0]


def clean_and_count(text: str) -> tuple[str, dict[str, int]]:
    """The clean text, and how many of each kind were removed; white space is not counted."""
    removed: Counter[str] = Counter()
    text = _one_line(text)
    for _ in range(_PASSES):
        before, text = text, _one_pass(text, removed)
        if text == before:
            break
    else:
        text = _one_pass(_one_line(re.sub("[&<>]", " ", text)), removed)
    return text, dict(+removed)


def removed_sentence(removed: Mapping[str, int]) -> str:
    """What was removed, in words; empty if nothing was."""
    parts = [
        f"{count:,} {kind if count == 1 else _PLURALS.get(kind, f'{kind}s')}"
        for kind, count in removed.items()
    ]
    return f"Cleaned before the model read it: {', '.join(parts)}." if parts else ""


def shorten(text: str, characters: int) -> str:
    """At most ``characters`` of the clean text, with an ellipsis if it was cut."""
    text = clean_text(text)
    return text if len(text) <= characters else text[: characters - 1].rstrip() + "…"


def typed_review(text: str, limit: int) -> str:
    """Check a typed review and return its clean text.

    Raises:
        BadInput: nothing to classify, or longer than ``limit`` characters.
    """
    text = text.strip()
    BadInput.raise_if(  # first, because normalising a megabyte of combining marks takes minutes
        len(text) > limit,
        f"The review has {len(text):,} characters; the limit is {limit:,}.",
        "Shorten it.",
    )
    text = unicodedata.normalize("NFC", text.encode("utf-8", "replace").decode("utf-8"))
    text = clean_text(text)
    BadInput.raise_if(
        not any(unicodedata.category(c)[0] in "LNPS" for c in text),
        "There is nothing to classify.",
        "Type a review of at least one word.",
    )
    return text


def _one_pass(text: str, removed: Counter[str]) -> str:
    for kind, pattern in _REMOVED.items():
        found = pattern.findall(text)
        if not found:
            continue
        if kind == "HTML entity":
            found = [entity for entity in found if html.unescape(entity) != entity]
            text = pattern.sub(lambda entity: html.unescape(entity[0]), text)
        else:
            text = pattern.sub("" if kind == "direction mark" else " ", text)
        removed[kind] += len(found)
    return _one_line(text)


def _one_line(text: str) -> str:
    return " ".join(text.split())
