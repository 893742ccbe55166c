import numpy as np
import pytest
import torch

from bertsent.errors import Cancelled, NotAvailable
from bertsent.probing.attribution import integrated_gradients as module
from bertsent.probing.attribution.integrated_gradients import (
    IntegratedGradients,
    integrated_gradients,
)
from bertsent.probing.attribution.units import segment_review

TEXTS = (
    "Great, another boring movie",
    "This is not a bad film",
    "Great",
    "Blew my mind how bad it was. What a waste.",
)


@pytest.fixture
def on_the_whole_line(monkeypatch):
    """Integrated gradients at that many points on the line, in one piece that is never halved."""

    def compute(model, ids, points: int) -> IntegratedGradients:
        with monkeypatch.context() as patch:
            for name, value in (("PIECES", 1), ("POINTS", points), ("TOLERANCE", 9)):
                patch.setattr(module, name, value)
            return integrated_gradients(model, ids)

    return compute


@pytest.mark.parametrize("text", TEXTS)
def test_the_sum_is_the_difference_on_the_shipped_model(builtin, text: str) -> None:
    reading = segment_review(builtin, text)
    found = integrated_gradients(builtin, reading.ids)
    assert found.error < 0.02 and found.complete
    assert found.tokens.sum() == pytest.approx(found.p_positive - found.p_baseline, abs=0.02)
    assert found.p_positive == pytest.approx(
        builtin.predict([text])[0].p_positive, abs=1e-5
    )  # the last layer is computed for [CLS] only there
    empty = [reading.ids[0], *[builtin.tokenizer.pad_id] * (len(reading.ids) - 2), reading.ids[-1]]
    logits = builtin.model(torch.tensor([empty]), torch.ones(1, len(empty), dtype=torch.long))
    assert found.p_baseline == pytest.approx(float(logits.softmax(-1)[0, 1].detach()), abs=1e-6)


@pytest.mark.parametrize("pooling", ["cls", "mean", "max"])
@pytest.mark.parametrize("text", TEXTS)
def test_the_sum_is_the_difference_in_every_pooling(tiny, pooling: str, text: str) -> None:
    model = tiny(pooling)
    found = integrated_gradients(model, segment_review(model, text).ids)
    assert found.error < 0.02
    assert found.tokens[0] == found.tokens[-1] == 0.0


@pytest.mark.parametrize("pooling", ["cls", "mean"])
def test_it_is_what_captum_says(tiny, on_the_whole_line, pooling: str) -> None:
    captum = pytest.importorskip("captum.attr")
    model = tiny(pooling)
    ids = list(segment_review(model, TEXTS[0]).ids)
    empty = [ids[0], *[model.tokenizer.pad_id] * (len(ids) - 2), ids[-1]]
    mask = torch.ones(1, len(ids), dtype=torch.long)

    def p_positive(rows: torch.Tensor) -> torch.Tensor:
        hidden = model.model.bert(
            input_ids=rows, attention_mask=mask.expand(len(rows), -1)
        ).last_hidden_state
        return model.model.classify(hidden, mask.expand(len(rows), -1)).softmax(-1)[:, 1]

    method = captum.LayerIntegratedGradients(p_positive, model.model.bert.get_input_embeddings())
    theirs = method.attribute(
        torch.tensor([ids]), torch.tensor([empty]), n_steps=24, method="gausslegendre"
    )
    ours = on_the_whole_line(model, ids, 24)
    assert np.allclose(ours.tokens, theirs.sum(-1)[0].detach().numpy(), atol=1e-6)


def test_more_points_bring_the_same(builtin, on_the_whole_line) -> None:
    """What is cut where it misses agrees with very many points on the whole line."""
    ids = segment_review(builtin, TEXTS[0]).ids
    found, fine = integrated_gradients(builtin, ids), on_the_whole_line(builtin, ids, 200)
    assert found.steps < 200 and np.abs(found.tokens - fine.tokens).max() < 0.01


def test_weights_and_their_gradients_stay_untouched(tiny) -> None:
    model = tiny()
    before = {name: value.clone() for name, value in model.model.state_dict().items()}
    integrated_gradients(model, segment_review(model, TEXTS[0]).ids)
    assert all(torch.equal(value, before[name]) for name, value in model.model.state_dict().items())
    assert all(parameter.grad is None for parameter in model.model.parameters())
    assert not model.model.training


def test_it_can_be_cancelled_and_needs_a_head(tiny) -> None:
    def stop(fraction: float) -> None:
        raise Cancelled("Cancelled.")

    with pytest.raises(Cancelled):
        integrated_gradients(tiny(), [101, 2307, 102], progress=stop)
    with pytest.raises(NotAvailable):
        integrated_gradients(tiny(fine_tuned=False), [101, 2307, 102])
