"""A ``BertForTask`` in, a Hugging Face folder plus ``bertsent.json`` out, and back, bit for
bit.

With [CLS] pooling the folder *is* a stock ``BertForSequenceClassification`` (see ``stock_head``).
Mean and max pooling have no stock class; such folders need this package, or the small module that
export adds. A thin folder (the trained layers in half precision, see ``folders``) is what ships:
small, and of no use without its backbone.
"""

import hashlib
import json
import math
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save

from bertsent.errors import BadCheckpoint, BadInput
from bertsent.files import atomic_path
from bertsent.models.backbone import load_backbone, load_encoder, load_tokenizer, weights_hash
from bertsent.models.folders import AGAIN, BASE, WEIGHTS, inspect_folder
from bertsent.models.head_options import HeadOptions
from bertsent.models.masked_words_model import (
    STOCK,
    BertForMaskedWords,
    model_tensors,
)
from bertsent.models.masked_words_model import stored_head as stored_masked_head
from bertsent.models.multitask_model import BertForTasks
from bertsent.models.pooling import POOLINGS, Pooling
from bertsent.models.stock_head import (
    HEAD,
    POOLER,
    head_tensors,
    is_stock,
    new_pooler,
    stored_head,
)
from bertsent.models.task_model import BertForTask
from bertsent.tasks.catalogue import SENTIMENT
from bertsent.tasks.masked_words import MaskedWords
from bertsent.tasks.mixed import MixedTask
from bertsent.tasks.task import OneLabel, Rating, SeveralLabels, Task, task_of_dict
from bertsent.text.tokens import ReviewTokenizer, check_length

if TYPE_CHECKING:
    from transformers import PretrainedConfig, PreTrainedModel

CARD = "bertsent.json"
FORMAT = 1
_HEADS = "heads."  # before the names of the tensors of several tasks' heads
_STOCK = {
    "bert": "BertForSequenceClassification",
    "distilbert": "DistilBertForSequenceClassification",
}


@dataclass(frozen=True)
class CheckpointCard:
    """What ``bertsent.json`` says of a checkpoint beside its weights."""

    pooling: Pooling = "cls"
    max_length: int = 256
    bias: tuple[float, ...] = (0.0, 0.0)
    stock: bool = True  # model.safetensors can be read by the library's own class
    pooler: bool = False  # it came with the library's tanh pooler and keeps it
    backbone: str = ""
    run: str = ""
    step: int = 0
    epoch: float = 0.0
    temperature: float = (
        1.0  # already divided out of the head; kept for the record (Guo et al. 2017)
    )
    sha256: str = ""  # of the weights, so that a damaged file is not answered from
    format: int = FORMAT
    task: Mapping[str, Any] = field(default_factory=SENTIMENT.to_dict)  # as ``Task.to_dict`` has it
    # of a model of several tasks, as ``HeadOptions.to_dict`` has them
    head_options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Checkpoint:
    """A loaded checkpoint."""

    model: BertForTask
    tokenizer: ReviewTokenizer
    card: CheckpointCard


def save_checkpoint(
    folder: Path,
    model: BertForTask,
    tokenizer: ReviewTokenizer,
    card: CheckpointCard,
    extra: Mapping[str, bytes] | None = None,
) -> None:
    """Write a checkpoint so that ``folder`` is either whole or not there: under another name first,
    synced, then renamed.

    Args:
        folder: where it belongs; an older checkpoint there is replaced.
        model: the classifier, without adapters.
        tokenizer: its tokenizer.
        card: what to note beside the weights; ``task``, ``pooling``, ``pooler``, ``bias``,
            ``stock`` and ``sha256`` are filled in here.
        extra: further files by name.

    Raises:
        OSError: the disk is full or not writable; nothing is left behind.
    """
    files = {"config.json": _config(model), **(extra or {})}
    several = isinstance(model, BertForTasks)
    card = replace(card, stock=is_stock(model) and not several)
    if isinstance(model, BertForMaskedWords):
        weights = model_tensors(model)
    else:
        weights = _weights_of_tasks(model) if several else _weights(model)
    _write_folder(folder, model, weights, card, files, tokenizer)


