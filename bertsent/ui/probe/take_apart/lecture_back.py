"""The worked examples of Back."""

from bertsent.ui.probe.take_apart.lecture import Card
from bertsent.worked_examples.adamw_step import ADAMW_STEP
from bertsent.worked_examples.gradients import LOSS_GRADIENT, WEIGHT_GRADIENT

BACK_CARDS = (Card(LOSS_GRADIENT), Card(WEIGHT_GRADIENT), Card(ADAMW_STEP))
