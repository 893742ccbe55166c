"""Two texts side by side: what one changed word does to the answer, to the evidence of the others,
to attention, and on the map.
"""

import random
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from bertsent.data.cleaning import shorten, typed_review
from bertsent.settings import LIMITS
from bertsent.ui.probe.pairs_diff import STYLE, marked
from bertsent.ui.shared.downloads import altair_files, download_menu
from bertsent.ui.shared.errors import escape_markdown, show_errors
from bertsent.ui.shared.jobs import JobRequest, outcome
from bertsent.ui.shared.model_picker import loaded_model
from bertsent.ui.shared.review_bar import ask_about

if TYPE_CHECKING:
    from bertsent.probing.loaded_model import LoadedModel
    from bertsent.probing.pairs.alignment import AlignmentRow
    from bertsent.probing.pairs.minimal_pair import PairComparison, PairSide

PRESETS = {  # first text, second text, which word looks
    "Boring / gripping": ("Great, another boring movie", "Great, another gripping movie", "[CLS]"),
    "Not bad / bad": ("This is not a bad film", "This is a bad film", "[CLS]"),
    "it → animal / street": (
        "The animal didn't cross the street because it was too tired.",
        "The animal didn't cross the street because it was too wide.",
        "it (8)",
    ),
}
MEAN, MOST = "mean of all heads", "the head that changes most"
CLS = "[CLS]"
_HOW = """
- **Alignment.** What stays is a longest common subsequence of the words; between two words that stay, words are paired in order.
- **What a word adds** is P(positive) of the text minus P(positive) without the word (Li, Monroe and Jurafsky 2016).
- **Attention** is the share that [CLS], or a word that both texts have, gives to each word: its pieces give their mean and take their
  sum; what [CLS] and [SEP] take is left out. It shows where information is taken from, not why the answer came out as it did.
- **Differences** are second minus first, for rows with a word in both texts. Each text is asked by itself, so equal ones differ by 0.
- **The map** is the exact PCA of the vectors of built-in test reviews; both texts are placed by the same projection.
"""


@st.cache_data(max_entries=1, show_spinner=False)
def _builtin_pairs() -> list[tuple[str, str]]:
    from bertsent.probing.checklist.builtin_suite import test_reviews

    sides: dict[str, list[str]] = {}
    for example in test_reviews():
        if example.pair:
            sides.setdefault(example.pair, []).append(example.text)
    return [(texts[0], texts[1]) for texts in sides.values() if len(texts) == 2]


def show_pairs(name: str) -> None:
    """Draw the pair lab for the model of that registry name.

    Raises:
        BertsentError: the model does not answer, or one of the texts cannot be asked.
    """
    model = loaded_model(name)
    first, second = _boxes()
    texts = tuple(typed_review(text, LIMITS.review_chars) for text in (first, second))
    pair = _pair(model, *texts)
    if pair is None:
        return
    _answers(pair)
    source, head = _looking(pair, model)
    _charts(pair, source, head)
    with show_errors():
        _map(name, model, pair)
    with st.expander("How is this computed?"):
        st.markdown(_HOW)


def _boxes() -> tuple[str, str]:
    usual = PRESETS["Boring / gripping"]
    for side, text in zip(("pair_first", "pair_second"), usual[:2], strict=True):
        st.session_state.setdefault(side, text)
    columns = st.columns(2, gap="medium")
    for column, key, label in zip(
        columns, ("pair_first", "pair_second"), ("First text", "Second text"), strict=True
    ):
        with column:
            st.text_area(
                label,
                key=key,
                bind="query-params",
                persist_state="session",
                max_chars=LIMITS.review_chars,
                height=90,
            )
    with st.container(horizontal=True, gap="small"):
        st.button("Compare", type="primary", key="pair_ask")
        for name, (one, two, looks) in PRESETS.items():
            st.button(
                name,
                key=f"pair-preset-{name}",
                type="tertiary",
                help=f"{one} / {two}",
                on_click=st.session_state.update,
                args=({"pair_first": one, "pair_second": two, "pair_from": looks},),
            )
        st.button(
            "A built-in pair",
            key="pair-surprise",
            type="tertiary",
            on_click=_surprise,
            help="Of the test reviews, at random.",
        )
        st.button("Swap", key="pair-swap", type="tertiary", on_click=_swap)
    return st.session_state["pair_first"] or "", st.session_state["pair_second"] or ""


