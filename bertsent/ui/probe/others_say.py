"""Others say: one bar for each classifier's answer to the review, three patterns that counting
words misses, the ladder of methods, and five ways to look closer.
"""

from collections.abc import Mapping

import pandas as pd
import streamlit as st

from bertsent.figures.classification import answer_bars
from bertsent.probing.answer import plain_answer
from bertsent.probing.baselines.answers import Classifier, differing
from bertsent.probing.baselines.course_tables import fooled_elsewhere, pattern_label
from bertsent.probing.baselines.fooled import Reasons, fooled_sentence
from bertsent.probing.baselines.reasons import reasons_sentence
from bertsent.probing.baselines.trainer import FROZEN_BERT
from bertsent.ui.probe.others_say_comparison import compare, disagree
from bertsent.ui.probe.others_say_costs import costs, when_to_use
from bertsent.ui.probe.others_say_ladder import ladder
from bertsent.ui.probe.others_say_patterns import pattern_answers, patterns
from bertsent.ui.probe.others_say_training import (
    ClassifierGroup,
    answer_of,
    choose_trained_on,
    classifier_group,
    reasons_of,
    training_progress,
)
from bertsent.ui.probe.others_say_word_weights import word_weights
from bertsent.ui.shared import (
    UNSEEN_BAR,
    choose,
    download_menu,
    escape_markdown,
    plotly_chart,
    result,
    settings,
    show_help,
)


def others_say(name: str, text: str) -> None:
    """Draw what the baselines say of one review beside the model of that registry name.

    Raises:
        BertsentError: the model does not answer, its reviews cannot be read, or the baselines that
            ship are not here.
    """
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown("Learned from", width="content")
        group = classifier_group(name, choose_trained_on(name))
    with result("others"):
        _bars(group, text)
    training_progress(group)
    patterns(group.drawn(), group.trained_on)
    ladder(group)
    views = {
        "Word weights": lambda: word_weights(group, text),
        "Where do they disagree?": lambda: disagree(group),
        "Comparison": lambda: compare(group),
        "Milliseconds": lambda: costs(group, text),
        "When to use which": lambda: when_to_use(group, text),
    }
    with result("closer"):
        views[choose("Look closer", list(views), "duel_look")]()


def _frozen_head(group: ClassifierGroup) -> None:
    if options := [name.removeprefix(f"{FROZEN_BERT} + ") for name in group.frozen_heads]:
        with settings():
            choose(
                "On top of the frozen BERT",
                options,
                "duel_frozen",
                help="Three classifiers were trained on the same frozen vectors; one is drawn.",
            )


def _bars(group: ClassifierGroup, text: str) -> None:
    drawn, bert = group.drawn(), group.bert.name
    shown = {each.name: answer_of(each, text) for each in drawn}
    reasons = {each.name: reasons_of(each, text) for each in drawn}
    truth = pattern_label(text)
    if truth is None:
        truth = group.setup.truth(text)
    figure = answer_bars(
        shown,
        outlined=differing(shown, bert),
        notes={name: reasons_sentence(found) for name, found in reasons.items()},
    )
    finding = fooled_sentence(shown, reasons, bert, truth)
    elsewhere = fooled_elsewhere(pattern_answers(drawn), text, bert)
    plotly_chart(figure, key="duel_bars", config=UNSEEN_BAR, alt=finding)
    st.caption(escape_markdown(f"{finding} {elsewhere} {group.source}"))
    with st.container(horizontal=True, gap="small"):
        tables = {"Answers": _table(drawn, shown, reasons)}
        download_menu("duel_bars", figure, "bertsent-others-say", tables=tables)
        show_help("probe", "others_say")
        _frozen_head(group)


def _table(
    classifiers: list[Classifier], answers: Mapping[str, float], reasons: Reasons
) -> pd.DataFrame:
    rows = [
        (each.name, plain_answer(answers[each.name]), answers[each.name], words)
        for each in classifiers
        for words in [reasons_sentence(reasons[each.name], count=10)]
    ]
    return pd.DataFrame(rows, columns=["method", "says", "P(positive)", "reasons"])
