"""Before and after fine-tuning: a fine-tuned model and reviews in, four linked maps of them and
what fine-tuning changed out.
"""

from contextlib import suppress
from dataclasses import asdict, dataclass

import streamlit as st

from bertsent.data.cache import cache_key
from bertsent.data.examples import Reviews
from bertsent.data.sources import load_reviews
from bertsent.errors import BertsentError
from bertsent.figures.before_after_maps import comparison_figure, shift_figure
from bertsent.probing.loaded_model import LoadedModel
from bertsent.probing.registry import BACKBONE, BUILTIN, find_model, origin
from bertsent.space.before_after import (
    BeforeAfter,
    EmbeddingShift,
    before_after_sentence,
    compare_before_after,
    embedding_shift,
    shift_sentence,
)
from bertsent.space.embedding import embeddings_key
from bertsent.space.projection_map import MapOptions
from bertsent.training.runs.run import find_run
from bertsent.ui.map.chosen_review import chosen_review, points_table
from bertsent.ui.map.dot_events import DotEvent, known, watch_dots
from bertsent.ui.map.drop_in import PlacedReview, drop_in_both
from bertsent.ui.map.map_settings import COLOURS, MapSettings
from bertsent.ui.map.map_view import (
    ShownMap,
    cache_folder,
    figure_container,
    is_quick,
    kept_figure,
    newest,
    on_a_phone,
    open_review,
    open_review_id,
    select_reviews,
    selected_ids,
)
from bertsent.ui.map.selection import show_selection
from bertsent.ui.shared import (
    download_menu,
    escape_markdown,
    loaded_model,
    run_splits,
    show_figure,
    show_help,
)
from bertsent.ui.shared.frame import FINE_TUNE
from bertsent.ui.shared.model_picker import model_choices

CHART = "map_both"
SQUARE, COLUMN = 760, 1_480  # heights: two above two, and one above the other on a phone
_CONFIG = {
    "displaylogo": False,
    "displayModeBar": True,
    "modeBarButtons": [
        ["lasso2d", "select2d", "zoom2d", "pan2d"],
        ["zoomIn2d", "zoomOut2d", "resetScale2d"],
        ["toImage"],
    ],
}


@dataclass(frozen=True)
class ShownComparison(ShownMap):
    """A finished comparison and what it was made of; its map is that of the fine-tuned model, from
    which the reader opens reviews.
    """

    comparison: BeforeAfter


def before_and_after(
    name: str, model: LoadedModel, reviews: Reviews, settings: MapSettings
) -> None:
    """Draw the comparison of the model of that registry name with the backbone that it came from,
    or say what to choose.
    """
    first = origin(name)
    if first is None:
        _choose_another(name)
        return
    shown, fresh = _current(loaded_model(first), model, reviews, settings.options)
    if shown is None:
        return
    comparison = shown.comparison
    left, right = st.columns([5, 2], gap="medium")
    with right:
        dropped = drop_in_both(loaded_model(first), model, shown, comparison) if fresh else None
        chosen_review(shown)
    with left:
        _draw(shown, settings, dropped.places if dropped else {}, fresh=fresh)
        st.caption(
            escape_markdown(before_after_sentence(comparison, _learned_from(name, shown.reviews)))
        )
    if selected_ids():
        show_selection(name, shown)
    if not comparison.unchanged:  # the sentence above says where it is
        _show_shift(shown, dropped, settings.palette)
    show_help("map", "before_and_after")
    show_help("map", "map", title="How is one map computed?")
    points_table(comparison.table)


def _current(
    before: LoadedModel, after: LoadedModel, reviews: Reviews, options: MapOptions
) -> tuple[ShownComparison | None, bool]:
    base = cache_key(before.key, embeddings_key(after, reviews, options.pooling, options.layer))
    key, folder = f"both-{cache_key(base, asdict(options))}", cache_folder()
    return newest(
        "map_compared",
        key,
        f"Four maps of {len(reviews):,} reviews, before and after",
        lambda progress: compare_before_after(
            before, after, reviews, options, cache=folder, progress=progress
        ),
        lambda made: ShownComparison(key, base, made.after.pca, reviews, after.name, made),
        quick=lambda older: is_quick(reviews, options, older is not None and older.base == base),
        height=SQUARE,
    )