def _surprise() -> None:
    first, second = random.choice(_builtin_pairs())
    st.session_state.update({"pair_first": first, "pair_second": second})


def _swap() -> None:
    state = st.session_state
    state["pair_first"], state["pair_second"] = state["pair_second"], state["pair_first"]


def _pair(model: "LoadedModel", first: str, second: str) -> "PairComparison | None":
    from bertsent.data.cache import cache_key

    def work(progress):  # noqa: ANN001, ANN202 - as Jobs wants it
        from bertsent.probing.pairs.minimal_pair import compare_pair

        return compare_pair(model, first, second, progress=progress)

    tokens = sum(len(model.tokens(text)) ** 2 for text in (first, second))
    key = f"pair-{cache_key(model.key, model.max_length, first, second)}"
    return outcome(
        JobRequest(key, work, "Comparing the two texts", "Compare the two texts", tokens)
    )


def _answers(pair: "PairComparison") -> None:
    """Both texts with what differs marked, and both answers."""
    st.html(STYLE)
    for column, side, name, sign in zip(
        st.columns(2, gap="medium"),
        (pair.first, pair.second),
        ("first", "second"),
        "−+",
        strict=True,
    ):
        alone = {getattr(step, name) for step in pair.steps if step.kind != "same"} - {None}
        with column, st.container(border=True):
            st.html(marked(side.text, side.words, alone, sign))
            p = max(side.p_positive, 1 - side.p_positive)
            st.subheader(
                f"{'▲' if side.label == 'POSITIVE' else '▼'} {side.label} {p:.1%}", anchor=False
            )
            if side.cut:
                st.caption("It was cut: the model reads no more of it.")
            ask_about(side.text, f"pair-take-{name}")
    st.caption(escape_markdown(verdict(pair)))


def verdict(pair: "PairComparison") -> str:
    """What the difference does, in words."""
    kinds = [step.kind for step in pair.steps]
    changes = len(kinds) - kinds.count("same")
    if not changes:
        return (
            "The two texts have the same words: nothing differs."
            if not pair.difference
            else "The texts differ in their blanks only."
        )
    words = f"{changes} change{'' if changes == 1 else 's'}, {kinds.count('same')} words stay"
    moved = (
        f"P(positive) goes from {pair.first.p_positive:.1%} to {pair.second.p_positive:.1%}, "
        f"{100 * pair.difference:+.1f} points"
    )
    return (
        f"{words}: {moved}. {'The answer turns.' if pair.turns else 'The answer stays the same.'}"
    )


def _looking(
    pair: "PairComparison", model: "LoadedModel"
) -> tuple["AlignmentRow | None", tuple[int, int] | None]:
    """Which word looks, and with which head; both in the link."""
    shared = {f"{pair.first.words[s.first].text} ({s.first + 1})": s for s in pair.shared}
    heads = [
        MEAN,
        MOST,
        *(f"{n}·{h}" for n in range(1, model.layers + 1) for h in range(1, model.heads + 1)),
    ]
    names = [CLS, *shared]
    for key, offered in (("pair_from", names), ("pair_head", heads)):
        if st.session_state.get(key) not in offered:
            st.session_state.pop(key, None)
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        chosen = st.selectbox(
            "Attention from",
            names,
            key="pair_from",
            bind="query-params",
            persist_state="session",
            width=220,
        )
        head = st.selectbox(
            "Head",
            heads,
            key="pair_head",
            bind="query-params",
            persist_state="session",
            width=230,
            help="Layer·head",
        )
    source = shared.get(chosen)
    if head == MEAN:
        return source, None
    if head == MOST:
        return source, pair.most_changed_head(source)
    layer, _, number = head.partition("·")
    return source, (int(layer) - 1, int(number) - 1)


