"""What a run is asked to do: frozen, checked on creation, saved as ``config.json`` beside what it
made.
"""

import difflib
import json
from collections.abc import Mapping
from dataclasses import MISSING, asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, Self, TypeVar

from bertsent.data.examples import Origin
from bertsent.errors import BadCheckpoint, BadInput
from bertsent.models.pooling import POOLINGS, Pooling
from bertsent.settings import LIMITS
from bertsent.text.tokens import check_length

Trains = Literal["everything", "head", "last", "lora"]
TRAINS: dict[Trains, str] = {
    "everything": "Everything",
    "head": "Head only",
    "last": "Head and last layers",
    "lora": "Head and LoRA adapters",
}
ClassWeights = Literal["none", "balanced"]
CLASS_WEIGHTS: tuple[ClassWeights, ...] = ("none", "balanced")
T = TypeVar("T")
PRECISIONS = ("auto", "bf16", "fp32")


@dataclass(frozen=True)
class TrainingConfig:
    """How to learn. The defaults suit a small BERT and a few thousand reviews.

    Raises:
        BadInput: a value is impossible; the text says which are possible.
    """

    epochs: int = 3
    batch_size: int = 16
    accumulate: int = (
        1  # batches that make one update: their gradients add up, the memory is that of one
    )
    max_length: int = 256  # tokens
    encoder_lr: float = 5e-5
    layer_decay: float = (
        1.0  # each layer below the top learns by this factor slower than the one above it
    )
    head_lr: float = 1e-3
    warmup_share: float = 0.1  # of all steps, from 0 up to the peak; then linearly down to 0
    weight_decay: float = 0.01
    dropout: float = 0.1  # on the pooled vector
    hidden_dropout: float = 0.1  # inside the encoder
    attention_dropout: float = (
        0.0  # any makes attention leave its fused kernel: 1.7 times slower on a CPU
    )
    label_smoothing: float = 0.0  # share of the target that goes to the two labels alike
    class_weights: ClassWeights = "none"  # balanced: a rare class counts for more
    patience: int = 0  # epochs without a lower validation loss after which the run ends; 0 is never
    pooling: Pooling = "cls"
    trains: Trains = "everything"
    last_layers: int = 2  # when trains is "last"
    lora_rank: int = 8  # when trains is "lora"
    freeze_embeddings: bool = False  # the input vectors stay as pretrained
    keep_head: bool = False  # go on with the head of a fine-tuned model instead of a new random one
    seed: int = 42
    precision: str = "auto"  # auto: bf16 where it is faster, else fp32
    sentinel_every: int = 0  # steps; 0 chooses about sixty points a run
    save_seconds: float = 120.0  # how much work a crash may cost
    # about how many checkpoints stay along the way; those of the start and of each epoch's end do
    # anyway
    waypoints: int = 8

    def __post_init__(self) -> None:
        for each in fields(self):
            if each.type is int:
                _whole(each.name.replace("_", " "), getattr(self, each.name))
            if each.type is bool and not isinstance(getattr(self, each.name), bool):
                raise BadInput(
                    f"The setting {each.name} cannot be {getattr(self, each.name)}.",
                    "Choose true or false.",
                )
        check_length(self.max_length)
        _within("epochs", self.epochs, 1, 100)
        _within("batch size", self.batch_size, 1, 512)
        _within("batches an update", self.accumulate, 1, 64)
        _within("encoder learning rate", self.encoder_lr, 0, 10)
        _within("layer decay", self.layer_decay, 0.1, 1)
        _within("head learning rate", self.head_lr, 0, 10)
        _within("warm-up share", self.warmup_share, 0, 1)
        _within("weight decay", self.weight_decay, 0, 1)
        _within("dropout", self.dropout, 0, 0.9)
        _within("hidden dropout", self.hidden_dropout, 0, 0.9)
        _within("attention dropout", self.attention_dropout, 0, 0.9)
        _within("label smoothing", self.label_smoothing, 0, 0.9)
        _within("patience", self.patience, 0, 100)
        _within("last layers", self.last_layers, 1, 48)
        _within("LoRA rank", self.lora_rank, 1, 256)
        _within("seed", self.seed, 0, 2**32 - 1)
        _within("sentinel interval", self.sentinel_every, 0, 1_000_000)
        _within("seconds between saves", self.save_seconds, 0, 86_400)
        _within("waypoints", self.waypoints, 0, 40)
        _one_of("class weights", self.class_weights, CLASS_WEIGHTS)
        _one_of("pooling", self.pooling, POOLINGS)
        _one_of("choice of what trains", self.trains, tuple(TRAINS))
        _one_of("precision", self.precision, PRECISIONS)


