"""The backward pass by hand against PyTorch's autograd in double precision, weight for weight."""

import copy
from collections.abc import Iterator
from dataclasses import fields, is_dataclass

import numpy as np
import pytest
import torch
from transformers import BertConfig, BertModel, DistilBertConfig, DistilBertModel

from bertsent.models.backbone import builtin_folder, load_tokenizer
from bertsent.models.folders import inspect_folder
from bertsent.models.pooling import Pooling
from bertsent.models.task_model import BertForTask
from bertsent.probing.forward_pass import own_step
from bertsent.probing.forward_pass.activation_derivatives import DERIVATIVES
from bertsent.probing.forward_pass.activations import ACTIVATIONS
from bertsent.probing.forward_pass.adamw_step import FirstStep, StepTrains, logits_after_steps
from bertsent.probing.forward_pass.attention_gradient import (
    attention_gradient,
    heads_table,
    most_moved,
)
from bertsent.probing.forward_pass.backward_pass import BackwardPass
from bertsent.probing.forward_pass.backward_rules import softmax_jacobian
from bertsent.probing.forward_pass.cross_entropy import cross_entropy
from bertsent.probing.forward_pass.encoder_weights import EncoderWeights, encoder_weights
from bertsent.probing.forward_pass.forward_pass import forward_pass, forward_pass_of
from bertsent.probing.forward_pass.own_gradients import compare_gradient, own_gradients
from bertsent.probing.forward_pass.own_step import own_logits_after_step
from bertsent.probing.loaded_model import LoadedModel

TEXT = "not a good film, not a good plot"  # words that come twice
SIZES = {"vocab_size": 30_522, "max_position_embeddings": 64}
KINDS = ("cls", "mean", "max", "pooler", "distilbert", "gelu_new", "relu", "silu")


def random_model(kind: str) -> LoadedModel:
    """Two layers of two heads with random weights, larger than those that training begins with, so
    that no gradient is too small to be wrong.
    """
    torch.manual_seed(0)
    if kind == "distilbert":
        config = DistilBertConfig(dim=32, n_layers=2, n_heads=2, hidden_dim=64, **SIZES)
        bert = DistilBertModel(config)
    else:
        bert = BertModel(
            BertConfig(
                hidden_size=32,
                num_hidden_layers=2,
                num_attention_heads=2,
                intermediate_size=64,
                hidden_act=kind if kind in ACTIVATIONS else "gelu",
                **SIZES,
            ),
            add_pooling_layer=False,
        )
    pooling: Pooling = kind if kind in ("mean", "max") else "cls"  # type: ignore[assignment]
    pooler = torch.nn.Sequential(torch.nn.Linear(32, 32), torch.nn.Tanh())
    model = BertForTask(bert, pooling, pooler=pooler if kind == "pooler" else None)
    with torch.no_grad():
        for weights in model.parameters():
            weights.add_(0.15 * torch.randn(weights.shape))
    folder = builtin_folder()
    tokenizer = load_tokenizer(folder, inspect_folder(folder))
    return LoadedModel(kind, kind, model, tokenizer, max_length=64, fine_tuned=True)


@pytest.fixture(scope="module", params=KINDS)
def model(request: pytest.FixtureRequest) -> LoadedModel:
    return random_model(request.param)


def double(model: LoadedModel) -> BertForTask:
    return copy.deepcopy(model.model).double()


def loss_of(module: BertForTask, passed: BackwardPass) -> torch.Tensor:
    inputs = passed.forward.inputs
    logits = module(torch.tensor([inputs.ids]), torch.tensor([inputs.mask]))
    return torch.nn.functional.cross_entropy(logits, torch.tensor([passed.label]))


def in_our_shape(model: LoadedModel, module: torch.nn.Module) -> EncoderWeights:
    """The parameters of a changed copy, by their place."""
    other = copy.copy(model)
    other.model = module  # type: ignore[assignment]
    return encoder_weights(other)


def leaves(weights: object, name: str = "") -> Iterator[tuple[str, np.ndarray]]:
    if isinstance(weights, np.ndarray):
        yield name, weights
    elif is_dataclass(weights):
        for each in fields(weights):
            yield from leaves(getattr(weights, each.name), f"{name}.{each.name}")


def assert_same(ours: object, theirs: object, what: str, atol: float = 1e-9) -> None:
    pairs = list(zip(leaves(ours, what), leaves(theirs, what), strict=True))
    assert pairs
    for (name, own), (_, other) in pairs:
        np.testing.assert_allclose(own, other, rtol=1e-6, atol=atol, err_msg=name)


def backward(model: LoadedModel, label: int = 1, *, padded: bool = False) -> BackwardPass:
    passed = forward_pass(model, TEXT)
    if padded:
        passed = forward_pass_of(model, passed.inputs.padded(len(passed.inputs) + 5))
    return BackwardPass(passed, label)