def _charts(
    pair: "PairComparison", source: "AlignmentRow | None", head: tuple[int, int] | None
) -> None:
    from bertsent.figures.pair_bars import SHOWN, pair_charts

    table = pair.frame(source, head)
    start = next((i for i, kind in enumerate(table["change"]) if kind != "same"), 0)
    start = max(0, min(start - SHOWN // 3, len(table) - SHOWN))
    rows = table.iloc[start : start + SHOWN]
    looks = CLS if source is None else f"“{shorten(pair.first.words[source.first].text, 20)}”"
    titled = f"{looks}, {'all heads' if head is None else f'head {head[0] + 1}·{head[1] + 1}'}"
    for number, chart in enumerate(pair_charts(rows, looks_from=titled)):
        st.altair_chart(chart, key=f"pair-chart-{number}", alt=str(chart.title.text))
    if len(table) > SHOWN:
        st.caption(
            f"Rows {start + 1} to {start + len(rows)} of {len(table)}, around the first change; "
            "the table has all."
        )
    st.caption(escape_markdown(moved_most(table, titled)))
    download_menu(
        "pair",
        altair_files(lambda: pair_charts(rows, looks_from=titled, sheet=True)),
        "pair",
        tables={"Words": table},
    )


def moved_most(table: pd.DataFrame, looks: str) -> str:
    """Which unchanged word's evidence, and which row's attention, differ most."""
    said = []
    same = table[table["change"] == "same"]
    if len(same) and same["evidence_difference"].abs().max() > 0:
        row = same.loc[same["evidence_difference"].abs().idxmax()]
        said.append(
            f"Of the words that stay, “{shorten(row['first'], 20)}” changes its part most: by "
            f"{row['evidence_difference']:+.3f}."
        )
    if table["attention_difference"].abs().max() > 0:
        row = table.loc[table["attention_difference"].abs().idxmax()]
        where = (
            row["first"] if row["first"] == row["second"] else f"{row['first']} → {row['second']}"
        )
        said.append(
            f"{looks} moves most at “{shorten(where, 40)}”: "
            f"{100 * row['attention_difference']:+.1f} points of its attention."
        )
    return " ".join(said) or "Nothing differs."


def _map(name: str, model: "LoadedModel", pair: "PairComparison") -> None:
    """Both texts in the map of built-in test reviews, made once a model for everybody."""
    from bertsent.data.cache import cache_key
    from bertsent.space.projection_map import MapOptions, build_map
    from bertsent.ui.map.map_view import cache_folder

    reviews, options, folder = _sample(), MapOptions(pooling=model.pooling), cache_folder()

    def work(progress):  # noqa: ANN001, ANN202
        return build_map(model, reviews, options, cache=folder, progress=progress)

    st.markdown("**Where both lie**")
    key = f"pair-map-{cache_key(model.key, model.max_length, reviews.sha256, model.pooling)}"
    atlas = outcome(
        JobRequest(
            key, work, f"Mapping {len(reviews)} test reviews", "Draw the map", 30 * len(reviews)
        )
    )
    if atlas is None:
        return
    from bertsent.figures.pair_bars import pair_map

    places = [
        tuple(map(float, atlas.place(side.vector[None])[0])) for side in (pair.first, pair.second)
    ]
    figure = pair_map(atlas.points, (places[0], places[1]), (pair.first.text, pair.second.text))
    st.plotly_chart(
        figure,
        key="pair_map",
        config={"displaylogo": False},
        alt="Both texts on the map of built-in test reviews, with an arrow from the first to the "
        "second",
    )
    st.caption(escape_markdown(_distance(atlas, pair.first, pair.second)))
    download_menu("pair_map", figure, "pair-map", bar=True)


@st.cache_resource(max_entries=1, show_spinner=False)
def _sample():  # noqa: ANN202 - Reviews
    from bertsent.probing.checklist.builtin_suite import test_reviews
    from bertsent.ui.map.review_sample import USUAL_BUILT_IN, draw

    return draw(test_reviews(), USUAL_BUILT_IN)


def _distance(atlas, first: "PairSide", second: "PairSide") -> str:  # noqa: ANN001
    import numpy as np

    vectors = atlas.embeddings.vectors
    apart = float(np.linalg.norm(first.vector - second.vector))
    usual = float(
        np.median(
            np.linalg.norm(
                vectors[: len(vectors) // 2] - vectors[len(vectors) // 2 :][: len(vectors) // 2],
                axis=1,
            )
        )
    )
    return (
        "The arrow leads from the first text to the second. In all dimensions they are "
        f"{apart:.2f} apart; two of the {len(vectors)} "
        f"reviews are usually {usual:.2f} apart. {atlas.note}"
    )
