"""Pin what is seen to the visitor's notebook: one entry of each download menu."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import pandas as pd
import streamlit as st

from bertsent.errors import BadInput, BertsentError, NotAllowed
from bertsent.training.runs.run import Run, find_run
from bertsent.ui.shared.errors import escape_markdown, report
from bertsent.ui.shared.links import NO_QUERY, linked_name
from bertsent.ui.shared.live_answer import live_answer
from bertsent.ui.shared.model_picker import MODEL, loaded_model
from bertsent.ui.shared.presenter import PRESENT
from bertsent.ui.shared.results import finding_of
from bertsent.ui.shared.review_bar import current_review
from bertsent.ui.shared.tabs import chosen_tab
from bertsent.ui.shared.visitor import visitor

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from bertsent.report.document import Drawing, NumberTable
    from bertsent.report.notebook import Notebook
    from bertsent.report.pins import Pin, PinContent

Tables = Mapping[str, pd.DataFrame | Callable[[], pd.DataFrame]]
_PAGE = "page_drawn"
_ABOUT_A_REVIEW = ("Home", "Probe", "Attention")
_ABOUT_RUNS, _OF_ONE_RUN = "Fine-tune", ("Run", "Loss landscape", "Lesson")
_ROWS = (200, 50, 5)  # of a table; fewer where the pin would be too large


@dataclass(frozen=True)
class Seen:
    """What was known of a result when it was drawn: its finding, where it stood, whether it is
    about the review, and of which run it is where that is not the open one.
    """

    finding: str
    tab: str
    about_review: bool
    run: Run | None = None


def remember_page(title: str) -> None:
    """Note which page is drawn, for what is pinned on it."""
    st.session_state[_PAGE] = title


def notebook() -> "Notebook":
    """The notebook of this visitor.

    Raises:
        NotAllowed: the browser is not known.
    """
    from bertsent.report.notebook import notebook_of

    return notebook_of(visitor().id)


def notebook_link(page: str) -> None:
    """The way to the notebook among the tools of a page, where something is in it."""
    with suppress(NotAllowed):
        if number := len(notebook().pins()):
            st.page_link(
                page,
                label=f"Notebook ({number})",
                icon=":material/keep:",
                width="content",
                query_params=NO_QUERY,
            )


def pin_button(
    key: str,
    figure: "go.Figure | Callable[[], Any] | None",
    tables: Tables,
    finding: str,
    run: Run | None = None,
) -> None:
    """Draw the entry that keeps what stands above the menu.

    Args:
        key: of the menu.
        figure: a Plotly figure, or what makes one, or what makes Altair charts; None for tables.
        tables: its numbers, by what they hold.
        finding: what it shows in words; where empty, what the chart above the menu said.
        run: which run it is of, where that is not the one that the page has open.
    """
    said = finding or finding_of(key, nearest=figure is not None) or ", ".join(tables)
    tab, about_review = chosen_tab()
    st.button(
        "Pin to my notebook",
        key=f"{key}_pin",
        on_click=_pin,
        args=(figure, tables, Seen(said, tab, about_review, run)),
        width="stretch",
        icon=":material/keep:",
        help="Keeps the figure, its numbers and the way back to it, for you alone.",
    )


def _pin(figure: Any, tables: Tables, seen: Seen) -> None:
    try:
        content = _content(figure, tables, seen.finding)
        notebook().keep(_facts(seen), content)
    except BertsentError as error:
        st.toast(escape_markdown(str(error)), icon=":material/error:")
    except Exception as error:
        st.toast(report(error), icon=":material/error:")
    else:
        st.toast("Pinned. Your notebook is at the top right.", icon=":material/keep:")


def _content(figure: Any, tables: Tables, finding: str) -> "PinContent":
    from bertsent.report.pins import PinContent

    drawings = tuple(_drawings(figure, finding))
    frames = {name: table() if callable(table) else table for name, table in tables.items()}
    for most in _ROWS:
        content = PinContent(drawings, tuple(_tables(frames, most)))
        with suppress(BadInput):
            content.packed()
            return content
    return PinContent(drawings)


def _drawings(figure: Any, finding: str) -> "list[Drawing]":
    from bertsent.figures.embedded import plotly_spec, vega_spec
    from bertsent.report.document import Drawing

    made = figure() if callable(figure) else figure
    charts: Sequence[Any] = made if isinstance(made, Sequence) else [made] if made else []
    return [
        Drawing("plotly", plotly_spec(chart), finding)
        if hasattr(chart, "to_plotly_json")
        else Drawing("vega", vega_spec(chart), finding)
        for chart in charts
    ]


def _tables(frames: Mapping[str, pd.DataFrame], most: int) -> "list[NumberTable]":
    from bertsent.report.document import NumberTable

    return [NumberTable.of_frame(name, frame, most=most) for name, frame in frames.items()]


def _facts(seen: Seen) -> "Pin":
    from bertsent.report.pins import LONGEST, Pin
    from bertsent.report.references import cited
    from bertsent.report.run_card import machine_card

    page, name = st.session_state.get(_PAGE, ""), st.session_state.get(MODEL) or ""
    return Pin(
        page=page,
        tab=seen.tab,
        link=_link(page, name),
        finding=seen.finding[:LONGEST],
        machine=machine_card(),
        papers=tuple(cited(page, seen.tab)),
        **(_run_facts(seen) if page == _ABOUT_RUNS else _model_facts(page, name, seen)),
    )


def _run_facts(seen: Seen) -> dict[str, Any]:
    """The run that a result of Fine-tune is about; nothing where there are several."""
    from bertsent.report.run_card import run_card

    with suppress(BertsentError):
        if seen.run or seen.tab in _OF_ONE_RUN:
            run = seen.run or find_run(linked_name("run"))
            return {"model": run.id, "card": run_card(run)}
    return {}


def _model_facts(page: str, name: str, seen: Seen) -> dict[str, Any]:
    """The model in the bar, and its answer where the result is about the review."""
    from bertsent.report.run_card import model_card, model_title

    if not name:
        return {}
    about = page in _ABOUT_A_REVIEW and seen.about_review
    answer = _answer(name) if about else {}
    return {"model": model_title(name), "card": model_card(name), **answer}


def _answer(name: str) -> dict[str, Any]:
    """The review and what the model says to it."""
    from bertsent.probing.answer import answer_title

    found: dict[str, Any] = {}
    with suppress(BertsentError):
        found["review"] = current_review()
        model = loaded_model(name)
        if "sentiment" in model.gives:
            prediction = live_answer(model, found["review"]).prediction
            found |= {"answer": answer_title(prediction), "p_positive": prediction.p_positive}
    return found


def _link(page: str, name: str) -> str:
    """The address of what is seen, with the checkpoint that is in use even where the page follows
    the newest.
    """
    query = {k: st.query_params.get_all(k) for k in st.query_params if k != PRESENT}
    _, _, step = name.partition("/step-")
    if step.isdecimal():
        query["step"] = [step]
    path = "/" if page == "Home" else f"/{page}"
    return f"{path}?{urlencode(query, doseq=True)}" if query else path
