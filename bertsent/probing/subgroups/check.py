"""A model's answers to swapped texts in, the gap of each group to the others out.

The gap of a group in one template is the mean P(positive) of its words there minus the reference:
the mean over all groups in the same template, or, for a variety of English, the same sentence in
standard English. The gap of a group is the mean over templates; its 95 % interval is the percentile
bootstrap over them, so it says how far the gap would hold for other sentences of this kind, not for
other words or names.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from bertsent.data.examples import LABELS
from bertsent.errors import BertsentError
from bertsent.probing.loaded_model import LoadedModel
from bertsent.probing.subgroups.swaps import STANDARD, Swap, builtin_swaps, texts_of
from bertsent.progress import Progress, no_progress
from bertsent.statistics import bootstrap_interval

DIGITS = 12  # of a gap: the mean of equal numbers differs from them in the sixteenth
COLUMNS = (
    *("attribute", "group", "n", "p_positive", "reference", "gap", "low", "high"),
    *("flipped", "right", "reference_right"),
)


@dataclass(frozen=True)
class SubgroupCheck:
    """What a model answers to swapped texts.

    Attributes:
        cases: a row per swap: its fields, ``p_positive``, the ``reference`` of its template, and
            whether its label ``flipped``: is not that of the reference.
        groups: a row per group, ``COLUMNS``: templates, mean P(positive), the reference, the gap
            with its interval, in how many templates a text of the group flipped, and the share of
            right labels among its texts and among those that it is compared with.
    """

    cases: pd.DataFrame
    groups: pd.DataFrame

    def rows(self) -> pd.DataFrame:
        """One row per swap, labels in words."""
        return self.cases.assign(label=self.cases["label"].map(dict(enumerate(LABELS))))

    def attributes(self) -> pd.DataFrame:
        """One row per attribute: groups, templates, the widest gap with its group and interval, in
        how many templates a label flipped, and the share of right labels of the group with the
        fewest and of that with the most.
        """
        flipped = self.cases[self.cases["flipped"]].groupby("attribute")["template"].nunique()
        found = []
        for name, groups in self.groups.groupby("attribute", sort=False):
            widest = groups.loc[groups["gap"].abs().idxmax()]
            right = np.append(groups["right"], groups["reference_right"].max())
            found.append(
                {
                    "attribute": name,
                    "groups": len(groups),
                    "n": self.cases[self.cases["attribute"] == name]["template"].nunique(),
                    **widest[["group", "gap", "low", "high"]],
                    "flipped": int(flipped.get(name, 0)),
                    "right_least": right.min(),
                    "right_most": right.max(),
                }
            )
        return pd.DataFrame(found)


def check_subgroups(model: LoadedModel, *, progress: Progress = no_progress) -> SubgroupCheck:
    """Ask a model of two labels the texts that ship.

    Raises:
        NotAvailable: the model has no trained head.
        OtherTask: it answers another question.
    """
    swaps = builtin_swaps()
    return subgroup_check(swaps, model.probabilities(texts_of(swaps), progress=progress)[:, 1])


def subgroup_check(swaps: tuple[Swap, ...], p_positive: np.ndarray) -> SubgroupCheck:
    """Compare the groups.

    Args:
        swaps: every group of an attribute in the same templates, or one side of a pair each.
        p_positive: P(positive) of ``texts_of(swaps)``.

    Raises:
        BertsentError: the answers are not probabilities, one for each text.
    """
    texts, answers = texts_of(swaps), np.asarray(p_positive, float)
    BertsentError.raise_if(
        answers.shape != (len(texts),) or not ((answers >= 0) & (answers <= 1)).all(),
        "The answers are not one probability per text.",
        "Choose another model.",
    )
    cases = pd.DataFrame(list(swaps))
    cases["p_positive"] = pd.Series(answers, index=texts).reindex(cases["text"]).to_numpy()
    cases["right"] = (cases["p_positive"] > 0.5) == (cases["label"] == 1)
    template = ["attribute", "template"]
    cells = cases.groupby([*template, "group"], sort=False, as_index=False).agg(
        p_positive=("p_positive", "mean"), right=("right", "mean")
    )
    standard = cells[cells["group"] == STANDARD]
    compared = cells[~cells["attribute"].isin(standard["attribute"])]
    references = (
        pd.concat([compared, standard]).groupby(template)[["p_positive", "right"]].mean()
    ).rename(columns={"p_positive": "reference", "right": "reference_right"})
    cases = cases.join(references["reference"], on=template)
    cases["flipped"] = (cases["p_positive"] > 0.5) != (cases["reference"] > 0.5)
    cells = cells[cells["group"] != STANDARD].join(references, on=template)
    return SubgroupCheck(cases, _groups(cells, cases))


def _groups(cells: pd.DataFrame, cases: pd.DataFrame) -> pd.DataFrame:
    """A row for each group: the means over its templates."""
    flipped = cases[cases["flipped"]].groupby(["attribute", "group"])["template"].nunique()
    found = []
    for key, rows in cells.groupby(["attribute", "group"], sort=False):
        gaps = (rows["p_positive"] - rows["reference"]).to_numpy().round(DIGITS)
        low, high = bootstrap_interval(gaps)
        p, reference = rows["p_positive"].mean(), rows["reference"].mean()
        shares = (rows["right"].mean(), rows["reference_right"].mean())
        facts = (len(rows), p, reference, gaps.mean(), low, high, flipped.get(key, 0), *shares)
        found.append((*key, *facts))
    return pd.DataFrame(found, columns=list(COLUMNS))
