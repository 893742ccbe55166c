"""What a draw of masked-language modelling did, and what many draws did, in numbers and words."""

from collections import Counter
from collections.abc import Mapping, Sequence

import pandas as pd

from bertsent.statistics import wilson_interval
from bertsent.text.masking import DRAWN, HIDDEN, REPLACED, CorruptedToken, Fate

OF_DRAWN: Mapping[Fate, float] = {  # what Devlin et al. (2019) ask for
    Fate.MASKED: HIDDEN,
    Fate.REPLACED: REPLACED,
    Fate.KEPT: 1 - HIDDEN - REPLACED,
}


def draw_sentence(tokens: Sequence[CorruptedToken]) -> str:
    """What one draw did with a text."""
    counts = Counter(token.fate for token in tokens)
    words = len(tokens) - counts[Fate.SPECIAL]
    drawn = sum(counts[fate] for fate in OF_DRAWN)
    if not drawn:
        return (
            f"None of the {words} word pieces was drawn, which happens in "
            f"{100 * (1 - DRAWN) ** words:.0f} of 100 draws of a text of this length."
        )
    return (
        f"{drawn} of {words} word pieces {'was' if drawn == 1 else 'were'} drawn "
        f"({100 * drawn / words:.0f} %; {100 * DRAWN:.0f} % are expected): "
        f"{counts[Fate.MASKED]} became [MASK], {counts[Fate.REPLACED]} another word, "
        f"{counts[Fate.KEPT]} stayed."
    )


def share_table(counts: Mapping[Fate, int]) -> pd.DataFrame:
    """One row for each fate of the drawn tokens: ``fate``, ``count``, its ``share``, ``low`` and
    ``high`` of the 95 % interval (Wilson), and the share that was ``asked`` for.
    """
    drawn = sum(counts[fate] for fate in OF_DRAWN)
    rows = [
        (
            str(fate),
            counts[fate],
            counts[fate] / drawn,
            *wilson_interval(counts[fate], drawn),
            asked,
        )
        for fate, asked in OF_DRAWN.items()
    ]
    return pd.DataFrame(rows, columns=["fate", "count", "share", "low", "high", "asked"])


def share_sentence(counts: Mapping[Fate, int], draws: int) -> str:
    """Whether many draws gave the shares that were asked for."""
    table = share_table(counts)
    drawn = int(table["count"].sum())
    words = drawn + counts[Fate.NOT_DRAWN]
    shares = " / ".join(f"{100 * share:.1f}" for share in table["share"])
    inside = (table["low"] <= table["asked"]) & (table["asked"] <= table["high"])
    verdict = (
        "as asked for: 80 / 10 / 10 lies within all three 95 % intervals."
        if inside.all()
        else "80 / 10 / 10 was asked for, and lies outside the 95 % interval of: "
        f"{', '.join(table.loc[~inside, 'fate'])}. Of 100 such counts about five do, each."
    )
    return (
        f"In {draws:,} draws {100 * drawn / words:.2f} % of the word pieces were drawn; of these "
        f"{shares} % were masked / replaced / kept, {verdict}"
    )
