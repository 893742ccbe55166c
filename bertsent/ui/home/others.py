"""What four simpler classifiers say of the review, beside the model. They ship trained, so they
answer at once whatever model is chosen.
"""

import html

import streamlit as st

from bertsent.probing.answer import answer_label
from bertsent.probing.baselines.shipped import ORDINARY, TRAINED_ON, OtherAnswer, others_say
from bertsent.probing.loaded_model import LoadedModel
from bertsent.ui.home.tiles import tile
from bertsent.ui.home.verdict import attributed
from bertsent.ui.shared import escape_markdown
from bertsent.ui.shared.frame import PROBE

ABOUT = (
    "The first two count words and ignore their order; the LSTM reads them one after the other; "
    "the frozen BERT was never fine-tuned, only a line was drawn through its vectors."
)


def show_others(model: LoadedModel, text: str) -> None:
    """Draw the tile."""
    with tile("others", PROBE.file, "What simpler classifiers say", ABOUT, probe="Others say"):
        others = {each.name: each.p_positive for each in _others(text)}
        own = f"BERT ({model.name})"
        if "sentiment" in model.gives:
            others[own] = attributed(model, text).p_positive
        st.html(bars_html(others, own))
        trained = f"The simpler ones learned from {TRAINED_ON[ORDINARY]}."
        st.caption(escape_markdown(f"{others_sentence(others, own)} {trained}"))


@st.cache_data(max_entries=1_000, show_spinner=False)
def _others(text: str) -> list[OtherAnswer]:
    return others_say(text)


def others_sentence(answers: dict[str, float], own: str) -> str:
    """Who contradicts the model that is called ``own``."""
    if own not in answers:
        return "The chosen model was not fine-tuned for two labels and says nothing."
    against = contradicting(answers, own)
    if not against:
        return f"All {len(answers) - 1} say the same as {own}."
    listed = " and ".join(filter(None, (", ".join(against[:-1]), against[-1])))
    say = "says" if len(against) == 1 else "say"
    return f"{listed} {say} the opposite of {own} (outlined)."


def contradicting(answers: dict[str, float], own: str) -> list[str]:
    """The names of those whose label is another than that of ``own``."""
    label = answers.get(own, 0.5) > 0.5
    return [name for name, p in answers.items() if own in answers and (p > 0.5) != label]


def bars_html(answers: dict[str, float], own: str) -> str:
    """One bar a classifier, from the middle to the left for negative, to the right for positive;
    those that contradict ``own`` are outlined.
    """
    against, rows = contradicting(answers, own), []
    for name, p in answers.items():
        differs = ' class="differs"' if name in against else ""
        side = "pos" if p > 0.5 else "neg"
        rows.append(
            f'<div role="listitem"{differs}><span>{html.escape(name)}</span>'
            f'<span class="track"><i class="{side}" style="width:{100 * abs(p - 0.5):.1f}%"></i>'
            f"</span><span>{html.escape(answer_label(p))}</span></div>"
        )
    return f'<div class="home-others" role="list">{"".join(rows)}</div>'