def _write_folder(
    folder: Path,
    model: BertForTask,
    tensors: Mapping[str, torch.Tensor],
    card: CheckpointCard,
    files: Mapping[str, bytes],
    tokenizer: ReviewTokenizer | None = None,
) -> None:
    whole = {name: tensor.cpu().contiguous() for name, tensor in tensors.items()}
    weights = save(whole, metadata={"format": "pt"})
    card = replace(
        card,
        task=model.task.to_dict(),
        pooling=model.pooling,
        pooler=model.pooler is not None,
        **_head_facts(model),
        sha256=hashlib.sha256(weights).hexdigest(),
    )
    with atomic_path(folder, replace_folder=True) as unfinished:
        unfinished.mkdir(parents=True)
        if tokenizer is not None:
            masks = isinstance(model, BertForMaskedWords)
            tokenizer.save(unfinished, card.max_length, masks=masks)
        for name, content in {WEIGHTS: weights, CARD: _json(asdict(card)), **files}.items():
            _write(unfinished / name, content)


def _head_facts(model: BertForTask) -> dict[str, Any]:
    """What a card says of the head: the bias of a linear one, the options of those of several
    tasks.
    """
    if isinstance(model, BertForTasks):
        return {"bias": (), "head_options": model.heads.options.to_dict()}
    if isinstance(model, BertForMaskedWords):
        return {"bias": ()}
    return {"bias": tuple(model.classifier.bias.detach().float().tolist())}


def _write(path: Path, content: bytes) -> None:
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def save_thin(
    folder: Path,
    model: BertForTask,
    card: CheckpointCard,
    extra: Mapping[str, bytes] | None = None,
) -> None:
    """Write only what training changed, in half precision: the layers of an encoder whose
    embeddings were frozen, and the head.

    Args:
        folder: where it belongs; an older checkpoint there is replaced.
        model: a [CLS] classifier over ``card.backbone``.
        card: what to note beside the weights.
        extra: further files by name.

    Raises:
        BadInput: the input embeddings are not those of the backbone.
        OSError: the disk is full or not writable; nothing is left behind.
    """
    backbone = load_backbone(card.backbone)
    state = model.bert.state_dict()
    own = {name: value for name, value in state.items() if name.startswith("encoder.")}
    frozen = backbone.model.state_dict()
    BadInput.raise_if(
        any(not torch.equal(state[name], frozen[name]) for name in state.keys() - own.keys()),
        "The input embeddings of this model have been trained.",
        "Train it with frozen embeddings, or save it whole.",
    )
    head = {"classifier.weight": model.classifier.weight, "classifier.bias": model.classifier.bias}
    tensors = {f"bert.{name}": value.half() for name, value in own.items()}
    tensors |= {name: value.detach().float() for name, value in head.items()}
    config = _config(model, {BASE: {"name": card.backbone, "sha256": backbone.sha256}})
    card = replace(card, stock=False)
    _write_folder(folder, model, tensors, card, {"config.json": config, **(extra or {})})


def load_checkpoint(folder: Path) -> Checkpoint:
    """Read a checkpoint of ours, or a stock BERT classifier.

    Raises:
        BadCheckpoint: the folder is damaged or holds no classifier.
    """
    shape, card = inspect_folder(folder), read_card(folder)
    BadCheckpoint.raise_if(
        card and card.max_length > shape.positions,
        f"{CARD} of {folder.name} does not fit its config.json.",
        AGAIN,
    )
    if card and card.sha256:
        check_hash(folder, card)
    tokenizer, bert = load_tokenizer(folder, shape), load_encoder(folder, shape)
    if card is None:
        model = _stock_model(folder, bert, shape.family)
        card = CheckpointCard(max_length=min(256, shape.positions))
    else:
        model = _own_model(folder, bert, shape.family, card)
    BadCheckpoint.raise_if(
        not all(bool(weights.isfinite().all()) for weights in model.parameters()),
        f"The weights of {folder.name} contain NaN or infinite numbers.",
        "Its training diverged or the file is damaged: choose another checkpoint.",
    )
    return Checkpoint(model.eval(), tokenizer, card)


