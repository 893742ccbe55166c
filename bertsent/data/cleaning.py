"""Review text as people should see it: markup remains and invisible controls gone, nothing else
changed.
"""

import html
import re
import unicodedata

_BREAKS = re.compile(r"<\s*br\s*/?\s*>|<\s*/?\s*p\s*>", re.IGNORECASE)
_SPACES = re.compile(r"\s+")
_STEERING = dict.fromkeys(
    [*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F]
)  # bidi overrides and marks


def display_text(text: str) -> str:
    """The review in one line, without ``<br />`` remains (row 000-32), entities, controls and marks
    that turn text around.

    The result is text, not markup: whoever makes HTML of it still has to escape it.
    """
    text = html.unescape(_BREAKS.sub(" ", text)).translate(_STEERING)
    text = "".join(" " if unicodedata.category(c) == "Cc" else c for c in text)
    return _SPACES.sub(" ", text).strip()


def shorten(text: str, characters: int) -> str:
    """At most ``characters`` of the display text, with an ellipsis where something was cut."""
    text = display_text(text)
    return text if len(text) <= characters else text[: characters - 1].rstrip() + "…"


def typed_review(text: str, limit: int) -> str:
    """Check a review that somebody typed and give it back without outer blanks.

    Raises:
        BadInput: nothing to classify, or longer than ``limit`` characters.
    """
    from bertsent.errors import BadInput

    text = text.strip()
    if len(text) > limit:  # asked first: to normalise a megabyte of combining marks takes minutes
        raise BadInput(
            f"The review has {len(text):,} characters; the limit is {limit:,}.",
            "Shorten it and ask again.",
        )
    text = unicodedata.normalize("NFC", text.encode("utf-8", "replace").decode("utf-8"))
    if not any(unicodedata.category(c)[0] in "LNPS" for c in text):
        raise BadInput("There is nothing to classify.", "Type a review of at least one word.")
    return text
