"""The notebook: every pin with its figure, note and way back; the whole of it as one file."""

from collections.abc import Sequence
from functools import partial
from urllib.parse import parse_qsl, urlsplit

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from bertsent.errors import BertsentError
from bertsent.report.document import Chapter, Document, day_and_time
from bertsent.report.html_page import html_page
from bertsent.report.notebook import DAYS, MOST_PINS, Notebook, delete_expired_notebooks
from bertsent.report.pins import LONGEST_NOTE, Pin, pin_cards, pin_exhibit
from bertsent.report.references import in_order
from bertsent.ui.notebook.drawn import draw_content
from bertsent.ui.shared import escape_markdown, result, show_error
from bertsent.ui.shared.frame import HOME, PAGES
from bertsent.ui.shared.pinning import notebook
from bertsent.ui.shared.server_address import server_address

AT_ONCE = 5  # pins with their figures
_SHOWN = "notebook_shown"
_KEPT = (
    f"The lab keeps it for this browser alone, without a name, until {DAYS} days after its last "
    f"change; it takes {MOST_PINS} pins."
)


def show_notebook(row: DeltaGenerator) -> None:
    """Draw what the visitor pinned; the tools of the notebook go into ``row``."""
    book = notebook()
    delete_expired_notebooks()
    pins = book.pins()
    if not pins:
        with result("empty"):
            st.info(
                "Your notebook is empty. Below every figure of the lab is “Download”; “Pin to my "
                f"notebook” in it keeps the figure here. {_KEPT}"
            )
            st.page_link("pages/3_Probe.py", label="Look at a review")
        return
    with row:
        _tools(book, pins)
    st.caption(f"{_number(len(pins))}. {_KEPT}")
    shown = st.session_state.get(_SHOWN, AT_ONCE)
    for place, pin in enumerate(pins[:shown]):
        with result(f"pin_{pin.id}", border=True):
            _pin(book, pin, place, len(pins))
    if len(pins) > shown:
        more = {_SHOWN: shown + AT_ONCE}
        label = f"Show more: {len(pins) - shown:,} below"
        st.button(label, key="notebook_more", on_click=st.session_state.update, args=(more,))


def _tools(book: Notebook, pins: Sequence[Pin]) -> None:
    st.download_button(
        "Download as one HTML file",
        partial(_file, book, server_address()),
        "bertsent-notebook.html",
        "text/html",
        key="notebook_file",
        on_click="ignore",
        icon=":material/download:",
        type="primary",
        help="All pins with their figures to hover, run cards and references. It opens offline.",
    )
    with st.popover("Delete", type="tertiary", key="notebook_delete"):
        st.caption(f"{_number(len(pins))} will be gone for good.")
        st.button("Delete the notebook", key="notebook_delete_all", on_click=book.delete)


def _pin(book: Notebook, pin: Pin, place: int, number: int) -> None:
    """One pin: what it says, its figures, where it comes from, the note, and its buttons."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f"**{place + 1}. {escape_markdown(pin.place)}**", width="content")
        st.caption(escape_markdown(_made_with(pin)), width="stretch")
        _buttons(book, pin, place, number)
    st.markdown(escape_markdown(pin.finding))
    draw_content(pin, book.content(pin.id))
    st.text_area(
        "Note",
        pin.note,
        key=f"note_{pin.id}",
        height=68,
        max_chars=LONGEST_NOTE,
        placeholder="Write what you see in it",
        label_visibility="collapsed",
        on_change=_annotate,
        args=(book, pin.id),
    )


def _buttons(book: Notebook, pin: Pin, place: int, number: int) -> None:
    target = urlsplit(pin.link)
    page = next((e for e in PAGES if e.title == target.path.strip("/")), HOME)
    st.page_link(
        page.file,
        label="Open again",
        query_params=dict(parse_qsl(target.query)),
        width="content",
    )
    for label, icon, to in (("Up", "arrow_upward", -1), ("Down", "arrow_downward", 1)):
        st.button(
            "",
            key=f"{label.lower()}_{pin.id}",
            icon=f":material/{icon}:",
            help=label,
            type="tertiary",
            on_click=_carefully,
            args=(book.move, pin.id, place + to),
            disabled=not 0 <= place + to < number,
        )
    st.button(
        "",
        key=f"out_{pin.id}",
        icon=":material/delete:",
        help="Take it out of the notebook",
        type="tertiary",
        on_click=_carefully,
        args=(book.take_out, pin.id),
    )


def _made_with(pin: Pin) -> str:
    parts = (pin.answer, f"“{pin.review}”" if pin.review else "", pin.model, day_and_time(pin.time))
    return " · ".join(part for part in parts if part)


def _annotate(book: Notebook, pin: str) -> None:
    _carefully(book.annotate, pin, st.session_state[f"note_{pin}"])


def _carefully(act: object, *arguments: object) -> None:
    """Do it; what goes wrong is said above the page, which is drawn anew."""
    try:
        act(*arguments)  # type: ignore[operator]
    except BertsentError as error:
        show_error(error)


def _number(pins: int) -> str:
    return "1 pin" if pins == 1 else f"{pins} pins"


def _file(book: Notebook, server: str) -> bytes:
    """The notebook as it is when the button is pressed."""
    pins = book.pins()
    parts = tuple(pin_exhibit(pin, book.content(pin.id)) for pin in pins)
    last = max((pin.time for pin in pins), default=0.0)
    return html_page(
        Document(
            "My notebook",
            f"{_number(len(pins))} from the bertsent lab, the last one of {day_and_time(last)}.",
            [Chapter("", parts)],
            pin_cards(pins),
            in_order(paper for pin in pins for paper in pin.papers),
            server,
        )
    )
