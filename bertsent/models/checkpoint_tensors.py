"""A checkpoint's folder in, its tensors out piece by piece, as ``BertForSentiment`` names them. No
model is built.

For work on many checkpoints at once, which together may be larger than the memory.
"""

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from bertsent.errors import BadCheckpoint, NotAvailable
from bertsent.models.backbone import weights_hash
from bertsent.models.checkpoint import CARD, EPSILON, read_card
from bertsent.models.folders import WEIGHTS, inspect_folder

if TYPE_CHECKING:
    import torch
    from safetensors import safe_open

_HEAD, _BIAS = "classifier.weight", "classifier.bias"


class CheckpointTensors:
    """The weights of one of our own whole checkpoints.

    Raises:
        NotAvailable: there is no such folder.
        BadCheckpoint: it is damaged, or not one that this program saved.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._family = inspect_folder(folder).family
        card = read_card(folder)
        if card is None:
            raise BadCheckpoint(
                f"{folder.name} has no {CARD}.", "Choose a checkpoint that this program made."
            )
        if card.sha256 != weights_hash(folder / WEIGHTS):
            raise BadCheckpoint(
                f"The weights of {folder.name} are not those it was saved with.",
                "Train the run again.",
            )
        self.card = card
        self.scale = EPSILON if card.stock and self._family == "bert" else 1.0

    @cached_property
    def _file(self) -> "safe_open":
        from safetensors import SafetensorError, safe_open

        try:
            return safe_open(self.folder / WEIGHTS, framework="pt")
        except (SafetensorError, OSError):
            raise NotAvailable(f"{self.folder.name} is gone.", "Look at the run again.") from None

    def read(self, name: str, rows: slice = slice(None)) -> "torch.Tensor":
        """Those rows of a parameter, float32.

        Raises:
            BadCheckpoint: there is no such tensor.
        """
        import torch
        from safetensors import SafetensorError

        if name == _BIAS:
            return torch.tensor(self.card.bias)[rows]
        stored = (
            f"{self._family}.{name.removeprefix('bert.')}" if name.startswith("bert.") else name
        )
        try:
            found = self._file.get_slice(stored)[rows].float()
        except SafetensorError:
            raise BadCheckpoint(
                f"{self.folder.name} has no weights called {name}.", "Train the run again."
            ) from None
        return found * self.scale if name == _HEAD else found
