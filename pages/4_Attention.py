"""Attention: what every head of every layer looks at in one review, what silencing it changes, and
what training did to it.
"""

from bertsent.ui.attention.arcs import show_arcs
from bertsent.ui.attention.change_by_training import show_change_by_training
from bertsent.ui.attention.heads import show_heads
from bertsent.ui.attention.measures import show_measures
from bertsent.ui.attention.query_key import show_query_key
from bertsent.ui.attention.silence_heads import show_silence_heads
from bertsent.ui.attention.word_to_word import show_word_to_word
from bertsent.ui.shared import current_review
from bertsent.ui.shared.frame import ATTENTION, frame
from bertsent.ui.shared.model_picker import chosen_model
from bertsent.ui.shared.tabs import Tab, choose_tab

TABS = (
    Tab("Heads", "What does every head of every layer look at?", show_heads),
    Tab(
        "Word to word",
        "How much does one word look at another, and in which head most?",
        show_word_to_word,
    ),
    Tab("Arcs", "Which words does a head connect?", show_arcs),
    Tab("Query × key", "Where does one attention weight come from?", show_query_key),
    Tab(
        "Silence heads",
        "What would the model answer without one head, or without several?",
        show_silence_heads,
    ),
    Tab(
        "Change by training",
        "Which heads did fine-tuning change, and what do they look at now?",
        show_change_by_training,
    ),
    Tab(
        "Measures",
        "Which heads look far, which rest on [CLS] and [SEP], which look at everything?",
        show_measures,
    ),
)

with frame(ATTENTION) as row:
    view = choose_tab(TABS, "look", row)
    view.show(chosen_model(), current_review())
