"""A checkpoint's folder in, its tensors out piece by piece, as ``BertForTask`` names them. No
model is built.

For work on many checkpoints at once, which together may be larger than the memory.
"""

from functools import cached_property
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open

from bertsent.errors import BadCheckpoint, NotAvailable
from bertsent.models.checkpoint import CARD, check_hash, read_card
from bertsent.models.folders import WEIGHTS, inspect_folder
from bertsent.models.stock_head import HEAD, POOLER, stored_head

_BIAS = "classifier.bias"


class CheckpointTensors:
    """The weights of one of our own whole checkpoints.

    Raises:
        NotAvailable: there is no such folder.
        BadCheckpoint: it is damaged, or not a checkpoint of a run.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self._family = folder, inspect_folder(folder).family
        card = read_card(folder)
        if card is None:
            raise BadCheckpoint(f"{folder.name} has no {CARD}.", "Choose a checkpoint of a run.")
        check_hash(folder, card)
        self.card, self._head = card, stored_head(card, self._family)

    @cached_property
    def _file(self) -> safe_open:
        try:
            return safe_open(self.folder / WEIGHTS, framework="pt")
        except (SafetensorError, OSError):
            raise NotAvailable(f"{self.folder.name} was deleted.", "Reload the run.") from None

    def read(self, name: str, rows: slice = slice(None)) -> torch.Tensor:
        """These rows of a parameter, float32.

        Raises:
            BadCheckpoint: there is no such tensor.
        """
        if name == _BIAS:
            return torch.tensor(self.card.bias)[rows]
        if name == HEAD:
            return self._stored(self._head.name, slice(self._head.rows))[rows] * self._head.scale
        family = f"{self._family}." if name.startswith("bert.") else ""
        return self._stored(POOLER.get(name) or family + name.removeprefix("bert."), rows)

    def _stored(self, name: str, rows: slice) -> torch.Tensor:
        try:
            return self._file.get_slice(name)[rows].float()
        except SafetensorError:
            raise BadCheckpoint(
                f"{self.folder.name} has no weights called {name}.", "Train the run again."
            ) from None
