"""The worked examples of [CLS] → logits → probabilities."""

from bertsent.figures.before_after_bars import before_after_bars
from bertsent.lessons.softmax import SOFTMAX
from bertsent.lessons.worked_example import Values
from bertsent.probing.loaded_model import LoadedModel
from bertsent.ui.probe.take_apart_lecture import Card
from bertsent.ui.shared import UNSEEN_BAR, plotly_chart


def _bars(model: LoadedModel, found: Values) -> None:
    negative, positive = found["probabilities"]
    plotly_chart(
        before_after_bars(float(negative), float(positive)),
        key="softmax_bars",
        config=UNSEEN_BAR,
        alt=f"Before fine-tuning 0.5 and 0.5, after it {negative:.2f} for NEGATIVE, the true "
        f"label, and {positive:.2f} for POSITIVE.",
    )


LOGITS_CARDS = (Card(SOFTMAX, _bars),)