def _draw(
    shown: ShownComparison,
    settings: MapSettings,
    dropped: dict[str, tuple[float, ...]],
    *,
    fresh: bool,
) -> None:
    """Draw the four maps, greyed where they are not those asked for.

    A click opens a review and rings it in all of them, a lasso selects many in all of them.
    """
    key, points, colour = shown.key, shown.map.points, settings.colour
    zoomed = st.session_state.get("map_ranges", {}).get(key, {})
    chosen, phone = known(selected_ids(), points["id"]), on_a_phone()
    figure = kept_figure(
        (key, colour, settings.palette, chosen, dropped, zoomed, phone),
        lambda: comparison_figure(
            shown.comparison.panels,
            colour_by=colour,
            palette=settings.palette,
            selected=chosen,
            dropped=dropped,
            ranges=zoomed,
            stacked=phone,
            height=COLUMN if phone else SQUARE,
        ),
    )
    figure_container(fresh).plotly_chart(
        figure,
        key=CHART,
        config=_CONFIG,
        alt=f"Before and after: maps of {len(points):,} reviews, coloured by "
        f"{COLOURS[colour].lower()}",
    )
    download_menu(
        CHART, figure, "bertsent-before-after", tables={"Points": shown.comparison.table}, bar=True
    )
    watch_dots(CHART, lambda event: _acted(key, event), marked=open_review_id(points))


def _show_shift(shown: ShownComparison, dropped: PlacedReview | None, palette: str) -> None:
    st.markdown("**From pretrained to fine-tuned, on one plane**")
    found, points = _shift(shown.key, shown.comparison), shown.map.points
    if found is None:
        st.caption("The vectors of the two models differ in width, so no plane can show both.")
        return
    arrow = found.arrow(*dropped.vectors) if dropped else None
    show_figure(
        shift_figure(points, found, arrow=arrow, palette=palette),
        "shift_chart",
        "bertsent-shift",
        shift_sentence(found, arrow),
        tables={"Movements": found.table(points)},
        bar=True,
    )
    show_help("map", "shift", title="How is this plane computed?")


@st.cache_resource(max_entries=8, show_spinner="Projecting both onto one plane …")
def _shift(key: str, _comparison: BeforeAfter) -> EmbeddingShift | None:
    return embedding_shift(_comparison.before.vectors, _comparison.after.vectors)


def _acted(key: str, event: DotEvent) -> None:
    """A dot was clicked: its review opens, or closes where it is open. Or many were enclosed: all
    panels show them, zoomed as they were.
    """
    if event.id is not None:
        open_review(None if st.session_state.get("map_selected") == event.id else event.id)
        return
    select_reviews(event.ids)
    st.session_state["map_ranges"] = {key: event.ranges}


def _choose_another(name: str) -> None:
    what = (
        "This is the backbone before fine-tuning."
        if name == BACKBONE
        else "Before and after is available for models that were trained from the built-in "
        "backbone."
    )
    others = [title for other, title in model_choices(needs_sentiment=True).items() if _from(other)]
    there = f"Choose one in the review bar: {', '.join(others[:3])}." if others else ""
    st.info(escape_markdown(f"{what} {there or 'There is no fine-tuned one yet.'}"))
    if not others:
        st.page_link(FINE_TUNE.file, label="Fine-tune a model")


def _from(name: str) -> bool:
    with suppress(BertsentError):
        return origin(name) is not None
    return False


def _learned_from(name: str, reviews: Reviews) -> int | None:
    """How many of the reviews were among those that the model was trained on; None where no run is
    known.
    """
    if name == BUILTIN:
        splits = _built_in_splits()  # of other reviews nothing is known
        found = [splits.get(text) for text in reviews.texts]
        return None if None in found else found.count("train")
    with suppress(BertsentError, OSError):
        if run := find_model(name, folders=False).run:
            texts = set(run_splits(find_run(run)).train.texts)
            return sum(text in texts for text in reviews.texts)
    return None


@st.cache_resource(show_spinner=False)
def _built_in_splits() -> dict[str, str | None]:
    """The part that each built-in review belongs to, by its text; the model that ships was trained
    on ``train``.
    """
    return {example.text: example.split for example in load_reviews(BUILTIN, contrastive=True)}
