"""The work behind every map: a model and reviews in, the map out, made in the background.

What a person sees last is kept in the session (``ShownMap``), so that it stays, greyed, while
something newer is made.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from bertsent.data.cache import cache_key
from bertsent.data.examples import Reviews
from bertsent.data.sources import host_files
from bertsent.probing.loaded_model import LoadedModel
from bertsent.settings import home
from bertsent.space.embedding import embeddings_key, is_embedded
from bertsent.space.known_vectors import remember_vectors
from bertsent.space.projection_map import MapOptions, ProjectionMap, build_map, is_kept
from bertsent.ui.shared import JobRequest, outcome
from bertsent.ui.shared.jobs import Work, jobs

if TYPE_CHECKING:
    import plotly.graph_objects as go

FEW, QUICK = 400, 1_000  # drawn without asking: so many reviews, or so many whose vectors are known
HEIGHT = 560


@dataclass(frozen=True)
class Shown:
    """What a session shows of the work of this page."""

    key: str  # of all that it was made of


@dataclass(frozen=True)
class ShownMap(Shown):
    """A finished map and what it was made of."""

    base: str  # equal bases have equal vectors
    map: ProjectionMap
    reviews: Reviews
    model: str  # its name


S = TypeVar("S", bound=Shown)


def current_map(
    model: LoadedModel, reviews: Reviews, options: MapOptions
) -> tuple[ShownMap | None, bool]:
    """The map to draw and whether it is the one asked for; says what is going on where it is not.

    A small map, or one whose vectors are known, starts by itself; any other waits for its button.
    """
    base = embeddings_key(model, reviews, options.pooling, options.layer)
    _remember_vectors(model, reviews, options)
    key, folder = f"map-{cache_key(base, asdict(options))}", cache_folder()

    def quick(_older: ShownMap | None) -> bool:
        embedded = is_embedded(
            model, reviews, pooling=options.pooling, layer=options.layer, cache=folder
        )
        return is_quick(reviews, options, embedded) or is_kept(
            model, reviews, options, cache=folder
        )

    return newest(
        "map_shown",
        key,
        f"A map of {len(reviews):,} reviews",
        lambda progress: build_map(model, reviews, options, cache=folder, progress=progress),
        lambda made: ShownMap(key, base, made, reviews, model.name),
        quick=quick,
    )


def _remember_vectors(model: LoadedModel, reviews: Reviews, options: MapOptions) -> None:
    """Take the vectors of a file of the host's that carries them (``bertsent embed``)."""
    path = host_files().get(reviews.origin.name) if reviews.origin.kind == "file" else None
    if path is not None and path.suffix.lower() == ".parquet":
        remember_vectors(
            model,
            reviews,
            path,
            pooling=options.pooling,
            layer=options.layer,
            cache=cache_folder(),
        )


def newest(
    slot: str,
    key: str,
    title: str,
    work: Work,
    keep: Callable[[Any], S],
    *,
    quick: Callable[[S | None], bool],
    height: int = HEIGHT,
) -> tuple[S | None, bool]:
    """What to draw, and whether it is what was asked for. What was asked for is made in the
    background; meanwhile its progress, or the button that begins it, is drawn above what the
    session showed last, or in the room of the figure.

    Args:
        slot: where the session keeps what it shows.
        key: of what is asked for.
        work: makes it.
        keep: what the session keeps of what was made.
        quick: whether the work begins without a button, given what the session shows now.
        height: of the figure, in pixels.
    """
    shown: S | None = st.session_state.get(slot)
    if shown is not None and shown.key == key:
        return shown, True
    begins = quick(shown)
    request = JobRequest(
        key,
        work,
        title,
        "Refresh the map" if shown else "Draw the map",
        lane="short" if begins else "long",
        unasked=begins,
        note="The settings have changed. Below is the previous map."
        if shown
        else f"{title} will appear here. It takes a while and can be cancelled.",
        kept="Finished batches of 256 reviews are kept: the next try continues from there.",
    )
    job = jobs().find(key)
    if job is not None and job.state == "done":
        made = job.result
    else:
        with st.container(
            border=True, height="content" if shown else height, vertical_alignment="center"
        ):
            made = outcome(request)
    if made is None:
        return shown, False
    shown = st.session_state[slot] = keep(made)
    return shown, True


def is_quick(reviews: Reviews, options: MapOptions, embedded: bool) -> bool:
    """Whether a map is quick enough to be drawn without asking."""
    return len(reviews) <= (QUICK if embedded else FEW) or (embedded and options.method == "pca")


def figure_container(fresh: bool) -> DeltaGenerator:
    """Where a figure is drawn; it is greyed where it is not the one asked for."""
    return st.container(key="map_fresh" if fresh else "map_stale")


@st.cache_resource(max_entries=40, show_spinner=False)
def kept_figure(key: tuple[object, ...], _make: Callable[[], "go.Figure"]) -> "go.Figure":
    """The figure that ``key`` names, drawn once for everybody."""
    return _make()


def cache_folder() -> Path:
    """The folder of vectors and maps."""
    return home() / "cache" / "space"


def on_a_phone() -> bool:
    """Whether the browser says that it is one of a phone."""
    return "Mobi" in (st.context.headers.get("User-Agent") or "")
