"""Layer by layer: what could be read of the answer after each layer, and where it turns."""

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from bertsent.data.cleaning import shorten, typed_review
from bertsent.data.examples import Splits
from bertsent.data.sources import load_reviews
from bertsent.data.splits import split
from bertsent.figures.layer_reading import (
    EARLY,
    PROBE,
    layer_reading_charts,
    layer_reading_frame,
)
from bertsent.probing.layer_probes import (
    HELD_OUT,
    ROWS,
    LayerProbes,
    LogitLens,
    answer_turns_sentence,
    cached_probes,
    logit_lens,
    probes_path,
)
from bertsent.probing.loaded_model import LoadedModel
from bertsent.settings import LIMITS, home
from bertsent.ui.probe.no_answer import knows_no_word
from bertsent.ui.shared import (
    LINKED,
    JobRequest,
    altair_chart,
    downloads_and_help,
    escape_markdown,
    loaded_model,
    outcome,
    result,
)

if TYPE_CHECKING:
    import altair as alt

POOLED = {
    "cls": "that of [CLS]. Before the first layer it is the same for every review, so that reading "
    "is a constant",
    "mean": "the mean over all tokens",
    "max": "the largest value of each dimension over all tokens",
}

PROBES = (
    "Which layer holds the answer? A probe, a small classifier trained on what one layer holds, "
    "tells. It is trained once for each model, on about 1,800 reviews, and takes up to a minute."
)


def show_layer_by_layer(name: str, text: str) -> None:
    """Draw what the model of that registry name holds of its answer after every layer.

    Raises:
        BertsentError: the model does not answer, or a text is of no use.
    """
    model = loaded_model(name)
    if knows_no_word(model, text):
        return
    other = st.text_input(
        "Compare with another review",
        key="lens_other",
        max_chars=LIMITS.review_chars,
        placeholder="Compare with another review, drawn dashed: Great, another gripping movie",
        label_visibility="collapsed",
        **LINKED,
    )
    texts = [text, *([typed_review(other, LIMITS.review_chars)] if (other or "").strip() else [])]
    lenses = [logit_lens(model, each) for each in texts]
    left, right = st.columns([3, 2], gap="large")
    with left:
        answer = result("layers")
    with right, result("probes"):
        probes = _probes(model)
        held_out = st.container()
    readings, said = _read(texts, lenses, probes)
    accuracy = _accuracy(probes) if probes else pd.DataFrame()
    charts = layer_reading_charts(readings, accuracy)
    with answer:
        altair_chart(charts.answer, width="stretch", key="lens-answer", alt=said[0])
        for sentence in said:
            st.caption(escape_markdown(sentence))
    if probes:
        _show_accuracy(held_out, charts.accuracy, probes.sentence())
    downloads_and_help(
        "lens",
        lambda: layer_reading_charts(readings, accuracy, sheet=True)[: 2 if probes else 1],
        "lens",
        ("probe", "layer_by_layer"),
        finding=" ".join(said),
        tables={"Readings": readings, **({"Probe accuracy": accuracy} if probes else {})},
        learned=f"{probes.learned if probes else ROWS:,}",
        held_out=f"{probes.held_out if probes else HELD_OUT:,}",
        pooled=POOLED[model.pooling],
    )


def _read(
    texts: list[str], lenses: list[LogitLens], probes: LayerProbes | None
) -> tuple[pd.DataFrame, list[str]]:
    """What can be read of each text after each layer, and in words where it turns."""
    names = [shorten(text, 60) for text in texts]
    if len(set(names)) < len(names):
        names[1] = f"{names[1]} (2)"
    probed = [probes.read(lens.vectors) if probes else None for lens in lenses]
    readings = pd.concat(
        layer_reading_frame(lens.early, [] if read is None else read, name)
        for lens, read, name in zip(lenses, probed, names, strict=True)
    )
    said = [answer_turns_sentence(*pair) for pair in zip(lenses, probed, strict=True)]
    if len(said) > 1:
        lines = zip(("Solid", "Dashed"), names, said, strict=True)
        said = [f"{line}, “{name}”: {each}" for line, name, each in lines]
    return readings, said


def _show_accuracy(place: DeltaGenerator, chart: "alt.LayerChart", said: str) -> None:
    altair_chart(chart, width="stretch", key="lens-accuracy", alt=said, place=place)
    place.caption(escape_markdown(said))


def _accuracy(probes: LayerProbes) -> pd.DataFrame:
    """One row a layer and reading: layer, reading, accuracy, low, high."""
    columns = ["layer", "reading", "accuracy", "low", "high"]
    parts = [
        pd.DataFrame(probes.intervals(correct), columns=columns[-2:]).assign(
            layer=range(len(correct)), reading=reading, accuracy=correct.mean(axis=1)
        )
        for reading, correct in ((EARLY, probes.head_correct), (PROBE, probes.correct))
    ]
    return pd.concat(parts, ignore_index=True)[columns]


@st.cache_resource(max_entries=1, show_spinner="Reading the reviews …")
def _reviews() -> Splits:
    """What probes learn from, and the test reviews on which they are evaluated."""
    reviews = load_reviews("builtin")
    tests = reviews.where([example.split == "test" for example in reviews])
    found = split(reviews)
    return Splits(found.train, tests if len(tests) else found.validation)


def _probes(model: LoadedModel) -> LayerProbes | None:
    splits, cache = _reviews(), home() / "cache" / "probes"
    path = probes_path(model, splits, cache)
    return outcome(
        JobRequest(
            path.stem,
            lambda progress: cached_probes(model, splits, cache=cache, progress=progress),
            "Training a probe for each layer",
            "Train a probe for each layer",
            0 if path.is_file() else (ROWS + HELD_OUT) * 64,
            note=PROBES,
        )
    )