def check_hash(folder: Path, card: CheckpointCard) -> None:
    """Refuse weights that changed since they were saved.

    Raises:
        BadCheckpoint: they did.
    """
    BadCheckpoint.raise_if(
        card.sha256 != weights_hash(folder / WEIGHTS),
        f"The weights of {folder.name} changed after they were saved.",
        AGAIN,
    )


def _own_model(
    folder: Path, bert: "PreTrainedModel", family: str, card: CheckpointCard
) -> BertForTask:
    task = task_of_dict(card.task)
    if isinstance(task, MixedTask):
        return _model_of_tasks(folder, bert, card, task)
    if isinstance(task, MaskedWords):
        return _model_of_masked_words(folder, bert, family)
    stored, width = stored_head(card, family), bert.config.hidden_size
    pooler = new_pooler(width) if card.pooler else None
    model = BertForTask(bert, card.pooling, pooler=pooler, task=task)
    square = torch.empty(width, width)
    targets = {stored.name: square if stored.is_pooler else model.classifier.weight}
    own = {POOLER[name]: value for name, value in model.named_parameters() if name in POOLER}
    found = _tensors(folder, targets | own)
    with torch.no_grad():
        model.classifier.weight.copy_(found[stored.name].float()[: stored.rows] * stored.scale)
        model.classifier.bias.copy_(torch.tensor(card.bias))
        for name, target in own.items():
            target.copy_(found[name])
    return model


def _model_of_masked_words(
    folder: Path, bert: "PreTrainedModel", family: str
) -> BertForMaskedWords:
    model, found = BertForMaskedWords(bert), stored_masked_head(folder, family)
    own = model.head.state_dict()
    fits = own.keys() == found.keys() and all(own[n].shape == found[n].shape for n in own)
    BadCheckpoint.raise_if(not fits, f"{folder.name} has no head that fills in words.", AGAIN)
    model.head.load_state_dict(found)
    return model


def _model_of_tasks(
    folder: Path, bert: "PreTrainedModel", card: CheckpointCard, task: MixedTask
) -> BertForTasks:
    options = HeadOptions.of(card.head_options)
    model = BertForTasks(bert, task, card.pooling, options=options)
    own = model.classifier.state_dict()
    found = _tensors(folder, {f"{_HEADS}{name}": tensor for name, tensor in own.items()})
    model.classifier.load_state_dict(
        {name.removeprefix(_HEADS): tensor for name, tensor in found.items()}
    )
    return model


def read_card(folder: Path) -> CheckpointCard | None:
    """``bertsent.json`` of a folder, None when it has none.

    Raises:
        BadCheckpoint: it is damaged or of a newer format.
    """
    path = folder / CARD
    if not path.is_file():
        return None
    try:
        values = json.loads(path.read_bytes())
        if "heads" in values:
            raise BadCheckpoint(
                f"{folder.name} holds the heads of several tasks.",
                "Load one by its name, such as builtin/five-steps.",
            )
        if not {"pooling", "bias", "max_length"} <= values.keys():
            raise KeyError("incomplete")
        known = {field.name for field in fields(CheckpointCard)}
        card = CheckpointCard(**{name: value for name, value in values.items() if name in known})
        bias = tuple(float(value) for value in card.bias)
        card = replace(card, bias=bias, max_length=check_length(int(card.max_length)))
        task = task_of_dict(card.task)
        if several := isinstance(task, MixedTask):
            HeadOptions.of(card.head_options)
        sound = (
            card.pooling in POOLINGS
            and card.pooler in (False, True)
            and len(card.bias) == (0 if several else task.outputs)
            and all(map(math.isfinite, card.bias))
            and card.format <= FORMAT
        )
    except (
        OSError,
        ValueError,
        TypeError,
        LookupError,
        ArithmeticError,
        AttributeError,
        RecursionError,
        BadInput,
    ):
        sound = False
    if not sound:
        raise BadCheckpoint(
            f"{CARD} of {folder.name} is damaged or newer than this program.", AGAIN
        )
    return card


def _weights(model: BertForTask) -> dict[str, torch.Tensor]:
    """The tensors as the library names them."""
    family, encoder = model.bert.config.model_type, model.bert.state_dict()
    tensors = {f"{family}.{name}": value.detach().float() for name, value in encoder.items()}
    return tensors | head_tensors(model)


