"""The card of a folder with one encoder and the heads of several tasks: which tasks, and how the
encoder is read. Loads no torch.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bertsent.errors import BadCheckpoint
from bertsent.models.folders import AGAIN
from bertsent.tasks.task import Task, task_of_dict

CARD = "bertsent.json"
FORMAT = 1


@dataclass(frozen=True)
class HeadsCard:
    """What ``bertsent.json`` of such a folder says: ``heads`` has the task of each head by its
    name.
    """

    heads: Mapping[str, Task]
    pooling: str
    max_length: int
    backbone: str = "builtin"
    sha256: str = ""  # of the weights, so that a damaged file is not answered from

    def to_json(self) -> bytes:
        """The card as it is written."""
        heads = {name: task.to_dict() for name, task in self.heads.items()}
        values = {**asdict(self), "heads": heads, "format": FORMAT}
        return (json.dumps(values, indent=2, ensure_ascii=False) + "\n").encode()


def read_heads_card(folder: Path) -> HeadsCard:
    """The card of a folder.

    Raises:
        BadCheckpoint: it is missing, damaged or of a newer format.
    """
    try:
        values: dict[str, Any] = json.loads((folder / CARD).read_bytes())
        if values.pop("format") > FORMAT:
            raise ValueError("newer")
        heads = {str(name): task_of_dict(task) for name, task in values.pop("heads").items()}
        card = HeadsCard(heads, **values)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        raise BadCheckpoint(
            f"{CARD} of {folder.name} is damaged or newer than this program.", AGAIN
        ) from None
    return card
