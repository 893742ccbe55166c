"""Layer by layer: what could be read of the answer after each layer, and where it turns."""

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from bertsent.data.cleaning import shorten, typed_review
from bertsent.settings import LIMITS, home
from bertsent.ui.shared.errors import escape_markdown
from bertsent.ui.shared.jobs import UNASKED_TOKENS, JobRequest, outcome
from bertsent.ui.shared.model_picker import loaded_model
from bertsent.ui.why.carry import carry

if TYPE_CHECKING:
    from bertsent.data.examples import Splits
    from bertsent.probing.layer_probes import LayerProbes, LogitLens
    from bertsent.probing.loaded_model import LoadedModel

_HOW = """
- **The head, applied early**: the model's own last step is given the vector of an earlier layer (the logit lens, nostalgebraist 2020).
  The head learned to read the last layer only, so what it reads earlier may be wrong although the layer knows. After the last layer it
  is the answer itself.
- **A probe** (Alain and Bengio 2017) is a logistic regression trained on what each layer holds of {learned:,} of the built-in training
  reviews. It shows what can be read there, not what the model uses.
- **How often** each is right is measured on {judged:,} of the built-in test reviews, from which no probe learned; the bands are Wilson's
  95 % intervals. These reviews are hard on purpose: many are one half of a minimal pair.
- Both read the same vector as the head: {pooled}.
"""
_POOLED = {
    "cls": "that of [CLS]. Before the first layer it is the same for every review, so that reading "
    "is a constant",
    "mean": "the mean over all tokens",
    "max": "the largest value of each dimension over all tokens",
}


def show_layer_by_layer(name: str, text: str) -> None:
    """Draw what the model of that registry name holds of its answer after every layer.

    Raises:
        BertsentError: the model does not answer, or a text is of no use.
    """
    from bertsent.probing.layer_probes import logit_lens

    model = loaded_model(name)
    other = st.text_input(
        "Compare with another review",
        key="lens_other",
        bind="query-params",
        persist_state="session",
        max_chars=LIMITS.review_chars,
        placeholder="Great, another gripping movie",
        help="Drawn dashed. Nothing is compared while this is empty.",
    )
    texts = [text, *([typed_review(other, LIMITS.review_chars)] if (other or "").strip() else [])]
    lenses = [logit_lens(model, each) for each in texts]
    place = st.container()
    probes = _probes(model)
    with place:
        _drawn(model, texts, lenses, probes)


def _drawn(
    model: "LoadedModel", texts: list[str], lenses: list["LogitLens"], probes: "LayerProbes | None"
) -> None:
    from bertsent.figures.layer_reading import layer_reading_charts, layer_reading_frame

    names = [shorten(text, 60) for text in texts]
    if len(set(names)) < len(names):
        names[1] = f"{names[1]} (2)"
    read = [probes.read(lens.vectors) if probes else () for lens in lenses]
    readings = pd.concat(
        [
            layer_reading_frame(lens.early, probed, name)
            for lens, probed, name in zip(lenses, read, names, strict=True)
        ]
    )
    accuracy = _accuracy(probes) if probes else pd.DataFrame()
    words = _turns(lenses[0], read[0])
    charts = layer_reading_charts(readings, accuracy)
    st.altair_chart(charts.answer, width="stretch", key="lens-answer", alt=words)
    if probes:
        st.altair_chart(
            charts.accuracy, width="stretch", key="lens-accuracy", alt=_accuracies(probes)
        )
    st.caption(escape_markdown(words if len(lenses) == 1 else f"Solid, “{names[0]}”: {words}"))
    if len(lenses) > 1:
        st.caption(escape_markdown(f"Dashed, “{names[1]}”: {_turns(lenses[1], read[1])}"))
    if probes:
        st.caption(escape_markdown(_accuracies(probes)))
    with st.container(horizontal=True, gap="small"):
        tables = {"Readings": readings, **({"Probe accuracy": accuracy} if probes else {})}
        carry(
            "lens",
            tables,
            lambda: layer_reading_charts(readings, accuracy, sheet=True)[: 2 if probes else 1],
        )
        with st.popover("How is this computed?", type="tertiary"):
            from bertsent.probing.layer_probes import HELD_OUT, ROWS

            learned, judged = (probes.learned, probes.judged) if probes else (ROWS, HELD_OUT)
            st.markdown(_HOW.format(learned=learned, judged=judged, pooled=_POOLED[model.pooling]))


