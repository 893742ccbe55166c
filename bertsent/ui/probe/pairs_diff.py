"""Two texts word by word as HTML: what is in one of them only is marked by colour and by a sign."""

import html

from bertsent.data.cleaning import clean_text
from bertsent.figures.colours import HIGHLIGHT
from bertsent.probing.pairs.alignment import Word

STYLE = (
    "<style>.pair {overflow-wrap: anywhere; line-height: 1.9} .pair mark {background: "
    f"{HIGHLIGHT}; color: #000; "
    "border-radius: 3px; padding: 1px 4px; font-weight: 600}</style>"
)


def marked(text: str, words: tuple[Word, ...], alone: set[int], sign: str) -> str:
    """The text with the words at the positions ``alone`` marked and ``sign`` in front of each;
    everything is escaped.
    """
    parts, at = [], 0
    for place, word in enumerate(words):
        if place in alone:
            parts += [_safe(text[at : word.start]), f"<mark>{sign}{_safe(word.text)}</mark>"]
            at = word.end
    return f"<div class='pair'>{''.join([*parts, _safe(text[at:])])}</div>"


def _safe(text: str) -> str:
    """Escaped, without marks that turn text around; blanks at the ends stay."""
    shown = clean_text(
        text.replace("&", "&amp;").replace("<", "&lt;")
    )  # what looks like markup stays as it was typed
    return f"{' ' * text[:1].isspace()}{html.escape(shown)}{' ' * (text[-1:].isspace() and bool(text.strip()))}"
