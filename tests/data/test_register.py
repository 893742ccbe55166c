"""Comments in real register: balanced, unrepeated, of all kinds; and nothing that judges is shown
anywhere.
"""

import re
from collections import Counter
from pathlib import Path

from bertsent.data.sources import BUILTIN, load_reviews
from bertsent.settings import PROJECT

FOLDER = BUILTIN.parent
SHOWN = ("docs", "assets", "bertsent/ui", "bertsent/lessons", "bertsent/worked_examples")
SHORT = 4  # words: fewer stand in other sentences by chance


def plain(text: str) -> str:
    return " ".join(re.findall(r"[a-z0-9']+", text.lower()))


def shown() -> str:
    """Whatever a visitor may read, with the parts of a broken string joined."""
    files: list[Path] = [PROJECT / "README.md"]
    for folder in SHOWN:
        files += [path for path in (PROJECT / folder).rglob("*") if path.suffix in (".py", ".md")]
    return plain(" ".join(re.sub(r'"\s*\n\s*f?"', "", f.read_text("utf-8")) for f in files))


def test_comments_of_every_kind_are_balanced_and_unrepeated() -> None:
    rows = load_reviews(FOLDER / "register.csv", contrastive=False)
    assert len(rows) >= 3_000 and len({plain(row.text) for row in rows}) >= len(rows) - 5
    kinds = Counter(row.phenomenon for row in rows)
    assert len(kinds) >= 12 and min(kinds.values()) >= 100
    for kind in kinds:
        positive = [row.label for row in rows if row.phenomenon == kind]
        assert 0.4 <= sum(positive) / len(positive) <= 0.6, kind
    splits = Counter(row.split for row in rows)
    assert set(splits) == {"train", "validation"} and 0.1 < splits["validation"] / len(rows) < 0.15
    learned = {plain(row.text) for row in rows if row.split == "train"}
    assert not learned & {plain(row.text) for row in rows if row.split != "train"}


def test_the_long_ones_are_long() -> None:
    rows = load_reviews(FOLDER / "register.csv", contrastive=False)
    lengths = [len(row.text.split()) for row in rows if row.phenomenon == "long"]
    assert sum(60 <= length <= 120 for length in lengths) >= 0.9 * len(lengths)


def test_no_row_that_judges_is_shown_to_a_visitor() -> None:
    everything = shown()
    for name in ("reviews", "one-liners", "register"):
        judging = [
            row
            for row in load_reviews(FOLDER / f"{name}.csv", contrastive=False)
            if row.split != "train" and len(row.text.split()) >= SHORT
        ]
        assert judging and not [row.id for row in judging if plain(row.text) in everything]
