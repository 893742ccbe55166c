"""Who looks at the page, as the layer in front of it says (``bertsent.ui.visitors``)."""

from dataclasses import dataclass

import streamlit as st

from bertsent.ui.visitors import HOST_HEADER, VISITOR_HEADER, is_guarded


@dataclass(frozen=True)
class Visitor:
    """A browser: the SHA-256 of its secret, and whether it is the host's.

    Without the layer, under ``streamlit run app.py``, nobody is told apart: the id is empty and
    everybody is the host.
    """

    id: str = ""
    host: bool = True


NOBODY = Visitor("nobody", host=False)


def visitor() -> Visitor:
    """The visitor of this run of the page.

    Streamlit knows no headers of a browser that has gone meanwhile, though what it pressed is still
    carried out. Behind the layer that is nobody, who owns nothing and can start nothing.
    """
    headers = st.context.headers
    name = headers.get(VISITOR_HEADER, "")
    if name:
        return Visitor(name, headers.get(HOST_HEADER) == "1")
    return NOBODY if is_guarded() else Visitor()
