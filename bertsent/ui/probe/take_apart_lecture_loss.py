"""The worked examples of Which label is true? → loss."""

from bertsent.figures.worked_examples import loss_curves
from bertsent.lessons.cross_entropy import CROSS_ENTROPY, MEAN_LOSS, ONE_LOSS
from bertsent.lessons.worked_example import Values
from bertsent.lessons.written_numbers import listed
from bertsent.probing.loaded_model import LoadedModel
from bertsent.ui.probe.take_apart_lecture import Card
from bertsent.ui.shared import UNSEEN_BAR, plotly_chart


def _curves(model: LoadedModel, found: Values) -> None:
    plotly_chart(
        loss_curves(found["p_positive"], found["losses"]),
        key="one_loss_curves",
        config=UNSEEN_BAR,
        alt=f"The loss of a positive review over its predicted probability: "
        f"{listed(found['losses'], 3)} for {listed(found['p_positive'], 3)}.",
    )


LOSS_CARDS = (Card(CROSS_ENTROPY), Card(ONE_LOSS, _curves), Card(MEAN_LOSS))
