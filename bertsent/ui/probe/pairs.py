"""Pairs: two texts side by side, and what one changed word does to the answer, to the attributions
of the other words, to attention, and on the map.
"""

import html
import itertools
import random

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from bertsent.data.cache import cache_key
from bertsent.data.cleaning import shorten
from bertsent.data.examples import Reviews
from bertsent.figures.attribution_bars import SHOWN, pair_charts
from bertsent.figures.before_after_maps import pair_map
from bertsent.figures.colours import HIGHLIGHT
from bertsent.probing.answer import answer_label
from bertsent.probing.checklist.builtin_suite import test_reviews
from bertsent.probing.heads.attention_maps import head_name
from bertsent.probing.loaded_model import LoadedModel
from bertsent.probing.pairs.alignment import AlignmentRow
from bertsent.probing.pairs.minimal_pair import (
    SIDES,
    Head,
    PairComparison,
    PairSide,
    compare_pair,
    distance_sentence,
    largest_change_sentence,
)
from bertsent.space.projection_map import MapOptions, build_map
from bertsent.ui.map.map_view import cache_folder
from bertsent.ui.map.review_sample import USUAL_BUILT_IN, draw
from bertsent.ui.probe.pair_boxes import fill_boxes, pair_boxes, swap_button
from bertsent.ui.shared import (
    JobRequest,
    altair_chart,
    ask_about,
    downloads_and_help,
    escape_markdown,
    loaded_model,
    outcome,
    result,
    select,
    settings,
    show_errors,
    show_figure,
)

TEXTS, EXAMPLES = ("pair_first", "pair_second"), "pair_examples"
SURPRISE = "A built-in pair"
PRESETS = {  # first text, second text, where attention is read from
    "Boring / gripping": ("Great, another boring movie", "Great, another gripping movie", "[CLS]"),
    "Not bad / bad": ("This is not a bad film", "This is a bad film", "[CLS]"),
    "it → animal / street": (
        "The animal didn't cross the street because it was too tired.",
        "The animal didn't cross the street because it was too wide.",
        "it (8)",
    ),
}
MEAN, MOST, CLS = "mean of all heads", "the head that changes most", "[CLS]"
FROM_HELP = "The token whose attention is compared: [CLS] stands for the whole review."
STYLE = (
    "<style>.pair {overflow-wrap: anywhere; line-height: 1.9} .pair mark {background: "
    f"{HIGHLIGHT}; color: #000; border-radius: 3px; padding: 1px 4px; font-weight: 600}}</style>"
)


def show_pairs(name: str) -> None:
    """Draw the comparison of two texts by the model of that registry name.

    Raises:
        BertsentError: the model does not answer, or one of the texts cannot be asked.
    """
    model = loaded_model(name)
    place = _presets()
    with result("pair"):
        first, second = pair_boxes(TEXTS, PRESETS["Boring / gripping"][:2])
        pair = outcome(
            JobRequest(
                f"pair-{cache_key(model.key, model.max_length, first, second)}",
                lambda progress: compare_pair(model, first, second, progress=progress),
                "Comparing the two texts",
                "Compare the two texts",
                sum(len(model.tokens(text)) ** 2 for text in (first, second)),
            )
        )
        if pair is None:
            return
        _show_answers(pair)
    with place:
        chosen = _attention_choice(pair, model)
    _show_charts(pair, *chosen)
    with show_errors():
        _show_map(model, pair)


@st.cache_data(max_entries=1, show_spinner=False)
def _builtin_pairs() -> list[tuple[str, str]]:
    return [
        (texts.iloc[0], texts.iloc[1])
        for _, texts in test_reviews().frame().groupby("pair", sort=False)["text"]
        if len(texts) == 2
    ]


def _presets() -> DeltaGenerator:
    """Pairs to choose from; gives back the place for the settings beside them."""
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.menu_button(
            "Examples",
            [*PRESETS, SURPRISE],
            key=EXAMPLES,
            on_click=_choose_example,
            type="tertiary",
            help="Well-known pairs, or one of the test reviews at random",
        )
        swap_button(TEXTS, "pair-swap")
        return st.container(width="content")


def _choose_example() -> None:
    chosen = st.session_state[EXAMPLES]
    if chosen not in PRESETS:
        fill_boxes(TEXTS, random.choice(_builtin_pairs()))
        return
    first, second, source = PRESETS[chosen]
    fill_boxes(TEXTS, (first, second))
    st.session_state["pair_from"] = source


