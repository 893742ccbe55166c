"""One review in, how much the answer varies out: Monte Carlo dropout (Gal and Ghahramani 2016,
section 3).

Dropout stays on while the model answers the same review again and again; the spread of the answers
is a measure of what the model does not know, and depends on the rate that is chosen.
"""

import threading
from dataclasses import dataclass

import numpy as np
import torch

from bertsent.data.cleaning import shorten
from bertsent.errors import BadInput
from bertsent.models.task_model import shared_weight_copy
from bertsent.probing.loaded_model import LoadedModel

SAMPLES, RATE, SEED = 50, 0.1, 42
_MASKS_A_PASS = 16  # always as many, because rounding depends on the size of a batch
_ONE_AT_A_TIME = threading.Lock()  # the random generator of torch is shared by all threads


@dataclass(frozen=True)
class DropoutSpread:
    """P(positive) of one review under many dropout masks."""

    p_positive: np.ndarray  # (samples,)
    rate: float
    without: float  # P(positive) with dropout off, as everywhere else

    @property
    def mean(self) -> float:
        return float(self.p_positive.mean())

    @property
    def sd(self) -> float:
        """Standard deviation over the masks; 0 at rate 0."""
        return float(np.ptp(self.p_positive) and self.p_positive.std(ddof=1))

    @property
    def other_side(self) -> float:
        """Share of the masks under which the answer is the other one."""
        return float(((self.p_positive > 0.5) != (self.without > 0.5)).mean())


def dropout_sentence(found: DropoutSpread, text: str) -> str:
    """How far the answer to a review varies under dropout."""
    return (
        f"“{shorten(text, 60)}”: P(positive) {100 * found.without:.1f} %, with dropout "
        f"{100 * found.mean:.1f} % ± {100 * found.sd:.1f} points; the other answer under "
        f"{100 * found.other_side:.0f} % of the masks."
    )


def dropout_spread(
    model: LoadedModel, text: str, *, rate: float = RATE, samples: int = SAMPLES, seed: int = SEED
) -> DropoutSpread:
    """Answer one review ``samples`` times with a share ``rate`` of the hidden values dropped at
    random, another share each time.

    Hidden states and the pooled vector are dropped, attention weights are not. The model itself
    is not touched: others who ask it meanwhile get their usual answers. The same seed gives the
    same spread.

    Raises:
        BadInput: a rate outside 0 to 0.9, or fewer than 2 samples.
        NotAvailable: the model has no trained head.
    """
    BadInput.raise_if(
        not 0 <= rate <= 0.9, f"A dropout rate of {rate} is not possible.", "Choose from 0 to 0.9."
    )
    BadInput.raise_if(samples < 2, f"{samples} sample has no spread.", "Choose 2 or more.")
    without = model.predict([text])[0].p_positive
    ids = torch.tensor([model.tokens(text).ids], device=model.device)
    dropping = _with_dropout(model, rate)
    logits = torch.cat(
        [_answers(dropping, ids, seed + start) for start in range(0, samples, _MASKS_A_PASS)]
    )[:samples]
    return DropoutSpread(torch.softmax(logits.double(), -1)[:, 1].cpu().numpy(), rate, without)


def _with_dropout(model: LoadedModel, rate: float) -> torch.nn.Module:
    """Modules of their own over the same weights, with dropout on; attention keeps its weights."""
    classifier = shared_weight_copy(model.model)
    for name, module in classifier.named_modules():
        if isinstance(module, torch.nn.Dropout) and not name.endswith("attention.self.dropout"):
            module.p = rate
            module.train()
    return classifier


@torch.inference_mode()
def _answers(model: torch.nn.Module, ids: torch.Tensor, seed: int) -> torch.Tensor:
    """Logits (16, 2) of one text, each under a mask of its own."""
    with (
        _ONE_AT_A_TIME,
        torch.random.fork_rng(devices=[ids.device] if ids.device.type == "cuda" else []),
    ):
        torch.manual_seed(seed)
        batch = ids.expand(_MASKS_A_PASS, -1)
        return model(batch, torch.ones_like(batch)).float()
