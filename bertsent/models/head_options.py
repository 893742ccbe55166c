"""How the heads of a model of several tasks are built. Loads no torch."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from bertsent.errors import BadInput

HeadKind = Literal["linear", "feed-forward"]
HEAD_KINDS: tuple[HeadKind, ...] = ("linear", "feed-forward")
Difference = Literal["absolute", "signed"]
DIFFERENCES: tuple[Difference, ...] = ("absolute", "signed")


@dataclass(frozen=True)
class HeadOptions:
    """The choices of Mejia et al. (2023), section 4.

    Raises:
        BadInput: a value is impossible.
    """

    # linear: the baseline; feed-forward: with a skip connection, dropout, batch-norm and ReLU
    heads: HeadKind = "linear"
    # what a head reads of the vectors u and v of two texts: |u − v|, or u − v as printed, which
    # makes the answer depend on which text comes first
    difference: Difference = "absolute"
    jaccard: bool = False  # the overlap of the tokens is appended to it
    share_pairs: bool = False  # paraphrase and similarity have one network

    def __post_init__(self) -> None:
        known = self.heads in HEAD_KINDS and self.difference in DIFFERENCES
        flags = isinstance(self.jaccard, bool) and isinstance(self.share_pairs, bool)
        BadInput.raise_if(
            not (known and flags), "These options of the heads are not known.", "Start a new run."
        )

    def to_dict(self) -> dict[str, Any]:
        """The options as they stand on a checkpoint's card."""
        return asdict(self)

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> "HeadOptions":
        """The options that ``to_dict`` wrote.

        Raises:
            BadInput: they are damaged, or of a newer version.
        """
        try:
            return cls(**values)
        except TypeError:
            raise BadInput("These options of the heads are not known.") from None
