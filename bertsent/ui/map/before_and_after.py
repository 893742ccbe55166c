"""Before and after fine-tuning: a fine-tuned model and reviews in, four linked maps of them and
what fine-tuning changed out.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from bertsent.data.cache import cache_key
from bertsent.data.examples import Reviews
from bertsent.data.sources import load_reviews
from bertsent.errors import BertsentError
from bertsent.figures.before_after_maps import comparison_figure
from bertsent.figures.maps import ColourBy, PaletteName
from bertsent.probing.registry import BACKBONE, BUILTIN, find_model, origin
from bertsent.space.before_after import BeforeAfter, before_after_sentence, compare_before_after
from bertsent.space.embedding import embeddings_key
from bertsent.space.projection_map import MapOptions
from bertsent.training.runs.run import Run, find_run
from bertsent.ui.map.before_and_after_shift import show_shift
from bertsent.ui.map.chosen_review import chosen_review, points_table
from bertsent.ui.map.dot_events import DotEvent, known, watch_dots
from bertsent.ui.map.drop_in import drop_in_both
from bertsent.ui.map.map_settings import COLOURS, MapSettings
from bertsent.ui.map.map_view import (
    STALE_STYLE,
    ShownMap,
    cache_folder,
    map_outcome,
    map_request,
    on_a_phone,
    open_review,
    open_review_id,
    select_reviews,
    selected_ids,
    starts_unasked,
)
from bertsent.ui.map.selection import show_selection
from bertsent.ui.shared.downloads import download_menu
from bertsent.ui.shared.errors import escape_markdown
from bertsent.ui.shared.frame import FINE_TUNE
from bertsent.ui.shared.help_texts import show_help
from bertsent.ui.shared.model_picker import loaded_model, model_choices

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from bertsent.probing.loaded_model import LoadedModel

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
class ShownComparison:
    """A finished comparison and what it was made of."""

    shown: ShownMap  # the fine-tuned model's own map: what the reader opens reviews from
    comparison: BeforeAfter


def before_and_after(
    name: str, model: "LoadedModel", reviews: Reviews, settings: MapSettings
) -> None:
    """Draw the comparison of the model of that registry name with the backbone that it came from,
    or say what to choose.
    """
    first = origin(name)
    if first is None:
        _choose_another(name)
        return
    found, fresh = _current(loaded_model(first), model, reviews, settings.options)
    if found is None:
        return
    shown, comparison = found.shown, found.comparison
    left, right = st.columns([5, 2], gap="medium")
    with right:
        dropped = drop_in_both(loaded_model(first), model, shown, comparison) if fresh else None
        chosen_review(shown)
    with left:
        _draw(found, settings, dropped.places if dropped else {}, fresh=fresh)
        learned = _learned_from(name, shown.reviews)
        st.caption(escape_markdown(before_after_sentence(comparison, learned)))
    if selected_ids():
        show_selection(name, shown)
    show_shift(shown, comparison, dropped, settings.palette)
    show_help("map", "before_and_after")
    show_help("map", "map", title="How is one map computed?")
    points_table(comparison.table)


def _current(
    before: "LoadedModel", after: "LoadedModel", reviews: Reviews, options: MapOptions
) -> tuple[ShownComparison | None, bool]:
    """The comparison to draw and whether it is the one asked for; says what is going on where it is
    not.
    """
    base = cache_key(before.key, embeddings_key(after, reviews, options.pooling, options.layer))
    key = f"both-{cache_key(base, asdict(options))}"
    found: ShownComparison | None = st.session_state.get("map_compared")
    if found is None or found.shown.key != key:
        folder = cache_folder()
        request = map_request(
            key,
            lambda progress: compare_before_after(
                before, after, reviews, options, cache=folder, progress=progress
            ),
            f"Four maps of {len(reviews):,} reviews, before and after",
            unasked=starts_unasked(
                reviews, options, found is not None and found.shown.base == base
            ),
            older=found is not None,
        )
        made: BeforeAfter | None = map_outcome(request, older=found is not None, height=SQUARE)
        if made is None:
            return found, False
        shown = ShownMap(key, base, made.after.pca, reviews, after.name)
        found = st.session_state["map_compared"] = ShownComparison(shown, made)
    return found, True


def _draw(
    found: ShownComparison,
    settings: MapSettings,
    dropped: dict[str, tuple[float, ...]],
    *,
    fresh: bool,
) -> None:
    """Draw the four maps, greyed where they are not those asked for.

    A click opens a review and rings it in all of them, a lasso selects many in all of them.
    """
    key, points, panels = found.shown.key, found.shown.map.points, found.comparison.panels
    zoomed = tuple(st.session_state.get("map_ranges", {}).get(key, {}).items())
    chosen, phone = known(selected_ids(), points["id"]), on_a_phone()
    stars, colour = tuple(dropped.items()), settings.colour
    figure = _figure(key, colour, settings.palette, chosen, stars, zoomed, phone, panels)
    if not fresh:
        st.html(STALE_STYLE)
    with st.container(key="map_fresh" if fresh else "map_stale"):
        st.plotly_chart(
            figure,
            key=CHART,
            config=_CONFIG,
            alt=f"Before and after: maps of {len(points):,} reviews, coloured by "
            f"{COLOURS[colour].lower()}",
        )
    tables = {"Points": found.comparison.table}
    download_menu(CHART, figure, "bertsent-before-after", tables=tables, bar=True)
    watch_dots(CHART, lambda event: _acted(key, event), marked=open_review_id(points))


@st.cache_resource(max_entries=24, show_spinner=False)
def _figure(
    key: str,
    colour: ColourBy,
    palette: PaletteName,
    chosen: tuple[str, ...],
    stars: tuple[tuple[str, tuple[float, ...]], ...],
    zoomed: tuple[tuple[str, tuple[float, float]], ...],
    stacked: bool,
    _panels: Mapping[str, pd.DataFrame],
) -> "go.Figure":
    return comparison_figure(
        _panels,
        colour_by=colour,
        palette=palette,
        selected=chosen,
        dropped=dict(stars),
        ranges=dict(zoomed),
        stacked=stacked,
        height=COLUMN if stacked else SQUARE,
    )


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
    """One line: why there is no before and after, and which models have one."""
    what = "Before and after is available for models that were trained from the built-in backbone."
    if name == BACKBONE:
        what = "This is the backbone before fine-tuning."
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
            folder = find_run(run).folder
            texts = _trained_on(str(folder), (folder / "config.json").stat().st_mtime)
            return sum(text in texts for text in reviews.texts)
    return None


@st.cache_resource(show_spinner=False)
def _built_in_splits() -> dict[str, str | None]:
    """The part that each built-in review belongs to, by its text; the model that ships was trained
    on ``train``.
    """
    return {example.text: example.split for example in load_reviews(BUILTIN, contrastive=True)}


@st.cache_resource(max_entries=6, show_spinner=False)
def _trained_on(folder: str, created: float) -> frozenset[str]:
    return frozenset(Run(Path(folder)).splits().train.texts)
