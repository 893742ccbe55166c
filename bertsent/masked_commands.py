"""What ``predict`` and ``evaluate`` do with a model that learned masked words."""

import argparse
from typing import Any

from bertsent.data.examples import Reviews
from bertsent.errors import BadInput
from bertsent.probing.registry import find_model
from bertsent.text.masked_sentence import MASK

GUESSES = 5


def filled_gaps(options: argparse.Namespace, texts: Reviews) -> tuple[dict[str, Any], str]:
    """The document and the lines of ``predict``: the likeliest words for every gap of each text.

    Raises:
        BadInput: a text has no [MASK], or too many.
    """
    from bertsent.probing.fill_mask import fill_masks

    folder, rows, lines = find_model(options.model).folder, [], []
    for number, text in enumerate(texts.texts, start=1):
        try:
            gaps = fill_masks(folder, text, GUESSES)
        except BadInput as error:
            raise BadInput(f"Text {number}: {error.what}", error.remedy) from None
        words = [[{"word": word, "p": p} for word, p in gap.words] for gap in gaps]
        rows.append({"text": text, "gaps": words})
        said = " | ".join(", ".join(f"{word} {p:.3f}" for word, p in gap.words) for gap in gaps)
        lines.append(f"{said}\t{text}")
    return {"model": options.model, "task": "masked-words", "predictions": rows}, "\n".join(lines)


def refuse_evaluation(name: str) -> None:
    """Say where a model of masked words is judged.

    Raises:
        BadInput: always.
    """
    raise BadInput(
        f"{name} fills in words: it is judged on its own validation texts, while it trains.",
        f"See its run, or let it guess with “predict” and a text with {MASK}.",
    )
