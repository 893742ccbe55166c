"""The worked examples of Which label is true? → loss."""

import pandas as pd

from bertsent.figures.worked_examples import loss_curves
from bertsent.probing.loaded_model import LoadedModel
from bertsent.ui.probe.take_apart.lecture import Card
from bertsent.ui.shared import show_figure
from bertsent.worked_examples.cross_entropy import CROSS_ENTROPY, MEAN_LOSS, ONE_LOSS
from bertsent.worked_examples.worked_example import Values
from bertsent.worked_examples.written_numbers import listed


def _curves(model: LoadedModel, found: Values) -> None:
    p_positive, losses = found["p_positive"], found["losses"]
    show_figure(
        loss_curves(p_positive, losses),
        "one_loss_curves",
        "loss-of-a-positive-review",
        f"The loss of a positive review over its predicted probability: {listed(losses, 3)} for "
        f"{listed(p_positive, 3)}.",
        caption="",
        tables={"Numbers": pd.DataFrame({"p": p_positive, "loss": losses})},
    )


LOSS_CARDS = (Card(CROSS_ENTROPY), Card(ONE_LOSS, _curves), Card(MEAN_LOSS))