@dataclass(frozen=True)
class DataConfig:
    """Which reviews a run learned from, by name, size and hash."""

    source: str
    contrastive_share: float
    train_rows: int
    validation_rows: int
    sha256: str
    origin: Origin = Origin()  # unknown in runs of older versions


@dataclass(frozen=True)
class RunConfig:
    """Everything that decides a run; equal configurations on equal machines give equal losses."""

    id: str
    created: float  # seconds since 1970
    data: DataConfig
    model: str
    model_sha256: str
    device: str
    training: TrainingConfig = field(default_factory=TrainingConfig)
    sentinels: tuple[str, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)

    def save(self, path: Path) -> None:
        path.write_text(
            json.dumps(asdict(self), indent=2, ensure_ascii=False) + "\n", encoding="utf-8"
        )

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read ``config.json``.

        Raises:
            BadCheckpoint: it is missing, damaged, or written by another version of this program.
        """
        try:
            values = json.loads(path.read_text(encoding="utf-8"))
            origin = from_dict(Origin, values["data"].get("origin", {}))
            values["data"] = from_dict(DataConfig, values["data"] | {"origin": origin})
            values["training"] = from_dict(TrainingConfig, values["training"])
            values["sentinels"] = tuple(values.get("sentinels", ()))
            return from_dict(cls, values)
        except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
            what = (
                f"The configuration of run {path.parent.name} cannot be read: "
                f"{str(error).rstrip('.')}."
            )
            raise BadCheckpoint(
                what,
                "A newer version of this program may have written it: update, or start the run "
                "again.",
            ) from None


def from_dict(kind: type[T], values: Mapping[str, Any]) -> T:
    """Build a configuration from a mapping and refuse names that it does not know.

    Raises:
        BadInput: an unknown name (the nearest known one is told) or a missing one.
    """
    known = {f.name: f for f in fields(kind)}
    for name in values:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"Did you mean “{near[0]}”?" if near else f"Known are {', '.join(known)}."
            raise BadInput(f"There is no setting “{name}”.", hint)
    missing = [
        n
        for n, f in known.items()
        if n not in values and f.default is MISSING and f.default_factory is MISSING
    ]
    if missing:
        raise BadInput(f"The setting “{missing[0]}” is missing.", "Add it.")
    return kind(**values)


def check_layers(config: TrainingConfig, layers: int) -> None:
    """Refuse to train more last layers than an encoder has.

    Raises:
        BadInput: there are fewer.
    """
    if config.trains == "last" and config.last_layers > layers:
        raise BadInput(
            f"The encoder has {layers} layers, not {config.last_layers}.",
            f"Train at most {layers}.",
        )


def check_sentinels(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Drop blanks and repeats from the sentences to watch.

    Raises:
        BadInput: more than twelve, or one of over 300 characters.
    """
    kept = tuple(dict.fromkeys(text.strip() for text in texts if text.strip()))
    if len(kept) > LIMITS.sentinels:
        raise BadInput(
            f"There are {len(kept)} sentinel sentences.", f"Watch at most {LIMITS.sentinels}."
        )
    if any(len(text) > 300 for text in kept):
        raise BadInput("A sentinel sentence has more than 300 characters.", "Shorten it.")
    return kept


def _within(name: str, value: float, low: float, high: float) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
        raise BadInput(f"The {name} cannot be {value}.", f"Choose from {low:g} to {high:g}.")


def _whole(name: str, value: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int):
        raise BadInput(f"The {name} cannot be {value}.", "Choose a whole number.")


def _one_of(name: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise BadInput(f"The {name} cannot be “{value}”.", f"Choose one of {', '.join(allowed)}.")
