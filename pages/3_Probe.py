"""Ask it: one review, one model, the answer and everything there is to ask about it."""

from bertsent.ui.probe.answer import show_answer
from bertsent.ui.probe.batch import show_batch
from bertsent.ui.probe.irony_grid import show_irony_grid
from bertsent.ui.probe.layer_by_layer import show_layer_by_layer
from bertsent.ui.probe.milliseconds import milliseconds
from bertsent.ui.probe.others_say import others_say
from bertsent.ui.probe.pairs import show_pairs
from bertsent.ui.probe.scorecard import show_scorecard
from bertsent.ui.probe.what_would_flip_it import show_counterfactuals
from bertsent.ui.probe.why import show_why
from bertsent.ui.shared.frame import PROBE, frame
from bertsent.ui.shared.model_picker import chosen_model, loaded_model
from bertsent.ui.shared.review_bar import current_review
from bertsent.ui.shared.tabs import Tab, choose_tab

VIEWS = (
    Tab(
        "Answer",
        "What does it say, and how did the numbers become an answer?",
        lambda name, text: show_answer(loaded_model(name), text),
    ),
    Tab(
        "Why", "Which words does the answer hang on, and do three ways to find out agree?", show_why
    ),
    Tab(
        "Layer by layer",
        "After which layer does the answer become what it is?",
        show_layer_by_layer,
    ),
    Tab(
        "What would flip it",
        "Which is the smallest change that makes it answer otherwise?",
        show_counterfactuals,
    ),
    Tab(
        "Others say",
        "What do simpler classifiers answer, what does each cost, and where do they disagree?",
        others_say,
    ),
    Tab(
        "Milliseconds",
        "Where do the milliseconds go, and what does answering many together save?",
        milliseconds,
    ),
    Tab(
        "Pairs",
        "Two texts that differ in a word: what does it do to the answer, and to the other words?",
        show_pairs,
        needs_review=False,
    ),
    Tab(
        "Irony grid",
        "Which openers and which adjectives make the model hear irony?",
        show_irony_grid,
        needs_review=False,
    ),
    Tab(
        "Scorecard",
        "How often does it fail: to find the label, to stay calm, to move rightly?",
        show_scorecard,
        needs_review=False,
    ),
    Tab(
        "Batch",
        "What does it say of a whole file of reviews, and how often is it right?",
        show_batch,
        needs_review=False,
    ),
)

with frame(
    PROBE, "Type a review and see what a model makes of it, down to the last step of arithmetic."
):
    view = choose_tab(VIEWS, "probe")
    if view.needs_review:
        view.show(chosen_model(), current_review())
    else:
        view.show(chosen_model())
