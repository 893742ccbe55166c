"""The code that the page shows runs, and gives the numbers of the model itself."""

import ast
import json
from collections.abc import Callable

import numpy as np
import pytest
import torch
from scipy.special import log_softmax, softmax

import bertsent
from bertsent.probing.before_fine_tuning import beginning
from bertsent.probing.forward_pass.adamw_step import FirstStep, logits_after_steps
from bertsent.probing.forward_pass.backward_pass import BackwardPass
from bertsent.probing.forward_pass.backward_rules import softmax_jacobian
from bertsent.probing.forward_pass.forward_pass import forward_pass
from bertsent.probing.loaded_model import LoadedModel, load
from bertsent.probing.registry import BUILTIN, shipped
from bertsent.worked_examples.code_cells import BEFORE, MODEL, PARTS, Code, with_values

REVIEW = "Great, another boring movie"
CHOSEN = {"layer": 2, "head": 2, "source": 3, "target": 5, "label": 0, "temperature": 2.0}


def executed(source: str) -> dict[str, object]:
    """All names after the code has run."""
    names: dict[str, object] = {}
    exec(compile(source, "script", "exec"), names)
    return names


def numbers(tensor: torch.Tensor) -> np.ndarray:
    return tensor.detach().numpy()


def code_of(model: LoadedModel, review: str = REVIEW, **chosen: object) -> Code:
    values = {"review": review, "max_length": model.max_length, **CHOSEN, **chosen}
    return Code(MODEL, model.model.bert.config.model_type, values)


@pytest.fixture(
    params=[("cls", "bert"), ("mean", "bert"), ("max", "bert"), ("cls", "distilbert"), "pooler"],
    ids=str,
)
def model(
    request: pytest.FixtureRequest,
    tiny: Callable[..., LoadedModel],
    monkeypatch: pytest.MonkeyPatch,
) -> LoadedModel:
    found = tiny(*(request.param if isinstance(request.param, tuple) else ()))
    if request.param == "pooler":
        dense = torch.nn.Linear(found.width, found.width)
        found.model.pooler = torch.nn.Sequential(dense, torch.nn.Tanh())
    monkeypatch.setattr(bertsent, "load", lambda name: found)
    return found


def test_the_code_gives_the_numbers_of_the_model(model: LoadedModel) -> None:
    found = executed(code_of(model).script())
    tokens, answer = model.tokens(REVIEW), model.predict([REVIEW])[0]
    assert tuple(found["ids"].tolist()) == tokens.ids and tuple(found["pieces"]) == tokens.pieces
    own = model.model.bert(torch.tensor([tokens.ids]), output_hidden_states=True)
    for mine, theirs in zip(found["hidden"], own.hidden_states, strict=True):
        assert np.allclose(numbers(mine), numbers(theirs[0]), atol=1e-5)
    weights = model.attend(REVIEW).weights
    for mine, theirs in zip(found["all_attention_weights"], weights, strict=True):
        assert np.allclose(numbers(mine), theirs, atol=1e-5)
    assert np.allclose(numbers(found["logits"]), answer.logits, atol=1e-5)
    assert np.allclose(numbers(found["probabilities"])[1], answer.p_positive, atol=1e-6)
    assert np.allclose(numbers(found["tempered"]), softmax(np.array(answer.logits) / 2), atol=1e-6)
    losses = -log_softmax(answer.logits)
    assert np.allclose(numbers(found["losses"]), losses, atol=1e-5)
    assert np.isclose(found["loss"].item(), losses[0], atol=1e-5)
    assert np.isclose(found["same_loss"].item(), losses[0], atol=1e-5)
    assert np.isclose(found["mean_loss"].item(), losses.mean(), atol=1e-5)


def test_the_gradients_in_the_code_are_those_of_autograd(model: LoadedModel) -> None:
    found = executed(code_of(model).script())
    table = model.model.bert.embeddings.word_embeddings.weight
    ids = torch.tensor([model.tokens(REVIEW).ids])
    logits = model.model(ids, torch.ones_like(ids))
    loss = torch.nn.functional.cross_entropy(logits, torch.tensor([0]))
    at_logits, at_table = torch.autograd.grad(loss, [logits, table])
    assert np.allclose(numbers(found["at_logits"]), numbers(at_logits[0]), atol=1e-6)
    used = numbers(at_table[ids[0]] * table[ids[0]]).sum(-1)  # no token stands there twice
    assert np.allclose(numbers(found["gradient_times_input"]), used, atol=1e-5)
    assert found["at_attention_weights"].shape == weights_shape(model)
    before, after = found["losses"][0], -found["logits_after"].log_softmax(-1)[0]
    assert after < before  # a step towards the label


