"""What the tests of the Attention page share: how its words, metrics and cells are read."""

import base64
import json

import numpy as np
from streamlit.testing.v1 import AppTest

from tests.ui.conftest import words

PAGE, PUZZLE = "4_Attention", "Great, another boring movie"
LONG = "The plot is thin, the jokes are old and the acting is fine. " * 6


def said(app: AppTest) -> str:
    return words(app).replace("\\", "")


def values(app: AppTest) -> list[str]:
    return [metric.value for metric in app.metric]


def charts(app: AppTest) -> list[dict]:
    """The Plotly figures on the page, from top to bottom."""
    return [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]


def cells(figure: dict) -> np.ndarray:
    """The numbers of a heatmap, which may be two that lie over each other."""
    first, *others = (_decoded(trace["z"]) for trace in figure["data"])
    for other in others:
        first = np.where(np.isnan(first), other, first)
    return first


def _decoded(z: object) -> np.ndarray:
    """Plotly writes arrays as base64 where it can."""
    if isinstance(z, dict):
        flat = np.frombuffer(base64.b64decode(z["bdata"]), dtype=z["dtype"])
        return flat.reshape([int(n) for n in z["shape"].split(",")]).astype(float)
    return np.array([[np.nan if cell is None else cell for cell in row] for row in z], float)
