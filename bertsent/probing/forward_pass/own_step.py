"""A model, its inputs, the true label and a step in, the logits after that step of PyTorch's own
AdamW out, on a copy.
"""

import copy
from typing import TYPE_CHECKING, Any

import numpy as np

from bertsent.probing.forward_pass.adamw_step import FirstStep, StepTrains
from bertsent.probing.forward_pass.encoder_weights import numbers
from bertsent.probing.forward_pass.model_inputs import ModelInputs
from bertsent.probing.heads.attention_modules import embedding_tables

if TYPE_CHECKING:
    import torch

    from bertsent.probing.loaded_model import LoadedModel

LARGEST = (
    50_000_000  # weights that a copy may have; with its gradients and moments it is four times
)


def own_logits_after_step(
    model: "LoadedModel", inputs: ModelInputs, label: int, step: FirstStep, trains: StepTrains
) -> np.ndarray | None:
    """(2,) float32; None where the copy would have more than 50 million weights.

    Of the table of word vectors only the rows in use are copied: no other can change the answer.
    """
    import torch

    shared = embedding_tables(model.model.bert)["token"].weight
    if trains == "everything" and _count(model.model) - shared.numel() > LARGEST:
        return None
    keep = [shared] if trains == "everything" else list(model.model.bert.parameters())
    own: Any = copy.deepcopy(model.model, {id(each): each for each in keep})
    rows, ids = torch.tensor([inputs.ids], device=model.device).unique(return_inverse=True)
    table = torch.nn.Embedding.from_pretrained(shared.detach()[rows].clone(), freeze=False)
    own.bert.set_input_embeddings(table)
    mask = torch.tensor([inputs.mask], device=model.device)
    with torch.enable_grad():
        optimizer = torch.optim.AdamW(_groups(own, step, trains), lr=step.learning_rate)
        loss = torch.nn.functional.cross_entropy(
            own(ids, mask), torch.tensor([label], device=model.device)
        )
        trained = [each for group in optimizer.param_groups for each in group["params"]]
        for parameter, gradient in zip(trained, torch.autograd.grad(loss, trained), strict=True):
            parameter.grad = gradient
        optimizer.step()
    with torch.inference_mode():
        return numbers(own(ids, mask)[0])


def _count(module: "torch.nn.Module") -> int:
    return sum(weights.numel() for weights in module.parameters())


def _groups(module: "torch.nn.Module", step: FirstStep, trains: StepTrains) -> list[dict[str, Any]]:
    """What trains, in a group that decays and one that does not, as in training."""
    members: tuple[list[Any], list[Any]] = [], []  # those that decay first
    for name, parameter in module.named_parameters():
        if trains == "everything" or not name.startswith("bert."):
            still = name.endswith("bias") or "LayerNorm" in name or "layer_norm" in name
            members[still].append(parameter)
    decays = (step.weight_decay, 0.0)
    return [
        {"params": own, "weight_decay": decay, "eps": step.epsilon}
        for own, decay in zip(members, decays, strict=True)
    ]
