"""Settings of a run in, a checked and frozen configuration out, saved as ``config.json``."""

import difflib
import json
import math
from collections.abc import Mapping
from dataclasses import MISSING, asdict, dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, TypeVar

from bertsent.data.examples import Origin
from bertsent.errors import BadCheckpoint, BadInput
from bertsent.models.head_options import DIFFERENCES, HEAD_KINDS, Difference, HeadKind, HeadOptions
from bertsent.models.pooling import POOLINGS, Pooling
from bertsent.settings import LIMITS
from bertsent.tasks.catalogue import SENTIMENT
from bertsent.tasks.task import Task, task_of_dict
from bertsent.text.tokens import check_length

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Trains = Literal["everything", "head", "last", "lora"]
TRAINS: dict[Trains, str] = {
    "everything": "Everything",
    "head": "Head only",
    "last": "Head and last layers",
    "lora": "Head and LoRA adapters",
}
ClassWeights = Literal["none", "balanced"]
CLASS_WEIGHTS: tuple[ClassWeights, ...] = ("none", "balanced")
WORDS_HEAD_LR = 1e-4  # usual for a head that fills in words: mostly it has been trained already
MAX_GRADIENT_NORM = 1.0  # a longer gradient is shortened to this before an update
RANGES: dict[str, tuple[float, float]] = {
    "epochs": (1, 100),
    "batch_size": (1, 512),
    "epoch_rows": (0, 10_000_000),
    "accumulate": (1, 64),
    "encoder_lr": (0, 10),
    "layer_decay": (0.1, 1),
    "head_lr": (0, 10),
    "warmup_share": (0, 1),
    "weight_decay": (0, 1),
    "dropout": (0, 0.9),
    "hidden_dropout": (0, 0.9),
    "attention_dropout": (0, 0.9),
    "label_smoothing": (0, 0.9),
    "patience": (0, 100),
    "last_layers": (1, 48),
    "lora_rank": (1, 256),
    "seed": (0, 2**32 - 1),
    "sentinel_every": (0, 1_000_000),
    "save_seconds": (0, 86_400),
    "kept_checkpoints": (0, 40),
    "contrastive_share": (0, 1),
    "train_rows": (0, 10**9),
    "validation_rows": (0, 10**9),
    "created": (0, 253_402_300_799),  # the end of the year 9999
}
_CHOICES: dict[str, tuple[str, ...]] = {
    "class_weights": CLASS_WEIGHTS,
    "heads": HEAD_KINDS,
    "difference": DIFFERENCES,
    "pooling": POOLINGS,
    "trains": tuple(TRAINS),
    "precision": ("auto", "bf16", "fp32"),
}
_LABELS = {
    "accumulate": "batches an update",
    "epoch_rows": "number of rows an epoch",
    "encoder_lr": "encoder learning rate",
    "head_lr": "head learning rate",
    "warmup_share": "warm-up share",
    "lora_rank": "LoRA rank",
    "sentinel_every": "sentinel interval",
    "save_seconds": "seconds between saves",
    "kept_checkpoints": "number of kept checkpoints",
    "trains": "choice of what trains",
}
_KINDS: dict[object, tuple[type | tuple[type, ...], str]] = {
    bool: (bool, "true or false"),
    int: (int, "a whole number"),
    float: ((int, float), "a number"),
    str: (str, "a text"),
    Mapping[str, str]: (Mapping, "names with values"),
}
_FORMER_NAMES = {"waypoints": "kept_checkpoints"}  # in the files of older versions


@dataclass(frozen=True)
class TrainingConfig:
    """Hyperparameters and settings of a training. The defaults suit a small BERT and a few thousand
    reviews.

    Raises:
        BadInput: a value is impossible; the message says which are possible.
    """

    epochs: int = 3
    batch_size: int = 16
    accumulate: int = 1  # batches whose gradients add up to one update
    # rows that are drawn at random for an epoch, as many of each task where there are several; 0
    # takes all
    epoch_rows: int = 0
    max_length: int = 256  # tokens
    encoder_lr: float = 5e-5
    layer_decay: float = 1.0  # of the learning rate, from each layer to the one below it
    head_lr: float = 1e-3
    warmup_share: float = 0.1  # of all steps, from 0 up to the peak; then linearly down to 0
    weight_decay: float = 0.01
    dropout: float = 0.1  # on the pooled vector
    hidden_dropout: float = 0.1  # inside the encoder
    # any dropout here makes attention leave its fused kernel: 1.7 times slower on a CPU
    attention_dropout: float = 0.0
    label_smoothing: float = 0.0  # share of the target that goes to the two labels alike
    class_weights: ClassWeights = "none"  # balanced: a rare class counts for more
    patience: int = 0  # epochs without a lower validation loss after which the run ends; 0 is never
    pooling: Pooling = "cls"
    # of a model of several tasks, see ``HeadOptions``
    heads: HeadKind = "linear"
    difference: Difference = "absolute"
    jaccard: bool = False
    share_pairs: bool = False
    trains: Trains = "everything"
    last_layers: int = 2  # when trains is "last"
    lora_rank: int = 8  # when trains is "lora"
    freeze_embeddings: bool = False  # the input vectors stay as pretrained
    keep_head: bool = False  # start from the head of a fine-tuned model instead of a random one
    seed: int = 42
    precision: str = "auto"  # auto: what was measured to be faster on this machine
    sentinel_every: int = 0  # steps; 0 chooses about sixty points a run
    save_seconds: float = 120.0  # how much work a crash may cost
    # about how many checkpoints stay inside the epochs; those at the start and at the end of each
    # epoch stay anyway
    kept_checkpoints: int = 8

    def __post_init__(self) -> None:
        check_fields(self)
        check_length(self.max_length)

    @property
    def head_options(self) -> HeadOptions:
        """How the heads of a model of several tasks are built."""
        return HeadOptions(self.heads, self.difference, self.jaccard, self.share_pairs)