def _turns(lens: "LogitLens", probed) -> str:  # noqa: ANN001 - (L + 1,) or empty
    """Where the answer becomes what it is at the end."""
    from bertsent.probing.layer_probes import side, turn_of

    end = f"The answer is {side(lens.early[-1])}, P(positive) {100 * lens.early[-1]:.1f} %."
    head = _turn("The model’s own head", turn_of(lens.early), len(lens.early) - 1)
    if not len(probed):
        return f"{end} {head}"
    if side(probed[-1]) != side(lens.early[-1]):
        return f"{end} {head} The probe of the last layer disagrees: {100 * probed[-1]:.1f} %."
    return f"{end} {head} {_turn('The probes', turn_of(probed), len(probed) - 1)}"


def _turn(who: str, layer: int | None, last: int) -> str:
    if layer is None:
        return f"{who} would say so from the start."
    return (
        f"{who} would say so "
        f"{'only after the last layer' if layer == last else f'from layer {layer} on'}."
    )


def _accuracy(probes: "LayerProbes") -> pd.DataFrame:
    from bertsent.figures.layer_reading import EARLY, PROBE
    from bertsent.probing.slices import Slice

    layers = list(range(len(probes.right)))
    found = [Slice("", probes.judged, int(right)) for right in (*probes.head_right, *probes.right)]
    return pd.DataFrame(
        {
            "layer": layers * 2,
            "reading": [EARLY] * len(layers) + [PROBE] * len(layers),
            "accuracy": [each.accuracy for each in found],
            "low": [each.interval[0] for each in found],
            "high": [each.interval[1] for each in found],
        }
    )


def _accuracies(probes: "LayerProbes") -> str:
    shares = probes.accuracy
    return (
        f"On {probes.judged:,} held-out reviews the probe is right for {100 * shares[0]:.1f} % "
        "before the first layer, "
        f"{100 * shares[len(shares) // 2]:.1f} % after layer {len(shares) // 2}, and "
        f"{100 * shares[-1]:.1f} % after the last; "
        f"the model itself for {100 * probes.head_accuracy[-1]:.1f} %."
    )


@st.cache_resource(max_entries=1, show_spinner="Reading the reviews …")
def _reviews() -> "Splits":
    """What probes learn from, and the test reviews that judge them."""
    from bertsent.data.examples import Splits
    from bertsent.data.sources import load_reviews
    from bertsent.data.splits import split

    reviews = load_reviews("builtin")
    tests = reviews.where([example.split == "test" for example in reviews])
    found = split(reviews)
    return Splits(found.train, tests if len(tests) else found.validation)


def _probes(model: "LoadedModel") -> "LayerProbes | None":
    """The probes of this model, or the button that has them trained."""
    from bertsent.probing.array_cache import array_path
    from bertsent.probing.layer_probes import HELD_OUT, ROWS, cached_probes, probes_key

    splits, folder = _reviews(), home() / "cache" / "probes"
    key = probes_key(model, splits.train, splits.validation)

    def work(progress):  # noqa: ANN001, ANN202
        return cached_probes(
            model, splits.train, splits.validation, cache=folder, progress=progress
        )

    tokens = (
        0
        if array_path(folder, "probes", key).is_file()
        else max(UNASKED_TOKENS + 1, (ROWS + HELD_OUT) * 64)
    )
    title = "Training a probe for each layer"
    return outcome(JobRequest(f"probes-{key}", work, title, "Train a probe for each layer", tokens))
