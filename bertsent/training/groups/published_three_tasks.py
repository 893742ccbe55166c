"""The printed results of three tasks at once (Mejia, Harvill and Xue 2023): all eighteen rows, the
test leaderboard, the example sentences, and remarks that the table itself contradicts.

Numbers are kept verbatim in ``published_three_tasks.json`` and ``published_factorial.csv``; remarks
are worked out from them.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from bertsent.training.groups.published import FACTORIAL, TASKS, published_factorial

_FACTS: dict[str, Any] = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
SOURCE: str = _FACTS["source"]
CHOSEN: str = _FACTS["chosen"]
LEADERBOARD: dict[str, float] = _FACTS["leaderboard"]
ROWS: dict[str, int] = _FACTS["rows"]


@dataclass(frozen=True)
class PrintedExample:
    """A sentence, or two, of the study with the truth and what its best model is said to have
    answered.
    """

    task: str
    text: str
    second: str
    truth: float
    printed: float


EXAMPLES = tuple(PrintedExample(**each) for each in _FACTS["examples"])


def all_rows() -> pd.DataFrame:
    """The eighteen printed rows in their order: ``model``, SST, PARA, STS and ``mean`` as
    printed.
    """
    table = published_factorial()
    names = [
        ", ".join(name if on else f"!{name}" for name, on in zip(FACTORIAL, row, strict=True))
        for row in table[list(FACTORIAL)].itertuples(index=False)
    ]
    sixteen = table[list(TASKS)].assign(mean=_FACTS["printed_means"])
    sixteen.insert(0, "model", names)
    return pd.concat([pd.DataFrame(_FACTS["milestones"]), sixteen], ignore_index=True)


def remarks() -> list[str]:
    """What the study says, and what its own table says, each with the numbers."""
    table = published_factorial()
    weighted, shared = table.groupby("WL")["mean"].mean(), table.groupby("SW")[list(TASKS)].mean()
    rows = all_rows()
    best = rows[rows["mean"] == rows["mean"].max()]
    simple = sum(LEADERBOARD[task] for task in TASKS) / len(TASKS)
    false = _FACTS["false_rates"]
    return [
        f"“Superior performance” of the weighted loss: the means of its eight models are "
        f"{weighted[True]:.3f} with it and {weighted[False]:.3f} without.",
        f"“Models using shared weights … performed several percentage points higher on average”: "
        f"they do, all through STS ({shared.loc[False, 'STS']:.3f} to "
        f"{shared.loc[True, 'STS']:.3f}). Paraphrase loses by sharing: "
        f"{shared.loc[False, 'PARA']:.3f} to {shared.loc[True, 'PARA']:.3f}.",
        f"The best model is a tie of {len(best)} at {best['mean'].iloc[0]:.3f}: "
        f"{' and '.join(best['model'])}. It was broken by training time, and all was chosen on the "
        "dev set, so that the best of sixteen flatters itself there.",
        "The mean adds two accuracies and a correlation, which have no common unit.",
        f"On the test leaderboard: SST {LEADERBOARD['SST']:.3f}, paraphrase "
        f"{LEADERBOARD['PARA']:.3f}, STS {LEADERBOARD['STS']:.3f}, overall "
        f"{LEADERBOARD['overall']:.3f} (the simple mean is {simple:.4f}).",
        "Jaccard similarity “improves performance”: no row is without it. The factor JS of a group "
        "of runs tests it.",
        "The paraphrase logit is linear in u − v, so swapping the two sentences changes the "
        "answer. |u − v| does not; training can use either.",
        f"False positives {false['positive']:.3f} against false negatives {false['negative']:.3f} "
        "are called interesting because most pairs are no paraphrases. Each rate has its own "
        "denominator, so which class is larger explains neither.",
    ]
