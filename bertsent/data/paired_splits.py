"""Reviews in, the splits of two A/B runs out: the same but for the contrastive training rows.

The published pair (Chiu 2025, figures 3 and 4) was evaluated on 13 and on 15 reviews, and the
published recipe lets one of its eight handcrafted rows fall among the validation rows. Here the
split is drawn before the rows come in, so that nothing else differs.
"""

from dataclasses import dataclass, replace
from pathlib import Path

from bertsent.data.examples import Example, Origin, Reviews, Splits
from bertsent.data.sources import contrastive_reviews, load_reviews
from bertsent.data.splits import RECIPE_SEED, duplicate_key, split, with_rows
from bertsent.data.trainable import HALVES, check_trainable
from bertsent.errors import BadInput

TOY, TOY_BATCH, TOY_TIMES, TOY_EPOCHS, TOY_LENGTH = "toy", 7, 7, 6, 64
TOY_SIZES = {("train", 0): 28, ("train", 1): 28, ("validation", 0): 8, ("validation", 1): 7}
HANDCRAFTED, SARCASM = "handcrafted", "sarcasm"
ROWS = {
    HANDCRAFTED: "the eight handcrafted reviews",
    SARCASM: "all sarcasm reviews of the built-in training part",
}


@dataclass(frozen=True)
class PairedSplits:
    """What the two arms learn from and are evaluated on. They differ in ``rows`` only, each of
    which was added ``times`` times.
    """

    without: Splits
    having: Splits
    rows: tuple[Example, ...]
    times: int

    @property
    def share(self) -> float:
        """The share of the chosen rows among the training rows of the arm that has them."""
        return len(self.rows) * self.times / len(self.having.train)


def paired_splits(
    source: str | Path | Reviews, rows: str = HANDCRAFTED, times: int = 1
) -> PairedSplits:
    """Split ``source`` once, then put the chosen rows into the training half of one arm.

    Args:
        source: ``toy``, or whatever ``load_reviews`` takes.
        rows: a key of ``ROWS``.
        times: how often each chosen row is put in.

    Raises:
        BertsentError: the source cannot be used, or the choice is not possible.
    """
    reviews = toy() if source == TOY else load_reviews(source, contrastive=False)
    chosen = chosen_rows(rows)
    without = _without(split(reviews, seed=RECIPE_SEED), chosen)
    return PairedSplits(without, with_rows(without, chosen, times), chosen, times)


def chosen_rows(rows: str) -> tuple[Example, ...]:
    """The rows that one arm has and the other has not.

    Raises:
        BadInput: there is no such choice.
    """
    BadInput.raise_if(
        rows not in ROWS,
        f"There are no contrastive reviews “{rows[:40]}”.",
        f"Choose one of {', '.join(ROWS)}.",
    )
    sarcasm = (e for e in _builtin() if (e.phenomenon, e.split) == (SARCASM, "train"))
    return contrastive_reviews() if rows == HANDCRAFTED else tuple(sarcasm)


def toy() -> Reviews:
    """71 short plain reviews of the built-in set: 56 to learn from (8 steps of 7) and 15 to be
    evaluated on, as in figures 3 and 4.

    The shortest of each class, and none of them half of a minimal pair: that would be too hard a
    task for so few.
    """
    plain = sorted(
        (e for e in _builtin() if e.phenomenon == "plain" and not e.pair),
        key=lambda e: (len(e.text), e.id),
    )
    rows = (
        e
        for part, size in TOY_SIZES.items()
        for e in [e for e in plain if (e.split, e.label) == part][:size]
    )
    return Reviews(TOY, tuple(rows), Origin("builtin", TOY))


def held_out(learned: Splits) -> Reviews:
    """The test part of the built-in reviews without any text of the training and validation
    reviews: what the paired runs are compared on.
    """
    known = {duplicate_key(e.text) for half in (learned.train, learned.validation) for e in half}
    builtin = load_reviews("builtin")
    unseen = [e.split == "test" and duplicate_key(e.text) not in known for e in builtin]
    return Reviews("Built-in reviews, test", builtin.where(unseen).examples)


def _builtin() -> Reviews:
    return load_reviews("builtin", contrastive=False)


def _without(splits: Splits, rows: tuple[Example, ...]) -> Splits:
    """Both halves without the chosen rows, should the source hold them, and without handcrafted
    ones.
    """
    texts = {duplicate_key(row.text) for row in rows}
    halves = [
        half.where([not e.contrastive and duplicate_key(e.text) not in texts for e in half])
        for half in (splits.train, splits.validation)
    ]
    for part, half in zip(HALVES, halves, strict=True):
        name = f"the {part} part of {half.name} without the contrastive reviews"
        check_trainable(replace(half, name=name), part)
    return Splits(*halves)