def _show_answers(pair: PairComparison) -> None:
    st.html(STYLE)
    sides = zip(
        st.columns(2, gap="medium"), (pair.first, pair.second), SIDES, ("−", "+"), strict=True
    )
    for column, side, name, sign in sides:
        changed = {getattr(row, name) for row in pair.rows if row.kind != "same"} - {None}
        with column, st.container(border=True):
            st.html(_marked_html(side, changed, sign))
            with st.container(horizontal=True, vertical_alignment="center"):
                st.subheader(answer_label(side.p_positive), anchor=False)
                ask_about(side.text, f"pair-take-{name}")
            if side.cut:
                st.caption("It was cut: the model does not read the rest.")
    st.caption(escape_markdown(pair.sentence()))


def _marked_html(side: PairSide, changed: set[int], sign: str) -> str:
    """The text with its changed words marked, and a sign in front of each; all of it escaped."""
    parts, at = [], 0
    for place in sorted(changed):
        word = side.words[place]
        parts.append(html.escape(side.text[at : word.start]))
        parts.append(f"<mark>{sign}{html.escape(word.text)}</mark>")
        at = word.end
    return f"<div class='pair'>{''.join(parts)}{html.escape(side.text[at:])}</div>"


def _attention_choice(pair: PairComparison, model: LoadedModel) -> tuple[AlignmentRow | None, Head]:
    shared = {
        f"{pair.first.words[row.first or 0].text} ({(row.first or 0) + 1})": row
        for row in pair.shared
    }
    heads = {
        head_name(head): head for head in itertools.product(range(model.layers), range(model.heads))
    }
    with settings():
        chosen = select("Attention from", (CLS, *shared), "pair_from", help=FROM_HELP)
        head = select("Head", (MEAN, MOST, *heads), "pair_head", help="Layer·head")
    source = shared.get(chosen)
    return source, pair.most_changed_head(source) if head == MOST else heads.get(head)


def _show_charts(pair: PairComparison, source: AlignmentRow | None, head: Head) -> None:
    table = pair.frame(source, head)
    start = next((i for i, kind in enumerate(table["change"]) if kind != "same"), 0)
    start = max(0, min(start - SHOWN // 3, len(table) - SHOWN))
    rows = table.iloc[start : start + SHOWN]
    word = CLS if source is None else f"“{shorten(pair.first.words[source.first or 0].text, 20)}”"
    titled = f"{word}, {'all heads' if head is None else 'head ' + head_name(head)}"
    charts = pair_charts(rows, attention_from=titled)
    with result("pair_words"):
        left, right = st.columns(2, gap="medium")
        for number, (column, chart) in enumerate(zip((left, left, right), charts, strict=True)):
            altair_chart(chart, key=f"pair-chart-{number}", alt=str(chart.title.text), place=column)
        right.caption(escape_markdown(largest_change_sentence(table, titled)))
        if len(table) > SHOWN:
            right.caption(
                f"Rows {start + 1} to {start + len(rows)} of {len(table)}, around the first "
                "change; the table has all of them."
            )
    downloads_and_help(
        "pair",
        lambda: pair_charts(rows, attention_from=titled, sheet=True),
        "pair",
        ("probe", "pairs"),
        tables={"Words": table},
        finding=f"“{shorten(pair.first.text, 200)}” and “{shorten(pair.second.text, 200)}”. "
        f"{largest_change_sentence(table, titled)}",
    )


def _show_map(model: LoadedModel, pair: PairComparison) -> None:
    """Both texts in the map of built-in test reviews, made once a model for everybody."""
    reviews, options, folder = _sample(), MapOptions(pooling=model.pooling), cache_folder()
    key = cache_key(model.key, model.max_length, reviews.sha256, model.pooling)
    with result("pair_on_the_map"):
        st.markdown("**Both texts on the map**")
        found = outcome(
            JobRequest(
                f"pair-map-{key}",
                lambda progress: build_map(
                    model, reviews, options, cache=folder, progress=progress
                ),
                f"Mapping {len(reviews)} test reviews",
                "Draw the map",
                30 * len(reviews),
            )
        )
        if found is None:
            return
        (ax, ay), (bx, by) = (
            found.place(side.vector[None])[0] for side in (pair.first, pair.second)
        )
        places = ((float(ax), float(ay)), (float(bx), float(by)))
        said = distance_sentence(pair, found.embeddings.vectors)
        show_figure(
            pair_map(found.points, places, (pair.first.text, pair.second.text)),
            "pair_map",
            "pair-map",
            said,
            caption=f"The arrow leads from the first text to the second. {said} {found.note}",
            bar=True,
        )


@st.cache_resource(max_entries=1, show_spinner=False)
def _sample() -> Reviews:
    return draw(test_reviews(), USUAL_BUILT_IN)
