"""Before and after fine-tuning: a fine-tuned model and reviews in, four linked maps of them and
what fine-tuning changed out.
"""

from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import streamlit as st

from bertsent.data.cache import cache_key
from bertsent.data.examples import Reviews
from bertsent.errors import BertsentError
from bertsent.figures.before_after_maps import comparison_figure, shift_figure
from bertsent.figures.maps import STAR
from bertsent.probing.loaded_model import LoadedModel
from bertsent.probing.registry import BACKBONE, origin
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
from bertsent.ui.map.beside import close_button, is_chosen, show_beside
from bertsent.ui.map.choices import (
    OPENED,
    open_review,
    open_review_id,
    open_star,
    select_reviews,
    selected_ids,
    star_is_open,
)
from bertsent.ui.map.chosen_review import neighbours, points_table
from bertsent.ui.map.dot_events import DotEvent, known, watch_dots
from bertsent.ui.map.drop_in import PlacedReview, placed_in_both
from bertsent.ui.map.learned_from import learned_from
from bertsent.ui.map.map_settings import MapSettings
from bertsent.ui.map.map_view import (
    ShownMap,
    cache_folder,
    figure_container,
    is_quick,
    kept_figure,
    newest,
    on_a_phone,
)
from bertsent.ui.shared import (
    download_menu,
    escape_markdown,
    loaded_model,
    plotly_chart,
    result,
    show_figure,
    show_help,
)
from bertsent.ui.shared.frame import FINE_TUNE
from bertsent.ui.shared.model_picker import model_choices

if TYPE_CHECKING:
    import plotly.graph_objects as go

CHART = "map_both"
SQUARE, COLUMN = 530, 1_480  # heights: two above two, and one above the other on a phone
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
    name: str, model: LoadedModel, reviews: Reviews, settings: MapSettings, sample: str
) -> None:
    """Draw the comparison of the model of that registry name with the backbone that it came from,
    or say what to choose.

    Args:
        sample: which reviews were drawn, if not all.
    """
    first = origin(name)
    with result("map"):
        if first is None:
            _choose_another(name)
            return
        before = loaded_model(first)
        shown, fresh = _current(before, model, reviews, settings.options)
        if shown is None:
            return
        comparison, wanted = shown.comparison, settings.star and fresh
        placed = placed_in_both(before, model, shown, comparison) if wanted else None
        _stage(name, shown, settings, placed, fresh=fresh)
        sentence = before_after_sentence(comparison, learned_from(name, shown.reviews))
        st.caption(escape_markdown(f"{sentence} {sample}".strip()))
        with st.container(horizontal=True, gap="small", key="map_foot"):
            _downloads(shown, settings)
            show_help("map", "before_and_after")
            watch_dots(
                CHART,
                lambda event: _acted(shown.key, event),
                marked=open_review_id(shown.map.points),
            )
    if not comparison.unchanged:  # the sentence above says where it is
        _show_shift(shown, placed, settings.palette)
    points_table(comparison.table)


def _stage(
    name: str,
    shown: ShownComparison,
    settings: MapSettings,
    placed: PlacedReview | None,
    *,
    fresh: bool,
) -> None:
    """The four maps, and beside them what is chosen."""
    with st.container(horizontal=True, gap="small", key="map_stage"):
        with st.container(key="map_figure"):
            _draw(shown, settings, placed.places if placed else {}, fresh=fresh)
        if is_chosen(shown, placed):
            with st.container(key="map_beside", width=350):
                if placed and star_is_open():
                    _show_star(shown, placed)
                else:
                    show_beside(name, shown, None)


def _show_star(shown: ShownComparison, placed: PlacedReview) -> None:
    """The review of the bar, and what lies nearest to it under both models."""
    close_button()
    st.markdown("**Your review**")
    st.text(placed.text)
    both = {"before": shown.comparison.before.pca, "after": shown.comparison.after.pca}
    for (when, projection), vector in zip(both.items(), placed.vectors, strict=True):
        st.markdown(f"**Nearest to it {when} fine-tuning**")
        neighbours(projection, vector, key=f"near_{when}")


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
    plotly_chart(
        _figure(shown, settings, dropped),
        key=CHART,
        config=_CONFIG,
        alt=before_after_sentence(shown.comparison, None),
        place=figure_container(fresh),
    )


def _figure(
    shown: ShownComparison, settings: MapSettings, dropped: dict[str, tuple[float, ...]]
) -> "go.Figure":
    key, points, colour = shown.key, shown.map.points, settings.colour
    zoomed = st.session_state.get("map_ranges", {}).get(key, {})
    chosen, phone = known(selected_ids(), points["id"]), on_a_phone()
    return kept_figure(
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


def _downloads(shown: ShownComparison, settings: MapSettings) -> None:
    download_menu(
        CHART,
        _figure(shown, settings, {}),
        "bertsent-before-after",
        tables={"Points": shown.comparison.table},
        bar=True,
    )


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
    if event.id == STAR:
        open_star()
        return
    if event.id is not None:
        open_review(None if st.session_state.get(OPENED) == event.id else event.id)
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
