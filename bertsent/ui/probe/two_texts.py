"""Two texts: how alike they are and whether they say the same, in both orders, beside the cosine of
their vectors and the tokens they share.
"""

import html

import streamlit as st

from bertsent.data.cleaning import typed_review
from bertsent.figures.colours import HIGHLIGHT
from bertsent.figures.likeness import likeness_dots
from bertsent.probing.loaded_model import LoadedModel
from bertsent.probing.registry import BACKBONE
from bertsent.probing.tasks.two_texts import (
    TextPair,
    asks_how_alike,
    asks_whether_same,
    compare_texts,
)
from bertsent.settings import LIMITS
from bertsent.ui.probe.task_models import (
    choose_task_model,
    offer_training,
    show_head_scores,
    task_choices,
)
from bertsent.ui.shared import (
    BY_CONTENT,
    LINKED,
    UNSEEN_BAR,
    downloads_and_help,
    escape_markdown,
    loaded_model,
    plotly_chart,
    result,
    settings,
)

TEXTS, EXAMPLES = ("two_first", "two_second"), "two_examples"
SIMILARITY_MODEL, PARAPHRASE_MODEL = "similarity_model", "paraphrase_model"
PRESETS = {
    "Other words": ("Four weeks ago or so, they fired him.", "He lost his job last month."),
    "Same words": (
        "The pupils denied that the teacher had cheated.",
        "The teacher denied that the pupils had cheated.",
    ),
    "Cat and kitten": ("A cat is drinking milk.", "A kitten is drinking milk."),
    "Questions": ("How can I learn to cook?", "What is the best way to start cooking?"),
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
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.menu_button(
            "Examples", list(PRESETS), key=EXAMPLES, on_click=_choose_example, type="tertiary"
        )
        st.button("Swap", key="two-swap", type="tertiary", on_click=_swap)
        similarity, paraphrase = _models()
        show_head_scores(similarity, paraphrase)
    if similarity is None and paraphrase is None:
        offer_training("how alike two texts are")
        return
    with result("two_texts"):
        typed = _boxes()
        first, second = (typed_review(text, LIMITS.review_chars) for text in typed)
        pair = _compared(first, second, similarity, paraphrase, loaded_model(BACKBONE))
        st.subheader(escape_markdown(pair.title()), anchor=False)
        _show_pair(pair)
    _show_marked(pair)


def _models() -> list[LoadedModel | None]:
    """Those of similarity and of paraphrase, chosen in the settings where there are several."""
    asked = {
        SIMILARITY_MODEL: ("Model of similarity", asks_how_alike),
        PARAPHRASE_MODEL: ("Model of paraphrase", asks_whether_same),
    }
    several = any(len(task_choices(kind, key)) > 1 for key, (_, kind) in asked.items())
    place = settings() if several else None
    return [choose_task_model(label, kind, key, place) for key, (label, kind) in asked.items()]


def _boxes() -> tuple[str, str]:
    for column, key, label, text in zip(
        st.columns(2, gap="medium"),
        TEXTS,
        ("First text", "Second text"),
        PRESETS["Other words"],
        strict=True,
    ):
        st.session_state.setdefault(key, text)
        column.text_input(
            label,
            key=key,
            max_chars=LIMITS.review_chars,
            placeholder=label,
            label_visibility="collapsed",
            **LINKED,
        )
    return st.session_state[TEXTS[0]] or "", st.session_state[TEXTS[1]] or ""


def _choose_example() -> None:
    first, second = PRESETS[st.session_state[EXAMPLES]]
    st.session_state.update({TEXTS[0]: first, TEXTS[1]: second})


def _swap() -> None:
    first, second = (st.session_state[key] for key in TEXTS)
    st.session_state.update({TEXTS[0]: second, TEXTS[1]: first})


def _show_pair(pair: TextPair) -> None:
    measures = pair.measures
    chart = likeness_dots(
        [each.name for each in measures],
        [each.shown for each in measures],
        [each.share for each in measures],
        [None if each.symmetric else each.swapped for each in measures],
    )
    said = " ".join(filter(None, (f"{pair.title()}.", pair.swap_sentence())))
    plotly_chart(chart, key="two-texts", config=UNSEEN_BAR, alt=said)
    st.caption(escape_markdown(f"{pair.swap_sentence()} {pair.overlap_sentence()}"))
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
        st.caption(
            f"Marked: the {len(pair.common)} different tokens that both texts have, which are all "
            "that Jaccard sees."
        )
