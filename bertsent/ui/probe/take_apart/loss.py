"""Which label is true? → loss: what this answer costs, on the curve of −ln p, and the mean over a
small batch.
"""

import streamlit as st

from bertsent.data.cleaning import shorten
from bertsent.errors import NotAvailable
from bertsent.figures.loss_curve import loss_curve
from bertsent.probing.forward_pass.comparison import Comparison, compare
from bertsent.probing.forward_pass.cross_entropy import (
    batch_sentence,
    cross_entropies,
    loss_sentence,
)
from bertsent.probing.loaded_model import LoadedModel, Prediction
from bertsent.ui.probe.take_apart.batch import batch_rows, edit_batch
from bertsent.ui.probe.take_apart.code import use_in_code
from bertsent.ui.probe.take_apart.figure import show_checked
from bertsent.ui.probe.take_apart.label import choose_label
from bertsent.ui.probe.take_apart.loss_curve import show_loss_curve
from bertsent.ui.shared import escape_markdown, result
from bertsent.ui.shared.review_numbers import computed_pass

CURVE = (
    "Cross-entropy: −ln of the probability that the true label got. At 1 it is 0; where the "
    "probability goes to 0 it grows without an end."
)


def loss_line(model: LoadedModel, text: str, answer: Prediction) -> str:
    """What the folded line says."""
    negative, positive = cross_entropies(answer.logits)
    return f"L = {negative:.3g} if NEGATIVE is true, {positive:.3g} if POSITIVE is"


def show_loss(model: LoadedModel, text: str, answer: Prediction) -> None:
    """The loss of the answer and of a batch."""
    label = choose_label("loss", text, answer)
    use_in_code(label=label)
    losses = cross_entropies(answer.logits)
    rows = batch_rows(model)
    with result("loss_curve"):
        st.markdown("**The loss of this answer**", help=CURVE)
        others = {row.text: (row.loss, row.label) for row in rows}
        show_checked(
            loss_curve(losses, label, others),
            "loss_figure",
            loss_sentence(losses, label),
            "take_apart_loss",
            _check(model, text, answer),
        )
    with result("loss_batch"):
        st.markdown("**The loss of a batch**")
        edit_batch(rows)
        every = [losses[label], *(row.loss for row in rows)]
        st.caption(escape_markdown(f"{_named(text)} {batch_sentence(every)}"))
    show_loss_curve(text, label)


def _named(text: str) -> str:
    return f"With “{shorten(text, 60)}” as the first:"


def _check(model: LoadedModel, text: str, answer: Prediction) -> Comparison | None:
    """The losses of both labels from ids and weights alone, beside what PyTorch makes of the
    model's own logits; None where the model cannot be worked out.
    """
    import torch

    try:
        recomputed = cross_entropies(computed_pass(model, text).logits)
    except NotAvailable:
        return None
    logits = torch.tensor([answer.logits, answer.logits])
    own = torch.nn.functional.cross_entropy(logits, torch.arange(2), reduction="none")
    return compare("Loss", recomputed, own.numpy())
