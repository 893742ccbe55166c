"""The tabs of Probe that ask other questions than two labels; none needs the model in the bar."""

from bertsent.ui.probe.aspects import show_aspects
from bertsent.ui.probe.feelings import show_feelings
from bertsent.ui.probe.five_steps import show_five_steps
from bertsent.ui.probe.prompt import show_prompt
from bertsent.ui.probe.two_texts import show_two_texts
from bertsent.ui.probe.your_labels import show_your_labels
from bertsent.ui.shared.tabs import Tab

MORE = (
    Tab(
        "Five steps",
        "How positive the review is, in five steps, one of which takes neither side.",
        show_five_steps,
        needs_model=False,
    ),
    Tab(
        "Aspects",
        "What a sentence says of each thing in it.",
        show_aspects,
        needs_review=False,
        needs_model=False,
    ),
    Tab(
        "Feelings",
        "Which feelings are in the review, several at once or none.",
        show_feelings,
        needs_model=False,
    ),
    Tab(
        "Two texts",
        "How alike two texts are, whether they say the same, and whether their order matters.",
        show_two_texts,
        needs_review=False,
        needs_model=False,
    ),
    Tab(
        "Your labels",
        "The answer of a model that learned labels, or a number, from your own file.",
        show_your_labels,
        needs_model=False,
    ),
    Tab(
        "Prompt",
        "What one would ask a large language model instead, and what that costs.",
        show_prompt,
        needs_model=False,
    ),
)