@dataclass(frozen=True)
class DataConfig:
    """Which reviews a run was trained on, by name, size and hash, and for which task (as
    ``Task.to_dict`` has it).
    """

    source: str
    contrastive_share: float
    train_rows: int
    validation_rows: int
    sha256: str
    origin: Origin = Origin()  # unknown in runs of older versions
    task: Mapping[str, Any] = field(default_factory=SENTIMENT.to_dict)

    def __post_init__(self) -> None:
        check_fields(self)


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

    def __post_init__(self) -> None:
        check_fields(self)
        check_sentinels(self.sentinels)

    @property
    def task(self) -> Task:
        """What it learns.

        Raises:
            BadInput: a newer version of this program described it.
        """
        return task_of_dict(self.data.task)

    @property
    def clean_texts(self) -> bool:
        """False for a run that version 0.1 began: it trained on reviews with their markup, and
        resumes on the same tokens, so that it ends as it would have. Answering always cleans.
        """
        return not self.versions.get("bertsent", "").startswith("0.1.")

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
            values["data"]["origin"] = from_dict(Origin, values["data"].get("origin", {}))
            values["data"] = from_dict(DataConfig, values["data"])
            values["training"] = from_dict(TrainingConfig, values["training"])
            values["sentinels"] = tuple(map(str, values.get("sentinels", ())))
            return from_dict(cls, values)
        except BadInput as error:
            reason = error.what.rstrip(".")
        except OSError as error:
            reason = error.strerror or "the file is missing"
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            reason = "config.json is damaged"
        raise BadCheckpoint(
            f"The configuration of run {path.parent.name} cannot be read: {reason}.",
            "A newer version of this program may have written it: update, or start the run again.",
        )


ConfigType = TypeVar("ConfigType", bound="DataclassInstance")


def from_dict(kind: type[ConfigType], values: Mapping[str, Any]) -> ConfigType:
    """Build a configuration from a mapping, in which former names are understood.

    Raises:
        BadInput: a name is unknown (the nearest known one is named) or missing, or a value is
            impossible.
    """
    values = {_FORMER_NAMES.get(name, name): value for name, value in values.items()}
    known = {f.name: f for f in fields(kind)}
    for name in values:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"Did you mean “{near[0]}”?" if near else f"Known are {', '.join(known)}."
            raise BadInput(f"There is no setting “{name[:60]}”.", hint)
    for name, each in known.items():
        if name not in values and each.default is each.default_factory is MISSING:
            raise BadInput(f"The setting “{name}” is missing.", "Add it.")
    return kind(**values)


def check_fields(config: "DataclassInstance") -> None:
    """Check every field against its type, ``RANGES`` and the possible choices; files may hold
    anything, Infinity and NaN included.

    Raises:
        BadInput: a value is impossible.
    """
    for each in fields(config):
        value: Any = getattr(config, each.name)
        label, shown = _LABELS.get(each.name, each.name.replace("_", " ")), f"{value!s:.40}"
        kind, words = _KINDS.get(each.type, (object, ""))
        low, high = RANGES.get(each.name, (-math.inf, math.inf))
        fits = isinstance(value, kind) and (type(value) is not bool or each.type is bool)
        if not fits:
            raise BadInput(f"The {label} cannot be {shown}.", f"Choose {words}.")
        if each.name in RANGES and not low <= value <= high:
            raise BadInput(f"The {label} cannot be {shown}.", f"Choose from {low:g} to {high:g}.")
        choices = _CHOICES.get(each.name, ())
        if choices and value not in choices:
            raise BadInput(
                f"The {label} cannot be “{shown}”.", f"Choose one of {', '.join(choices)}."
            )


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
    """The sentinel sentences without blanks and repeats.

    Raises:
        BadInput: more than twelve, or one of over 300 characters.
    """
    kept = tuple(dict.fromkeys(text.strip() for text in texts if text.strip()))
    if len(kept) > LIMITS.sentinels:
        raise BadInput(
            f"There are {len(kept)} sentinel sentences.", f"Choose at most {LIMITS.sentinels}."
        )
    if any(len(text) > 300 for text in kept):
        raise BadInput("A sentinel sentence has more than 300 characters.", "Shorten it.")
    return kept
