"""The answer of a model to a review of one's own, as a phone shows it."""

from typing import Any
from urllib.parse import urlencode

from bertsent.data.cleaning import clean_text
from bertsent.probing.answer import answer_title, reading_sentence
from bertsent.probing.loaded_model import Prediction
from bertsent.probing.registry import find_model
from bertsent.ui.shared import loaded_model


def probe_view(name: str, typed: str, answer: Prediction) -> dict[str, Any]:
    """The chip as it stands on Probe, what the model could not read, and where the lab shows it.

    Raises:
        BertsentError: the model is gone.
    """
    model = loaded_model(name)
    tokens = len(model.tokens(clean_text(typed)))
    note = f"{model.name} · {tokens} tokens. {reading_sentence(model, typed, answer)}"
    return {
        "title": answer_title(answer),
        "label": answer.label.lower(),
        "note": note.strip(),
        "link": _link(name, typed),
    }


def _link(name: str, typed: str) -> str:
    found = find_model(name, folders=False)
    step = {} if found.step is None else {"step": found.step}
    query = {"text": typed.strip(), "model": found.run or name, **step}
    return f"/Probe?{urlencode(query, errors='replace')}"
