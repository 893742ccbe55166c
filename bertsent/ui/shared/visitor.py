"""Who looks at the page, as the layer in front of it says (``bertsent.ui.visitors``)."""

from dataclasses import dataclass

import streamlit as st

from bertsent.ui.visitors import HOST_HEADER, VISITOR_HEADER


@dataclass(frozen=True)
class Visitor:
    """A browser: the SHA-256 of its secret, and whether it is the host's.

    Without the layer, under ``streamlit run app.py``, nobody is told apart: the id is empty and
    everybody is the host.
    """

    id: str = ""
    host: bool = True


def visitor() -> Visitor:
    """The visitor of this run of the page."""
    headers = st.context.headers
    name = headers.get(VISITOR_HEADER, "")
    return Visitor(name, headers.get(HOST_HEADER) == "1") if name else Visitor()
