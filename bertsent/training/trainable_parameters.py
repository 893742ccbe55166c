"""Which parameters train, and how fast: freezing, LoRA, parameter groups, class weights.

Separate rates for encoder, its layers and head follow the discriminative fine-tuning of Howard &
Ruder (2018) and Sun et al. (2019); adapters those of Hu et al. (2021). The rates themselves are
computed in ``lr_schedule``.
"""

import copy
from collections.abc import Iterable
from typing import Any, cast

import torch
from torch import nn

from bertsent.models.task_model import BertForTask
from bertsent.tasks.task import OneLabel, Task
from bertsent.training.config import ClassWeights, TrainingConfig, check_layers
from bertsent.training.fast_dropout import FastDropout
from bertsent.training.lr_schedule import layer_depth, peak_rate

_LAYERS = {"bert": "encoder.layer", "distilbert": "transformer.layer"}
_NORMS = ("LayerNorm", "layer_norm", "classifier.norm")  # which weights do not decay
_ATTENTION = {"bert": ["query", "value"], "distilbert": ["q_lin", "v_lin"]}


def choose_trainable(model: BertForTask, config: TrainingConfig) -> None:
    """Freeze the other parameters, or add adapters to the encoder. The head always trains.

    Raises:
        BadInput: more last layers are asked for than the encoder has.
    """
    if config.freeze_embeddings:
        model.bert.embeddings.requires_grad_(False)
    if config.trains == "everything":
        return
    model.bert.requires_grad_(False)
    family = model.bert.config.model_type
    if config.trains == "last":
        layers = cast(nn.ModuleList, model.bert.get_submodule(_LAYERS[family]))
        check_layers(config, len(layers))
        for layer in layers[-config.last_layers :]:
            layer.requires_grad_(True)
    elif config.trains == "lora":
        from peft import LoraConfig, inject_adapter_in_model

        adapters = LoraConfig(
            r=config.lora_rank,
            lora_alpha=2 * config.lora_rank,
            lora_dropout=config.dropout,
            target_modules=_ATTENTION[family],
        )
        inject_adapter_in_model(adapters, model.bert)


def set_dropout(bert: nn.Module, hidden: float, attention: float) -> None:
    """Drop these shares inside an encoder while training, whatever its own configuration says."""
    for parent in list(bert.modules()):
        share = attention if type(parent).__name__.endswith("SelfAttention") else hidden
        for name, child in parent.named_children():
            if isinstance(child, nn.Dropout):
                setattr(parent, name, FastDropout(share))


def merged(model: BertForTask) -> BertForTask:
    """The model as others load it: adapters multiplied into a copy of the weights, or the model
    itself when it has none.
    """
    if not adapter_state(model):
        return model  # and peft need not be loaded
    from peft.tuners.lora import LoraLayer

    plain = copy.deepcopy(model)
    for name, module in list(plain.named_modules()):
        if isinstance(module, LoraLayer):
            module.merge()
            parent, _, child = name.rpartition(".")
            setattr(plain.get_submodule(parent), child, module.get_base_layer())
    return plain


def adapter_state(model: nn.Module) -> dict[str, torch.Tensor]:
    """The trainable tensors that a merged checkpoint no longer shows."""
    return {name: p.detach() for name, p in model.named_parameters() if "lora_" in name}


def build_optimizer(model: BertForTask, config: TrainingConfig) -> torch.optim.AdamW:
    """AdamW (Loshchilov & Hutter 2019) over groups: encoder and head, with and without weight
    decay, and one pair for each rate.
    """
    layers = model.bert.config.num_hidden_layers
    members: dict[tuple[str, float, bool], list[torch.nn.Parameter]] = {}
    for name, parameter in model.named_parameters():
        if parameter.requires_grad:
            decays = not (name.endswith("bias") or any(norm in name for norm in _NORMS))
            key = ("head", config.head_lr, decays)
            if name.startswith("bert."):
                key = ("encoder", peak_rate(config, layer_depth(name, layers)), decays)
            members.setdefault(key, []).append(parameter)
    return torch.optim.AdamW(
        [
            {
                "params": own,
                "part": part,
                "peak": rate,
                "lr": rate,
                "weight_decay": config.weight_decay * decays,
            }
            for (part, rate, decays), own in members.items()
        ],
        fused=True,
    )


def class_weights(targets: torch.Tensor, how: ClassWeights, task: Task) -> torch.Tensor | None:
    """The weight of each label in the loss, (outputs,); None where all weigh the same, and for
    tasks that do not give one label.

    ``balanced`` is n / (K · nᵢ) for the nᵢ of n rows with label i of K, as scikit-learn has it: all
    labels weigh the same in all. One that no row has weighs nothing.
    """
    if how == "none" or not isinstance(task, OneLabel):
        return None
    counts = torch.bincount(targets, minlength=task.outputs).float()
    weights = len(targets) / (task.outputs * counts)
    return torch.where(counts > 0, weights, 0.0)


def set_rates(groups: Iterable[dict[str, Any]], factor: float) -> dict[str, float]:
    """Put the scheduled rate into every group, and return the rate of each part: for the encoder,
    that of its top layer.
    """
    rates: dict[str, float] = {}
    for group in groups:
        group["lr"] = group["peak"] * factor
        rates[group["part"]] = max(group["lr"], rates.get(group["part"], 0.0))
    return rates
