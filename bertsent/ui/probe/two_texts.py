"""Two texts: how alike they are and whether they say the same, in both orders, beside the cosine of
their vectors and the tokens they share.
"""

import html

import streamlit as st

from bertsent.figures.colours import HIGHLIGHT
from bertsent.figures.likeness import likeness_dots
from bertsent.probing.loaded_model import LoadedModel
from bertsent.probing.registry import BACKBONE
from bertsent.probing.tasks.two_texts import (
    TextPair,
    compare_texts,
)
from bertsent.ui.probe.pair_boxes import fill_boxes, pair_boxes, swap_button
from bertsent.ui.probe.task_models import (
    Chosen,
    choose_task_model,
    examples_menu,
    offer_training,
    show_head_scores,
    task_choices,
    task_row,
)
from bertsent.ui.shared import (
    BY_CONTENT,
    UNSEEN_BAR,
    downloads_and_help,
    escape_markdown,
    loaded_model,
    plotly_chart,
    result,
    settings,
)
from bertsent.ui.shared.task_tabs import PAIR_TEXTS, PARAPHRASE, SIMILARITY

TEXTS, EXAMPLES = PAIR_TEXTS, "two_examples"
PRESETS = {  # the first is what one sees before typing
    "Questions": ("How can I learn to cook?", "What is the best way to start cooking?"),
    "Other words": ("Four weeks ago or so, they fired him.", "He lost his job last month."),
    "Same words": (
        "The pupils denied that the teacher had cheated.",
        "The teacher denied that the pupils had cheated.",
    ),
    "Cat and kitten": ("A cat is drinking milk.", "A kitten is drinking milk."),
    "Nothing in common": ("The chimpanzee climbs a tree.", "They are repairing the car."),
}
STYLE = (
    "<style>.two-texts {overflow-wrap: anywhere; line-height: 1.9} .two-texts mark {background: "
    f"{HIGHLIGHT}; color: #000; border-radius: 3px; padding: 1px 3px}}</style>"
)


@st.cache_data(max_entries=256, show_spinner=False, hash_funcs=BY_CONTENT)
def _compared(
    first: str,
    second: str,
    similarity: LoadedModel | None,
    paraphrase: LoadedModel | None,
    backbone: LoadedModel,
) -> TextPair:
    return compare_texts(
        first, second, similarity=similarity, paraphrase=paraphrase, backbone=backbone
    )


def show_two_texts() -> None:
    """Draw what models and measures say of two texts.

    Raises:
        BertsentError: a model does not answer, or one of the texts cannot be asked.
    """
    with task_row():
        examples_menu(PRESETS, _take, EXAMPLES)
        swap_button(TEXTS, "two-swap")
        similarity, paraphrase = _models()
        show_head_scores(similarity, paraphrase)
    if similarity is None and paraphrase is None:
        offer_training("how alike two texts are")
        return
    with result("two_texts"):
        first, second = pair_boxes(TEXTS, next(iter(PRESETS.values())))
        pair = _compared(first, second, similarity, paraphrase, loaded_model(BACKBONE))
        st.subheader(escape_markdown(pair.title()), anchor=False)
        _show_pair(pair, _who_answers(similarity, paraphrase))
    _show_marked(pair)


def _who_answers(similarity: Chosen, paraphrase: Chosen) -> str:
    """Which models answer: where a run has learned one of the questions, the heads that ship may
    answer the other one.
    """
    asked = {"similarity": _short_name(similarity), "paraphrase": _short_name(paraphrase)}
    models = dict.fromkeys(filter(None, asked.values()))
    said = (
        f"{' and '.join(what for what, name in asked.items() if name == model)} by {model}"
        for model in models
    )
    words = "; ".join(said)
    return f"{words[:1].upper()}{words[1:]}."


def _short_name(model: Chosen) -> str:
    """The name of a model without what it is asked, which stands beside it; "" for none."""
    if model is None:
        return ""
    title = model.task.title
    return model.name.removesuffix(f" ({title})").removesuffix(f", {title}")


def _models() -> list[Chosen]:
    """Those of similarity and of paraphrase, chosen in the settings where there are several."""
    tabs = {"Model of similarity": SIMILARITY, "Model of paraphrase": PARAPHRASE}
    several = any(len(task_choices(tab)) > 1 for tab in tabs.values())
    place = settings() if several else None
    return [choose_task_model(label, tab, place) for label, tab in tabs.items()]


def _take(texts: tuple[str, str]) -> None:
    fill_boxes(TEXTS, texts)


def _show_pair(pair: TextPair, models: str) -> None:
    measures = pair.measures
    chart = likeness_dots(
        [each.name for each in measures],
        [each.shown for each in measures],
        [each.share for each in measures],
        [None if each.symmetric else each.swapped for each in measures],
    )
    said = " ".join(filter(None, (f"{pair.title()}.", pair.swap_sentence())))
    plotly_chart(chart, key="two-texts", config=UNSEEN_BAR, alt=said)
    words = (models, pair.swap_sentence(), pair.overlap_sentence())
    st.caption(escape_markdown(" ".join(filter(None, words))))
    downloads_and_help(
        "two-texts",
        chart,
        "two-texts",
        ("probe", "two_texts"),
        tables={"Measures": pair.table()},
    )


def _show_marked(pair: TextPair) -> None:
    st.html(STYLE)
    with result("two_texts_overlap"):
        for column, runs in zip(
            st.columns(2, gap="medium"), (pair.first, pair.second), strict=True
        ):
            parts = (
                f"<mark>{html.escape(text)}</mark>" if shared else html.escape(text)
                for text, shared in runs
            )
            column.html(f"<div class='two-texts'>{''.join(parts)}</div>")
        st.caption(_marked_sentence(len(pair.common)))


def _marked_sentence(count: int) -> str:
    """What is marked in both texts, and that nothing else counts for Jaccard."""
    if not count:
        return "No token is in both texts, so Jaccard sees nothing in common."
    if count == 1:
        return "Marked: the only token that both texts have, which is all that Jaccard sees."
    return f"Marked: the {count} different tokens of both texts, which are all that Jaccard sees."
