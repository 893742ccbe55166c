"""What four simpler classifiers say of the review, beside the model."""

import html
from typing import NamedTuple

import streamlit as st

from bertsent.probing.answer import answer_label
from bertsent.ui.home.tiles import tile
from bertsent.ui.probe.others_say_training import answer_of, classifier_group
from bertsent.ui.shared import escape_markdown
from bertsent.ui.shared.frame import PROBE

ABOUT = (
    "The first two count words and ignore their order; the LSTM reads them one after the other; "
    "the frozen BERT was never fine-tuned, only a line was drawn through its vectors."
)


class Answer(NamedTuple):
    """What one classifier says."""

    name: str
    p_positive: float


def show_others(name: str, text: str) -> None:
    """Draw the tile for the model of that registry name."""
    with tile("others", PROBE.file, "What simpler classifiers say", ABOUT, probe="Others say"):
        answers, waiting = _answers(name, text)
        st.html(bars_html(answers))
        st.caption(escape_markdown(others_sentence(answers)))
        if waiting:
            st.caption(f"Being trained: {', '.join(waiting)}.")


def _answers(name: str, text: str) -> tuple[list[Answer], tuple[str, ...]]:
    """The answers, the model's last, and which classifiers are not trained yet."""
    group = classifier_group(name)
    drawn = set(group.drawn())
    found = [Answer(c.name, answer_of(c, text)) for c in group.classifiers if c.name in drawn]
    return found, group.waiting


def others_sentence(answers: list[Answer]) -> str:
    """Who agrees with the model, which comes last, and who does not."""
    *others, model = answers
    if not others:
        return f"{model.name} answers alone."
    positive = model.p_positive > 0.5
    against = [other.name for other in others if (other.p_positive > 0.5) != positive]
    if not against:
        return f"All {len(others)} say the same as {model.name}."
    listed = " and ".join(filter(None, (", ".join(against[:-1]), against[-1])))
    say = "says" if len(against) == 1 else "say"
    return f"{listed} {say} the opposite of {model.name} (outlined)."


def bars_html(answers: list[Answer]) -> str:
    """One bar a classifier, from the middle to the left for negative, to the right for positive;
    those that contradict the last are outlined.
    """
    positive = answers[-1].p_positive > 0.5
    rows = []
    for name, p in answers:
        differs = ' class="differs"' if (p > 0.5) != positive else ""
        side = "pos" if p > 0.5 else "neg"
        rows.append(
            f'<div role="listitem"{differs}><span>{html.escape(name)}</span>'
            f'<span class="track"><i class="{side}" style="width:{100 * abs(p - 0.5):.1f}%"></i>'
            f"</span><span>{html.escape(answer_label(p))}</span></div>"
        )
    return f'<div class="home-others" role="list">{"".join(rows)}</div>'
