"""Before and after fine-tuning: a fine-tuned model and reviews in, four linked maps of them and
what fine-tuning changed out.
"""

from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

import streamlit as st

from bertsent.data.cache import cache_key
from bertsent.data.examples import Reviews
from bertsent.data.sources import load_reviews
from bertsent.errors import BertsentError
from bertsent.figures.before_after_maps import comparison_figure
from bertsent.figures.maps import ColourBy
from bertsent.probing.registry import BACKBONE, BUILTIN, find_model, origin
from bertsent.progress import Progress
from bertsent.space.before_after import BeforeAfter, SeparationGain, compare_before_after
from bertsent.space.projection_map import MapOptions
from bertsent.training.runs.run import Run, find_run
from bertsent.ui.map.before_and_after_shift import show_shift
from bertsent.ui.map.chosen_review import chosen_review, how_computed, points_table
from bertsent.ui.map.dot_events import DotEvent, known, watch_dots
from bertsent.ui.map.drop_in import drop_in_both
from bertsent.ui.map.map_settings import COLOURS, MapSettings
from bertsent.ui.map.map_view import (
    STALE_STYLE,
    MapJob,
    ShownMap,
    cache_folder,
    map_outcome,
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
from bertsent.ui.shared.model_picker import loaded_model, model_choices

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
_NEEDED = "Before and after is there for models that were trained from the built-in backbone."
_HOW = r"""
- **Before** is the built-in backbone as it was pretrained, **after** is the model that answers. Both read the same words: as many
  tokens of each review as the fine-tuned model does. Each of the four maps is computed by itself, so directions and scales are not
  comparable from panel to panel; what can be compared is whether the classes lie apart.
- **Prediction and confidence** are the fine-tuned model's in all four panels. **Clusters** are each model's own: cluster 0 before and
  cluster 0 after are only alike in being the largest.
- **How well the classes come apart**: a logistic regression on the standardised vectors in their full width (scikit-learn, $C = 1$),
  5-fold cross-validated, stratified, shuffled with seed 42: each review is judged by a regression that saw neither it nor the other
  side of its pair. The ± is $1.96 \, s / \sqrt{n}$ of the differences review by review; it takes the reviews as independent, which is
  nearly so.
"""


@dataclass(frozen=True)
class ShownComparison:
    """A finished comparison, what it was made of, and how many of the reviews the model had learned
    from (None: not known).
    """

    shown: ShownMap  # the fine-tuned model's own map: what the reader opens reviews from
    comparison: BeforeAfter
    learned: int | None


def before_and_after(name: str, model, reviews: Reviews, wish: MapSettings) -> None:  # noqa: ANN001 - a LoadedModel; torch is loaded on use
    """Draw the comparison of the model of that registry name with the backbone that it came from,
    or say what to choose.
    """
    first = origin(name)
    if first is None:
        _choose_another(name)
        return
    found, fresh = _current(name, loaded_model(first), model, reviews, wish.options)
    if found is None:
        return
    left, right = st.columns([5, 2], gap="medium")
    with right:
        dropped = (
            drop_in_both(loaded_model(first), model, found.shown, found.comparison)
            if fresh
            else None
        )
        chosen_review(found.shown)
    with left:
        _draw(found, wish, dropped and dropped.places, fresh=fresh)
        st.caption(escape_markdown(sentence(found.comparison, found.learned)))
    if selected_ids():
        show_selection(name, found.shown)
    show_shift(found.shown, found.comparison, dropped, wish.palette)
    how_computed(_HOW)
    points_table(found.comparison.table, "bertsent-before-after.csv")


def sentence(comparison: BeforeAfter, learned: int | None) -> str:
    """What the four maps show, measured: how well the classes come apart before and after, and what
    that means.
    """
    gain = comparison.gain
    if gain is None:
        measured = (
            "Five labelled reviews of each class are needed to measure how well the "
            "classes "
            "come apart; there are fewer."
        )
        return f"{measured} {_SAME}" if comparison.unchanged else measured
    measured = (
        "A straight cut through the vectors (5-fold cross-validated logistic regression) tells "
        "positive from negative in"
        f" {_percent(gain.before)} of {gain.count:,} reviews before fine-tuning and in "
        f"{_percent(gain.after)} after;"
        f" always saying the commoner label is right for {_percent(gain.commoner)}."
    )
    return (
        f"{measured} {_SAME}"
        if comparison.unchanged
        else f"{measured} {_meaning(gain)} {_learned(learned, comparison)}"
    )


_SAME = (
    "Both rows show the same: no vector was moved, because only the head of this model was "
    "trained, or nothing yet."
)


def _meaning(gain: SeparationGain) -> str:
    points, margin = 100 * (gain.after - gain.before), 100 * gain.margin
    if points > margin:
        return f"Fine-tuning has moved the classes apart, by {points:.1f} ± {margin:.1f} points."
    if points < -margin:
        return (
            f"The classes come apart less well than before, by {-points:.1f} ± {margin:.1f} points."
        )
    difference = f"{points:.1f} ± {margin:.1f} points".replace("-", "−")
    return (
        f"The difference of {difference} may be chance: nothing here shows that the classes "
        "have moved apart."
    )


def _learned(learned: int | None, comparison: BeforeAfter) -> str:
    count = len(comparison.table)
    if learned == 0:
        return "The model has learned from none of these reviews."
    if learned is None:
        return (
            "Reviews that the model has learned from make the lower row look better than new "
            "ones would."
        )
    return (
        f"The model has learned from {learned:,} of these {count:,} reviews, which makes the "
        "lower row look better than new ones would."
    )


def _current(
    name: str, before, after, reviews: Reviews, options: MapOptions
) -> tuple[ShownComparison | None, bool]:  # noqa: ANN001
    """The comparison to draw and whether it is the one asked for; says what is going on where it is
    not.
    """
    base = cache_key(
        before.key, after.key, after.max_length, reviews.sha256, options.pooling, options.layer
    )
    key = f"both-{cache_key(base, asdict(options))}"
    found: ShownComparison | None = st.session_state.get("map_compared")
    if found is None or found.shown.key != key:
        folder = cache_folder()

        def work(progress: Progress) -> BeforeAfter:
            return compare_before_after(
                before, after, reviews, options, cache=folder, progress=progress
            )

        at_once = starts_unasked(reviews, options, found is not None and found.shown.base == base)
        order = MapJob(key, work, "Before and after: four maps", len(reviews), at_once, SQUARE)
        made: BeforeAfter | None = map_outcome(order, kept=found is not None)
        if made is None:
            return found, False
        found = ShownComparison(
            ShownMap(key, base, made.after.pca, reviews, after.name),
            made,
            _learned_from(name, reviews),
        )
        st.session_state["map_compared"] = found
    return found, True


def _draw(
    found: ShownComparison,
    wish: MapSettings,
    dropped: dict[str, tuple[float, ...]] | None,
    *,
    fresh: bool,
) -> None:
    """Draw the four maps, greyed where they are not those asked for.

    A click opens a review and rings it in all of them, a lasso chooses many in all of them.
    """
    points, panels = found.shown.atlas.points, found.comparison.panels
    zoomed = tuple(st.session_state.get("map_ranges", {}).get(found.shown.key, {}).items())
    chosen, phone = known(selected_ids(), points["id"]), on_a_phone()
    stars = tuple((dropped or {}).items())
    figure = _figure(
        found.shown.key, wish.colour, wish.palette, chosen, stars, zoomed, phone, panels
    )
    if not fresh:
        st.html(STALE_STYLE)
    with st.container(key="map_fresh" if fresh else "map_stale"):
        st.plotly_chart(
            figure,
            key=CHART,
            config=_CONFIG,
            alt=f"Before and after: maps of {len(points):,} reviews, coloured by "
            f"{COLOURS[wish.colour].lower()}",
        )
    download_menu(CHART, figure, "bertsent-before-after", bar=True)
    watch_dots(CHART, lambda what: _pointed(found.shown.key, what), marked=open_review_id(points))


@st.cache_resource(max_entries=24, show_spinner=False)
def _figure(
    key: str,
    colour: ColourBy,
    palette: str,
    chosen: tuple,
    stars: tuple,
    zoomed: tuple,
    stacked: bool,
    _panels,
):  # noqa: ANN001, ANN202
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


def _pointed(key: str, what: DotEvent) -> None:
    """A dot was clicked: its review opens, or closes where it is open. Or many were enclosed: all
    panels show them, zoomed as they were.
    """
    if what.id is not None:
        open_review(None if st.session_state.get("map_selected") == what.id else what.id)
        return
    select_reviews(what.ids)
    st.session_state["map_ranges"] = {key: what.ranges}


def _choose_another(name: str) -> None:
    """One line: why there is no before and after, and which models have one."""
    what = "Choose a fine-tuned model" if name == BACKBONE else _NEEDED
    others = [
        title for other, title in model_choices(needs_sentiment=True).items() if _comparable(other)
    ]
    if name == BACKBONE:
        whom = (
            f" in the review bar: {', '.join(others[:3])}."
            if others
            else "; there is none from this backbone yet."
        )
    else:
        whom = (
            f" Choose one in the review bar: {', '.join(others[:3])}."
            if others
            else " There is none yet."
        )
    st.info(escape_markdown(what + whom))
    if not others:
        st.page_link(FINE_TUNE.file, label="Fine-tune a model")


def _comparable(name: str) -> bool:
    with suppress(BertsentError):
        return origin(name) is not None
    return False


def _learned_from(name: str, reviews: Reviews) -> int | None:
    """How many of the reviews were among those that the model's run trained on; None where no run
    is known.
    """
    if name == BUILTIN:
        known = _built_in_splits()  # of other reviews it cannot be told
        found = [known.get(text) for text in reviews.texts]
        return None if None in found else found.count("train")
    with suppress(BertsentError, OSError):
        if run := find_model(name, folders=False).run:
            folder = find_run(run).folder
            texts = _trained_on(str(folder), (folder / "config.json").stat().st_mtime)
            return sum(text in texts for text in reviews.texts)
    return None


@st.cache_resource(show_spinner=False)
def _built_in_splits() -> dict[str, str]:
    """The part that each built-in review belongs to, by its text; the model that ships learned from
    ``train``.
    """
    return {example.text: example.split for example in load_reviews(BUILTIN, contrastive=True)}


@st.cache_resource(max_entries=6, show_spinner=False)
def _trained_on(folder: str, created: float) -> frozenset[str]:
    return frozenset(Run(Path(folder)).splits().train.texts)


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