def _weights_of_tasks(model: BertForTask) -> dict[str, torch.Tensor]:
    """The tensors of an encoder and of its heads as they are."""
    family = model.bert.config.model_type
    encoder, heads = model.bert.state_dict(), model.classifier.state_dict()
    return {
        **{f"{family}.{name}": value.detach().float() for name, value in encoder.items()},
        **{f"{_HEADS}{name}": value.detach() for name, value in heads.items()},
    }


def _config(model: BertForTask, more: Mapping[str, object] | None = None) -> bytes:
    config = {**model.bert.config.to_dict(), **(more or {})}
    for private in ("_name_or_path", "transformers_version", "_attn_implementation_internal"):
        config.pop(private, None)
    stock = _STOCK[config["model_type"]] if is_stock(model) else "BertForTask"
    if isinstance(model, BertForTasks):
        stock = "BertForTasks"
    if isinstance(model, BertForMaskedWords):
        return _json(config | {"architectures": [STOCK[config["model_type"]]]})
    config |= {
        "architectures": [stock],
        "id2label": {str(i): name for i, name in enumerate(model.task.output_names)},
        "label2id": {name: i for i, name in enumerate(model.task.output_names)},
        "problem_type": model.task.problem_type,
    }
    return _json(config)


def _stock_model(folder: Path, bert: "PreTrainedModel", family: str) -> BertForTask:
    BadCheckpoint.raise_if(
        family != "bert",
        f"{folder.name} has no {CARD}.",
        "Choose a model from bertsent, or a BERT classifier.",
    )
    task = _stock_task(bert.config)
    model = BertForTask(bert, "cls", pooler=new_pooler(bert.config.hidden_size), task=task)
    targets = {
        POOLER.get(name, name): value
        for name, value in model.named_parameters()
        if not name.startswith("bert.")
    }
    found = _tensors(folder, targets)
    if task == SENTIMENT and _label_names(bert.config)[0].lower().startswith("pos"):
        found |= {name: found[name].flip(0) for name in (HEAD, "classifier.bias")}
    with torch.no_grad():
        for name, target in targets.items():
            target.copy_(found[name])
    return model


def _stock_task(config: "PretrainedConfig") -> Task:
    """What a stock classifier answers: sentiment where it has two labels, else its own labels.

    Raises:
        BadCheckpoint: its labels cannot be used.
    """
    names = _label_names(config)
    kind = config.problem_type or ("regression" if len(names) == 1 else "")
    if len(names) == 2 and kind != SeveralLabels.problem_type:
        return SENTIMENT
    try:
        if kind == Rating.problem_type:
            return Rating("rating", "A number", low=0.0, high=5.0, measure=names[0])
        if kind == SeveralLabels.problem_type:
            return SeveralLabels("labels", "Several labels", labels=names)
        return OneLabel("labels", f"One of {len(names)} labels", labels=names)
    except BadInput as error:
        raise BadCheckpoint(f"The labels of this model cannot be used: {error.what}") from None


def _label_names(config: "PretrainedConfig") -> tuple[str, ...]:
    labels: Mapping[Any, Any] = config.id2label or {}  # by numbers, or by numbers in words
    return tuple(str(labels[place]) for place in sorted(labels, key=int))


def _tensors(folder: Path, targets: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """The stored tensors of these names, after a check that they have the shapes of ``targets``."""
    try:
        with safe_open(folder / WEIGHTS, framework="pt") as weights:
            found = {name: weights.get_tensor(name) for name in targets}
    except (SafetensorError, OSError):
        raise BadCheckpoint(
            f"{folder.name} has no classifier on top.",
            "Fine-tune it first, or use it as a backbone.",
        ) from None
    odd = [name for name, target in targets.items() if target.shape != found[name].shape]
    BadCheckpoint.raise_if(
        HEAD in odd,
        f"The head of {folder.name} does not fit the labels of its config.json.",
        AGAIN,
    )
    BadCheckpoint.raise_if(odd, f"The weights of {folder.name} do not fit its config.json.", AGAIN)
    return found


def _json(value: object) -> bytes:
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()