@pytest.mark.parametrize("padded", [False, True])
def test_every_gradient_is_autograds(model: LoadedModel, padded: bool) -> None:
    ours, module = backward(model, padded=padded), double(model)
    loss_of(module, ours).backward()
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(parameter.grad)
    theirs = in_our_shape(model, module)
    assert_same(ours.classifier, theirs.classifier, "classifier")
    if theirs.pooler is not None:
        assert_same(ours.pooler, theirs.pooler.linear, "pooler")
    assert len(ours.layers) == len(theirs.layers) == 2
    for own, other in zip(ours.layers, theirs.layers, strict=True):
        assert_same(own.weights, other, "layer")
    assert_same(ours.norm, theirs.norm, "norm")
    for name, table in ours.tables.items():
        whole = np.zeros(theirs.tables[name].shape)
        whole[table.rows] = table.values
        np.testing.assert_allclose(whole, theirs.tables[name], rtol=1e-6, atol=1e-9)


def test_gradients_inside_a_layer_are_autograds(model: LoadedModel) -> None:
    """At attention weights, queries, word vectors and logits, with what the screen compares."""
    for label in (0, 1):
        ours = backward(model, label)
        for place, layer in enumerate(ours.layers):
            theirs = own_gradients(model, ours.forward.inputs, label, place)
            for name in ("attention_weights", "queries"):
                own = getattr(layer, name)
                np.testing.assert_allclose(own, getattr(theirs, name), atol=2e-6)
        np.testing.assert_allclose(ours.summed, theirs.words, atol=2e-6)
        np.testing.assert_allclose(ours.logits, theirs.logits, atol=1e-6)
        np.testing.assert_allclose(ours.classifier.weight, theirs.classifier_weight, atol=2e-6)
        assert abs(cross_entropy(ours.forward.logits, label) - theirs.loss) < 1e-5
        assert all(parameter.grad is None for parameter in model.model.parameters())


@pytest.mark.parametrize("trains", ["everything", "head"])
def test_one_step_is_the_librarys(model: LoadedModel, trains: StepTrains) -> None:
    """Every weight, and the answer, after one step of ``torch.optim.AdamW`` in double precision.
    The model itself stays as it is.
    """
    before = {name: value.clone() for name, value in model.model.state_dict().items()}
    ours, module, step = backward(model), double(model), FirstStep(1e-3, weight_decay=0.1)
    if trains == "head":
        module.bert.requires_grad_(False)
    groups: dict[bool, list[torch.nn.Parameter]] = {True: [], False: []}
    for name, parameter in module.named_parameters():
        if parameter.requires_grad:
            still = name.endswith("bias") or "LayerNorm" in name or "layer_norm" in name
            groups[not still].append(parameter)
    optimizer = torch.optim.AdamW(
        [{"params": own, "weight_decay": 0.1 * decays} for decays, own in groups.items()], lr=1e-3
    )
    loss_of(module, ours).backward()
    optimizer.step()
    inputs = ours.forward.inputs
    after = module(torch.tensor([inputs.ids]), torch.tensor([inputs.mask]))[0].detach().numpy()
    for rates in ([step], [FirstStep(1e-5), step]):
        found = logits_after_steps(ours, rates, trains)
        np.testing.assert_allclose(found[-1], after, rtol=1e-6, atol=1e-6)
    theirs, weights = in_our_shape(model, module), ours.forward.weights
    assert_same(step.linear(weights.classifier, ours.classifier), theirs.classifier, "head", 1e-7)
    if trains == "everything":
        for own, other in zip(ours.layers, theirs.layers, strict=True):
            assert_same(step.layer(own.layer.weights, own.weights), other, "layer", 1e-7)
        for name, table in ours.tables.items():
            new = step.after(weights.tables[name][table.rows], table.values, decays=True)
            np.testing.assert_allclose(new, theirs.tables[name][table.rows], atol=1e-7)
            decayed = np.delete(weights.tables[name] * (1 - 1e-4), table.rows, axis=0)
            rest = np.delete(theirs.tables[name], table.rows, axis=0)
            np.testing.assert_allclose(decayed, rest, atol=1e-7)
    assert all(torch.equal(before[name], now) for name, now in model.model.state_dict().items())


def test_the_gradient_is_the_slope_of_the_loss() -> None:
    """Against arithmetic alone: a weight is moved by a little and the loss worked out again."""
    ours = backward(random_model("cls"))
    weights = ours.forward.weights
    for place in ((0, 3), (1, 17)):
        losses = []
        for move in (1e-5, -1e-5):
            moved = weights.classifier.weight.astype(np.float64)
            moved[place] += move
            logits = ours.forward.after_pooler @ moved.T + weights.classifier.bias
            losses.append(cross_entropy(logits, 1))
        slope = (losses[0] - losses[1]) / 2e-5
        assert abs(slope - ours.classifier.weight[place]) < 1e-8


