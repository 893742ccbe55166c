"""Do they agree more than by chance: the class with each model (Cohen 1960), and the members of the
class with each other (Fleiss 1971).

Only what everybody may see counts, as in ``class_calibration``.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from bertsent.classroom.room_state import RoomState
from bertsent.classroom.tally import revealed, tally, turned_over
from bertsent.errors import BadInput
from bertsent.written_numbers import written

COLUMNS = ("model", "questions", "same", "kappa")


def cohen_kappa(first: Sequence[int], second: Sequence[int]) -> float | None:
    """Cohen's κ of two who answered the same questions: 1 is equal, 0 is chance. None for fewer
    than two questions, and where both always gave the same one answer: chance explains all of it.
    """
    if len(first) < 2 or len({*first, *second}) == 1:
        return None
    from sklearn.metrics import cohen_kappa_score

    return float(cohen_kappa_score(first, second))


def fleiss_kappa(counts: np.ndarray) -> float | None:
    """Fleiss' κ of many who answered the same questions. They need not be equally many at each:
    then it is the weighted mean over the options of the κ for unequal numbers of raters (Fleiss,
    Levin and Paik 2003, "Statistical Methods for Rates and Proportions", chapter 18), which for
    equal numbers is that of Fleiss 1971.

    Args:
        counts: (questions, options) votes. Questions with fewer than two do not count.

    Returns:
        None for fewer than two questions, and where all gave the same one answer.

    Raises:
        BadInput: the counts are no table of whole numbers.
    """
    counts = np.asarray(counts)
    BadInput.raise_if(
        counts.ndim != 2 or counts.dtype.kind not in "iu" or (counts < 0).any(),
        "These are no counts of votes.",
    )
    counts = counts[counts.sum(1) >= 2]
    raters = counts.sum(1)
    if len(counts) < 2:
        return None
    shares = counts.sum(0) / raters.sum()
    by_chance = float((shares * (1 - shares)).sum())
    if by_chance == 0:
        return None
    apart = (counts * (raters[:, None] - counts) / raters[:, None]).sum()
    return float(1 - apart / (len(counts) * (raters.mean() - 1) * by_chance))


def agreement_table(state: RoomState) -> pd.DataFrame:
    """One row a model: on how many sentences the class had a majority and the model was turned
    over, on how many of these both say the ``same``, and Cohen's ``kappa``, None where it is not
    defined.
    """
    pairs = dict[str, list[tuple[int, int]]]()
    for asked in revealed(state):
        majority = tally(asked).majority
        if asked.content.kind != "sentence" or majority is None:
            continue
        for answer in turned_over(asked):
            pairs.setdefault(answer.name, []).append((majority, answer.choice))
    rows = [
        (name, len(found), sum(a == b for a, b in found), cohen_kappa(*zip(*found, strict=True)))
        for name, found in pairs.items()
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def class_fleiss_kappa(state: RoomState) -> float | None:
    """Fleiss' κ of the members' votes on the sentences of an hour; None where it is not defined."""
    counts = [tally(each).counts for each in revealed(state) if each.content.kind == "sentence"]
    if not counts:
        return None
    most = max(map(len, counts))
    return fleiss_kappa(np.array([[*row, *[0] * (most - len(row))] for row in counts], int))


def agreement_sentence(state: RoomState) -> str:
    """How far the members of the class agree, and with which model the class agrees most."""
    kappa, table = class_fleiss_kappa(state), agreement_table(state)
    if kappa is None:
        found = (
            "Agreement within the class needs two sentences with two votes each, and more than "
            "one answer among them."
        )
    else:
        found = f"Among themselves the class agrees with Fleiss' κ = {_signed(kappa)}."
    known = table[table["kappa"].notna()]
    if not len(known):
        return found
    most = known.loc[known["kappa"].astype(float).idxmax()]
    alike = int((known["kappa"] == most["kappa"]).sum()) - 1
    tied = f"; {alike} more {'has' if alike == 1 else 'have'} the same κ" if alike else ""
    return (
        f"{found} Its majority agrees most with {most['model']}: the same on {most['same']} of "
        f"{most['questions']} sentences, Cohen's κ = {_signed(float(most['kappa']))}{tied}."
    )


def _signed(number: float) -> str:
    return written(number, ".2f")
