"""A model in, a second one over the very same weights out: its switches can be set without anybody
else noticing.
"""

import copy
from typing import TypeVar

from torch import nn

Model = TypeVar("Model", bound=nn.Module)


def shared_weight_copy(model: Model) -> Model:
    """Modules of their own that share every parameter and buffer with ``model``; costs no memory to
    speak of.
    """
    return copy.deepcopy(
        model, {id(tensor): tensor for tensor in (*model.parameters(), *model.buffers())}
    )
