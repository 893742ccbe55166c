"""Texts against each other: the cosines of their vectors, and what fine-tuning did to them."""

from collections.abc import Callable

import numpy as np
import pandas as pd

from bertsent.figures.similarity import similarity_figure
from bertsent.probing.loaded_model import LoadedModel
from bertsent.space.similarity import cosine_similarities, similarity_sentence, tuning_sentence
from bertsent.ui.shared import loaded_model, show_figure
from bertsent.ui.words.encoder import ChosenEncoder


def show_cosines(
    encoder: ChosenEncoder,
    texts: list[str],
    what: str,
    vectors_of: Callable[[LoadedModel], np.ndarray],
) -> None:
    """Every text against every other under one encoder.

    Args:
        what: is compared, for the key of the chart.
        vectors_of: the vector of each text under a model, (n, H).
    """
    similarities = cosine_similarities(vectors_of(loaded_model(encoder.name)))
    sentence = similarity_sentence(similarities, texts)
    if encoder.ends:
        before, after = (cosine_similarities(vectors_of(loaded_model(end))) for end in encoder.ends)
        sentence += f" {tuning_sentence(before, after)}"
    numbers = [str(n) for n in range(1, len(texts) + 1)]
    table = pd.DataFrame(similarities, columns=numbers).assign(text=texts)
    show_figure(
        similarity_figure(similarities, texts),
        f"{what}_cosines_chart",
        "bertsent-cosines",
        sentence,
        tables={"Cosines": table},
    )
