"""The worked examples of Back."""

from bertsent.lessons.adamw_step import ADAMW_STEP
from bertsent.lessons.gradients import LOSS_GRADIENT, WEIGHT_GRADIENT
from bertsent.ui.probe.take_apart.lecture import Card

BACK_CARDS = (Card(LOSS_GRADIENT), Card(WEIGHT_GRADIENT), Card(ADAMW_STEP))
