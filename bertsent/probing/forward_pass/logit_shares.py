"""What the classifier reads and its weights in, what each number adds to the difference of the
logits out: z = W h + b, product by product.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from bertsent.probing.forward_pass.forward_pass import ForwardPass
from bertsent.probing.forward_pass.written import signed


@dataclass(frozen=True)
class LogitShares:
    """``vector`` h (W,) is what the classifier reads, ``weight`` (2, W) and ``bias`` (2,) its own,
    the row of NEGATIVE first.
    """

    vector: np.ndarray
    weight: np.ndarray
    bias: np.ndarray

    @property
    def logits(self) -> np.ndarray:
        """(2,): the products of each row added up, plus its bias."""
        return (self.weight * self.vector).sum(-1) + self.bias

    @property
    def row(self) -> np.ndarray:
        """(W,): the row of POSITIVE minus that of NEGATIVE."""
        return self.weight[1] - self.weight[0]

    @property
    def shares(self) -> np.ndarray:
        """(W,): what each number adds to the logit of POSITIVE minus that of NEGATIVE."""
        return self.row * self.vector

    @property
    def difference(self) -> float:
        """The logit of POSITIVE minus that of NEGATIVE; above 0 the answer is POSITIVE."""
        return float(self.shares.sum() + self.bias[1] - self.bias[0])

    def table(self) -> pd.DataFrame:
        """One row a number, the largest share of either sign first."""
        table = pd.DataFrame(
            {
                "number": np.arange(1, len(self.vector) + 1),
                "h": self.vector,
                "W NEGATIVE": self.weight[0],
                "W POSITIVE": self.weight[1],
                "W": self.row,
                "share": self.shares,
            }
        )
        return table.sort_values("share", key=np.abs, ascending=False, kind="stable")

    def sentence(self) -> str:
        """Which number counts most, how many make half of all, and what each side adds up to."""
        table, size = self.table(), len(self.vector)
        first, sizes = table.iloc[0], table["share"].abs().cumsum()
        half = int((sizes < sizes.iloc[-1] / 2).sum()) + 1
        negative, positive = self.shares < 0, self.shares > 0
        alone = "No number decides alone: number" if half > size / 20 else "Few decide: number"
        return (
            f"{negative.sum()} of {size} numbers speak for NEGATIVE, "
            f"{signed(self.shares[negative].sum())} together, {positive.sum()} for POSITIVE, "
            f"{signed(self.shares[positive].sum())}; with the bias the difference of the logits is "
            f"{signed(self.difference)}. {alone} {first['number']:.0f} counts most, "
            f"{signed(first['share'], '.3f')}, and it takes {half} to make half of all that is "
            "added."
        )


def pooler_sentence(passed: ForwardPass) -> str:
    """What the pooler does to the pooled vector."""
    before, after = passed.pooled, passed.after_pooler
    pooler = passed.weights.pooler
    name = "" if pooler is None else pooler.activation
    longest = int(np.abs(after).argmax())
    low, high = (f"{signed(each.min())} and {signed(each.max())}" for each in (before, after))
    return (
        f"The pooler is a layer of its own, {name}(W x + b): of {len(before)} numbers between "
        f"{low} it makes as many between {high}; number {longest + 1} is the largest of them."
    )


def logit_shares(passed: ForwardPass) -> LogitShares:
    """The shares in the answer of a forward pass."""
    classifier = passed.weights.classifier
    return LogitShares(
        passed.after_pooler,
        classifier.weight.astype(np.float64),
        classifier.bias.astype(np.float64),
    )