def test_the_formulas_of_the_lecture() -> None:
    """Row 001-34: ∂ŷᵢ/∂zⱼ = ŷᵢ(δᵢⱼ − ŷⱼ) and ∂αⱼ/∂q = αⱼ(kⱼ − Σ α_k k_k)/√d against autograd; the
    latter, summed over the tokens, is the gradient that the backward pass finds at the query.
    """
    z = torch.tensor([2.1, -0.5], dtype=torch.float64)
    theirs = torch.autograd.functional.jacobian(lambda x: x.softmax(-1), z)
    np.testing.assert_allclose(softmax_jacobian(z.softmax(-1).numpy()), theirs, atol=1e-15)
    layer = backward(random_model("cls")).layers[1]
    found = attention_gradient(layer, head=1, place=3)
    keys = torch.tensor(found.keys)
    for other in range(len(keys)):
        theirs = torch.autograd.functional.jacobian(
            lambda q, other=other: (keys @ q / len(q) ** 0.5).softmax(-1)[other],
            torch.tensor(found.query),
        )
        np.testing.assert_allclose(found.of_query(other), theirs, atol=1e-14)
    np.testing.assert_allclose(found.at_query, layer.queries[1, 3], atol=1e-14)
    np.testing.assert_allclose(found.at_scores, layer.scores[1, 3], atol=1e-14)


def test_the_head_that_counts_most_is_found(model: LoadedModel) -> None:
    ours = backward(model)
    sizes = np.stack([np.abs(layer.scores).max(axis=(1, 2)) for layer in ours.layers])
    np.testing.assert_allclose(ours.heads, sizes)
    assert sizes[most_moved(ours)] == sizes.max()
    table = heads_table(ours).set_index(["layer", "head"])
    assert table["share"].max() == 1.0 and table["∂L/∂score"][2, 1] == sizes[1, 0]


@pytest.mark.parametrize("name", sorted(ACTIVATIONS))
def test_every_activation_has_its_derivative(name: str) -> None:
    x = np.linspace(-4, 4, 81)
    x = x[np.abs(x) > 1e-6]  # ReLU has none at 0
    slope = (ACTIVATIONS[name](x + 1e-6) - ACTIVATIONS[name](x - 1e-6)) / 2e-6
    np.testing.assert_allclose(DERIVATIVES[name](x), slope, atol=1e-8)


@pytest.mark.parametrize("text", ["Great, another boring movie", "Absolutely incredible", "🎬🍿"])
def test_the_model_that_ships(builtin: LoadedModel, text: str) -> None:
    """To single precision, in which it answers: what the screen compares."""
    passed = forward_pass(builtin, text)
    for label in (0, 1):
        ours, error = BackwardPass(passed, label), passed.probabilities[1] - label
        theirs = own_gradients(builtin, passed.inputs, label, 3)
        compared = [
            compare_gradient("logits", ours.logits, theirs.logits, error),
            compare_gradient("W", ours.classifier.weight, theirs.classifier_weight, error),
            compare_gradient("b", ours.classifier.bias, theirs.classifier_bias, error),
            compare_gradient("words", ours.summed, theirs.words, error),
            compare_gradient(
                "attention", ours.layers[3].attention_weights, theirs.attention_weights, error
            ),
            compare_gradient("queries", ours.layers[3].queries, theirs.queries, error),
        ]
        assert not [each for each in compared if not each.same]


@pytest.mark.parametrize("trains", ["everything", "head"])
def test_a_step_of_the_model_that_ships(builtin: LoadedModel, trains: StepTrains) -> None:
    """The step that the screen compares with, and that it leaves nothing behind."""
    before = {name: value.clone() for name, value in builtin.model.state_dict().items()}
    passed, step = forward_pass(builtin, TEXT), FirstStep(1e-4)
    ours = logits_after_steps(BackwardPass(passed, 0), [step], trains)[0]
    theirs = own_logits_after_step(builtin, passed.inputs, 0, step, trains)
    assert theirs is not None and np.abs(ours - theirs).max() < 5e-3
    assert np.abs(ours - passed.logits).max() > (0.5 if trains == "everything" else 1e-3)
    assert all(torch.equal(before[name], now) for name, now in builtin.model.state_dict().items())
    assert all(parameter.grad is None for parameter in builtin.model.parameters())


def test_what_a_large_copy_would_take_is_not_taken(
    builtin: LoadedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(own_step, "LARGEST", 1_000_000)
    inputs = forward_pass(builtin, TEXT).inputs
    assert own_logits_after_step(builtin, inputs, 0, FirstStep(1e-4), "everything") is None
    assert own_logits_after_step(builtin, inputs, 0, FirstStep(1e-4), "head") is not None
