"""One text or two in, what the model is given out: ids, segments and the attention mask, padded
where it stands beside something longer.

[CLS] A [SEP] B [SEP] with segment 0 up to the first [SEP] and 1 after it is section 3 of Devlin et
al. 2019.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from bertsent.probing.loaded_model import LoadedModel


@dataclass(frozen=True)
class ModelInputs:
    """Three rows of T whole numbers, called ``input_ids``, ``token_type_ids`` and
    ``attention_mask`` in transformers, and the ``pieces`` they stand for; ``mask`` is 0 at padding.
    """

    ids: tuple[int, ...]
    segments: tuple[int, ...]
    mask: tuple[int, ...]
    pieces: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def special(self) -> tuple[bool, ...]:
        """Which places hold a marker: [CLS], [SEP] or [PAD]."""
        return tuple(piece in ("[CLS]", "[SEP]", "[PAD]") for piece in self.pieces)

    @property
    def read(self) -> np.ndarray:
        """(T,) of bool: the tokens that are no padding."""
        return np.array(self.mask, bool)

    def padded(self, length: int, pad_id: int = 0) -> "ModelInputs":
        """The same at ``length`` places; as it is where it has as many already."""
        more = max(0, length - len(self))
        return ModelInputs(
            self.ids + (pad_id,) * more,
            self.segments + (0,) * more,
            self.mask + (0,) * more,
            self.pieces + ("[PAD]",) * more,
        )


def model_inputs(
    model: "LoadedModel", text: str, *, second: str = "", beside: str = ""
) -> ModelInputs:
    """What ``model`` reads of ``text``.

    Args:
        model: what reads it, with its tokenizer and its longest length.
        text: the review.
        second: a second text after it, as a segment of its own; both are cut, the longer one first,
            until the model can read them together.
        beside: another text of the same batch; where that is longer, this one is padded.
    """
    first = model.tokens(text)
    ids, pieces, segments = list(first.ids), list(first.pieces), [0] * len(first)
    if second:
        other = model.tokens(second)
        kept, added = _fitting(len(first) - 2, len(other) - 2, model.max_length - 3)
        ids = [*ids[: kept + 1], ids[-1], *other.ids[1 : added + 1], other.ids[-1]]
        pieces = [*pieces[: kept + 1], pieces[-1], *other.pieces[1 : added + 1], other.pieces[-1]]
        segments = [0] * (kept + 2) + [1] * (added + 1)
    inputs = ModelInputs(tuple(ids), tuple(segments), (1,) * len(ids), tuple(pieces))
    return inputs.padded(len(model.tokens(beside)), model.tokenizer.pad_id) if beside else inputs


def _fitting(first: int, second: int, room: int) -> tuple[int, int]:
    """How many tokens stay of each when the longer is cut until both fit into ``room``."""
    if first + second <= room:
        return first, second
    shorter = min(first, second, room // 2)
    return (shorter, room - shorter) if first <= second else (room - shorter, shorter)
