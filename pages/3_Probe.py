"""Probe: one review, one model, its answer and everything you can ask about it."""

from bertsent.ui.probe.answer import show_answer
from bertsent.ui.probe.batch import show_batch
from bertsent.ui.probe.irony_grid import show_irony_grid
from bertsent.ui.probe.layer_by_layer import show_layer_by_layer
from bertsent.ui.probe.milliseconds import milliseconds
from bertsent.ui.probe.more_questions import MORE
from bertsent.ui.probe.no_answer import review_or_offer
from bertsent.ui.probe.others_say import others_say
from bertsent.ui.probe.pairs import show_pairs
from bertsent.ui.probe.scorecard import show_scorecard
from bertsent.ui.probe.task_models import offers_another_tab
from bertsent.ui.probe.what_would_flip_it import show_counterfactuals
from bertsent.ui.probe.why import show_why
from bertsent.ui.shared import loaded_model
from bertsent.ui.shared.frame import PROBE, frame
from bertsent.ui.shared.model_picker import chosen_model
from bertsent.ui.shared.tabs import Tab, choose_grouped_tab

THIS = (
    Tab(
        "Answer",
        "The model's label for the review, and the way there: letters, layers, loss and back.",
        lambda name, text: show_answer(loaded_model(name), text),
    ),
    Tab(
        "Others say",
        "What simpler classifiers answer to the same review, and which words fool them.",
        others_say,
    ),
    Tab(
        "Why",
        "How much each word adds to the answer, by three methods, and how far they agree.",
        show_why,
    ),
    Tab(
        "What would flip it",
        "The smallest change of words that flips the model's answer.",
        show_counterfactuals,
    ),
    Tab(
        "Layer by layer",
        "What the answer would be if it were read after each layer.",
        show_layer_by_layer,
    ),
    Tab(
        "Milliseconds",
        "How long each step of an answer takes, and how much time batching saves.",
        milliseconds,
    ),
)
TWO = (
    Tab(
        "Pairs",
        "Two texts that differ in a word: how the answer, attributions and attention change.",
        show_pairs,
        needs_review=False,
    ),
)
MANY = (
    Tab(
        "Irony grid",
        "Which combinations of opener and adjective the model reads as irony.",
        show_irony_grid,
        needs_review=False,
    ),
    Tab(
        "Scorecard",
        "How often the model fails tests of behaviour, by capability (CheckList).",
        show_scorecard,
        needs_review=False,
    ),
    Tab(
        "Batch",
        "The answers to a whole file of reviews, and how many are right.",
        show_batch,
        needs_review=False,
        any_task=True,
    ),
)
GROUPS = {"This review": THIS, "Two reviews": TWO, "Many": MANY, "More questions": MORE}

with frame(PROBE) as row:
    view = choose_grouped_tab(GROUPS, "probe", row)
    asked = [chosen_model()] if view.needs_model else []
    if asked and not view.any_task and offers_another_tab(*asked):
        pass
    elif not view.needs_review:
        view.show(*asked)
    elif text := review_or_offer():
        view.show(*asked, text)
