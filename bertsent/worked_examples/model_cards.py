"""BERT-base and BERT-large as they are said to be and as they count (Devlin et al. 2019, section
3; BERT notes, section 5).
"""

from functools import lru_cache
from typing import TYPE_CHECKING

from bertsent.errors import BadInput
from bertsent.worked_examples.typed_values import whole
from bertsent.worked_examples.worked_example import Input, Slip, Values, WorkedExample

if TYPE_CHECKING:
    from bertsent.probing.loaded_model import LoadedModel

BASE, LARGE = (12, 768, 12), (24, 1024, 16)  # layers, width, heads
NOMINAL = ("110 million", "345 million")
VOCABULARY, POSITIONS, SEGMENTS = 30_522, 512, 2


def parameters_by_hand(layers: int, width: int) -> dict[str, int]:
    """The parameters of a BERT by part, added up from the shapes of its matrices; the feed-forward
    part is four times as wide. The number of heads does not matter: they share the width.
    """
    norm, inner = 2 * width, 4 * width
    attention = 4 * (width * width + width) + norm
    feed_forward = (width * inner + inner) + (inner * width + width) + norm
    return {
        "tables of tokens, positions, segments": (VOCABULARY + POSITIONS + SEGMENTS) * width + norm,
        "attention of all layers": layers * attention,
        "feed-forward of all layers": layers * feed_forward,
        "pooler": width * width + width,
    }


@lru_cache(maxsize=16)
def parameters_counted(layers: int, width: int, heads: int) -> int:
    """What the library's own model counts, built without its numbers (PyTorch's meta device)."""
    import torch
    from transformers import BertConfig, BertModel

    config = BertConfig(
        num_hidden_layers=layers,
        hidden_size=width,
        num_attention_heads=heads,
        intermediate_size=4 * width,
    )
    with torch.device("meta"):
        return sum(weights.numel() for weights in BertModel(config).parameters())


def model_cards(model: "LoadedModel", layers: int, width: int, heads: int) -> Values:
    """Columns of ``table``: BERT-base, BERT-large, the chosen numbers, the model in use.

    Raises:
        BadInput: the heads cannot share the width evenly.
    """
    BadInput.raise_if(
        width % heads,
        f"{heads} heads cannot share a width of {width} evenly.",
        f"Choose a width that {heads} divides, such as {heads * max(1, width // heads)}.",
    )
    chosen = (layers, width, heads)
    counts = {size: parameters_counted(*size) for size in (BASE, LARGE, chosen)}
    own = sum(weights.numel() for weights in model.model.bert.parameters())
    return {
        "base": counts[BASE] / 1e6,
        "large": counts[LARGE] / 1e6,
        "count": counts[chosen],
        "parts": parameters_by_hand(layers, width),
        "by_hand": sum(parameters_by_hand(layers, width).values()),
        "table": {
            "BERT-base": _card(BASE, NOMINAL[0], counts[BASE]),
            "BERT-large": _card(LARGE, NOMINAL[1], counts[LARGE]),
            "Your numbers": _card(chosen, "", counts[chosen]),
            model.name: _card((model.layers, model.width, model.heads), "", own),
        },
    }


def _card(size: tuple[int, int, int], nominal: str, counted: int) -> dict[str, str]:
    layers, width, heads = size
    return {
        "layers": f"{layers:,}",
        "numbers a token": f"{width:,}",
        "heads a layer": f"{heads:,}",
        "parameters, as the notes say": nominal,
        "parameters, counted": f"{counted:,}",
    }


def _finding(found: Values) -> str:
    parts, count = found["parts"], found["count"]
    most = max(parts, key=parts.__getitem__)
    return (
        f"Your numbers make {count:,} parameters; added up by hand from the shapes, "
        f"{found['by_hand']:,}. The largest part is the {most}, {100 * parts[most] / count:.0f} %. "
        "The heads change nothing in this: they share the width."
    )


MODEL_CARDS = WorkedExample(
    key="model_cards",
    rows=("002-17", "000-02"),
    title="BERT-base and BERT-large, said and counted",
    source="BERT notes, section 5; Chiu (2025), section 2",
    says=(
        "Base has 12 layers, 768 numbers a token, 12 heads and 110 million parameters; Large has "
        "24, 1024, 16 and 345 million. Each layer is attention and a feed-forward part with GELU, "
        "each followed by a sum and LayerNorm; there is no decoder."
    ),
    inputs=(
        Input("layers", "Layers", "12", whole(1, 48)),
        Input("width", "Numbers a token", "768", whole(2, 8192)),
        Input("heads", "Heads a layer", "12", whole(1, 128)),
    ),
    work=model_cards,
    finding=_finding,
    slips=(
        Slip(
            "E-16",
            "BERT-large counts 335 million parameters, not 345 million; the paper rounds to 340.",
        ),
    ),
    of_model=True,
)
