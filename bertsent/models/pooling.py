"""Token vectors in, one vector a text out: the three strategies of sentence embedding."""

from typing import TYPE_CHECKING, Literal

from bertsent.errors import BadInput

if TYPE_CHECKING:
    import torch

Pooling = Literal["cls", "mean", "max"]
POOLINGS: tuple[Pooling, ...] = ("cls", "mean", "max")


def pool(hidden: "torch.Tensor", mask: "torch.Tensor", how: Pooling) -> "torch.Tensor":
    """Pool hidden states (B, T, H) to (B, H).

    ``cls`` takes the first token, ``mean`` the average and ``max`` the element-wise maximum over
    the tokens that are not padding.

    Raises:
        BadInput: ``how`` is none of the three.
    """
    if how == "cls":
        return hidden[:, 0]
    real = mask.unsqueeze(-1).bool()  # (B, T, 1)
    if how == "mean":
        return (hidden * real).sum(1) / real.sum(1)
    if how == "max":
        return hidden.masked_fill(~real, float("-inf")).amax(1)
    raise BadInput(f"There is no pooling “{how}”.", f"Choose one of {', '.join(POOLINGS)}.")
