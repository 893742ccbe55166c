"""The lab in small: one review and one model in five tiles, each a door to the page that shows
more.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from bertsent.errors import BadInput, NotAvailable
from bertsent.ui.shared import escape_markdown, result, show_errors


@contextmanager
def tile(name: str, page: str, label: str, about: str, **choices: str) -> Iterator[None]:
    """A tile: its heading leads to a page, where ``choices`` hold; what is drawn inside follows. A
    model that cannot give it, or a review that it cannot be asked about, is said in words.

    Args:
        name: of the result.
        page: the script of the page that shows more.
        label: the heading.
        about: how the picture is made, for whoever points at the heading.
        choices: parameters of the link.
    """
    with result(name):
        st.page_link(
            page,
            label=label,
            icon=":material/arrow_forward:",
            icon_position="right",
            help=about,
            query_params=choices,
        )
        with show_errors():
            try:
                yield
            except (NotAvailable, BadInput) as reason:
                st.caption(escape_markdown(str(reason)))