def test_the_names_are_those_of_the_passes_that_the_page_draws(model: LoadedModel) -> None:
    """The page shows the passes in NumPy: the same names hold the same numbers."""
    found = executed(code_of(model).script())
    passed = forward_pass(model, REVIEW)
    parts = {name: found[name] for name in passed.parts}
    for name, rows in passed.parts.items():
        assert np.allclose(numbers(parts[name]), rows, atol=1e-5), name
    for name in ("normalised", "pooled", "after_pooler", "logits", "probabilities"):
        assert np.allclose(numbers(found[name]), getattr(passed, name), atol=1e-5), name
    layer = passed.layers[CHOSEN["layer"] - 1]  # the last one, so nothing else has its names
    for name in (
        *("inputs", "queries", "keys", "values", "scores", "attention_weights", "gathered"),
        *("side_by_side", "attention", "attended", "inner", "activated", "fed_forward"),
    ):
        assert np.allclose(numbers(found[name]), getattr(layer, name), atol=1e-5), name
    backward = BackwardPass(passed, CHOSEN["label"])
    assert np.allclose(numbers(found["at_logits"]), backward.logits, atol=1e-5)
    assert np.allclose(numbers(found["at_classifier"]), backward.classifier.weight, atol=1e-5)
    theirs = backward.gradient_times_input
    assert np.allclose(numbers(found["gradient_times_input"]), theirs, atol=1e-5)
    inside = backward.layers[CHOSEN["layer"] - 1].attention_weights
    assert np.allclose(numbers(found["at_attention_weights"]), inside, atol=1e-5)
    jacobian = softmax_jacobian(passed.probabilities)
    assert np.allclose(numbers(found["jacobian"]), jacobian, atol=1e-5)


@pytest.mark.parametrize("trains", ["everything", "head"])
def test_the_step_in_the_code_is_the_one_of_the_page(model: LoadedModel, trains: str) -> None:
    found = executed(code_of(model, trains=trains, learning_rate=1e-3).script())
    backward = BackwardPass(forward_pass(model, REVIEW), CHOSEN["label"])
    own = logits_after_steps(backward, [FirstStep(1e-3)], trains)[0]
    # AdamW's first step is the sign of the gradient, even where that is nearly 0
    assert np.allclose(numbers(found["logits_after"]), own, atol=5e-3)


def weights_shape(model: LoadedModel) -> tuple[int, int, int]:
    tokens = len(model.tokens(REVIEW))
    return model.heads, tokens, tokens


def test_the_chosen_pair_is_the_one_of_the_page(model: LoadedModel) -> None:
    code, names = code_of(model), dict[str, object]()
    for part in (MODEL, "text", "input", "layers"):
        for cell in code.cells(part):
            exec(cell.code, names)
    weights = model.attend(REVIEW).weights
    assert np.isclose(names["weight_of_pair"].item(), weights[1, 1, 2, 4], atol=1e-6)
    assert np.isclose(names["products"].sum().item() / 4, names["score"].item(), atol=1e-6)


@pytest.mark.parametrize("review", ["🎬🍿", "a", 'it\'s "quoted" \\ and\nbroken', "fine " * 200])
def test_any_review_can_stand_in_the_code(
    tiny: Callable[..., LoadedModel], monkeypatch: pytest.MonkeyPatch, review: str
) -> None:
    model = tiny()
    monkeypatch.setattr(bertsent, "load", lambda name: model)
    found = executed(code_of(model, review, target=1, source=1).script())
    assert np.allclose(numbers(found["logits"]), model.predict([review])[0].logits, atol=1e-5)


@pytest.mark.skipif(not shipped(), reason="no model ships")
def test_the_model_that_ships_and_how_it_began() -> None:
    for kind, model in (
        (MODEL, load(BUILTIN)),
        (BEFORE, beginning(BUILTIN).load(max_length=512)),
    ):
        found = executed(Code(kind, "bert", {"review": REVIEW}).script())
        own = model.predict([REVIEW])[0].logits
        assert np.allclose(numbers(found["logits"]), own, atol=1e-4)
        assert found["pieces_of_word"] == ["un", "##bel", "##ie", "##va", "##bly"]


def test_a_notebook_holds_the_same_cells() -> None:
    code = Code(MODEL, "bert", {"review": REVIEW})
    notebook = json.loads(code.notebook())
    cells = ["".join(c["source"]) for c in notebook["cells"] if c["cell_type"] == "code"]
    assert len(cells) == sum(len(code.cells(part)) for part in (MODEL, *PARTS))
    alone = [ast.dump(ast.parse(source)) for source in ("\n".join(cells), code.script())]
    assert alone[0] == alone[1].replace(ast.dump(ast.parse(code.script()).body[0]) + ", ", "", 1)
    assert len({cell["id"] for cell in notebook["cells"]}) == len(notebook["cells"])


def test_no_cell_is_long_and_every_one_says_what_it_does() -> None:
    code = Code(MODEL, "bert", {})
    for part in (MODEL, *PARTS):
        for cell in code.cells(part):
            assert cell.title and len([line for line in cell.code.splitlines() if line]) <= 15


def test_values_replace_constants_alone() -> None:
    source = "a, b = 1, 2  # chosen\nc = a + b\nd = 'x'\n"
    found = with_values(source, {"b": 5, "c": 9, "d": "y'"})
    assert found == 'a, b = 1, 5  # chosen\nc = a + b\nd = "y\'"\n'
