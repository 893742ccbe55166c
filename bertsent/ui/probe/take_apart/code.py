"""Show me the code: what every part computes as a few lines of PyTorch, with the review, the model
and the choices of the page in them, to copy and to download.
"""

from collections.abc import Callable
from pathlib import Path

import streamlit as st

from bertsent.models.folders import local_folder
from bertsent.probing.before_fine_tuning import Beginning
from bertsent.probing.loaded_model import LoadedModel
from bertsent.worked_examples.code_cells import BEFORE, MODEL, Code

FILE = "from-letters-to-loss"
WORDS = (
    "What all parts show, as PyTorch code for this review and this model. It runs wherever "
    "bertsent is installed; runs of this lab are found there under the same BERTSENT_HOME."
)
_CHOSEN = "code_chosen"  # for which model and review, and what, by the names in the code
GOES_ON = "It goes on where the code of the part before ends; “All code” above has the whole of it."


def use_in_code(**chosen: object) -> None:
    """Put what is chosen in a part into the code, by its names there: ``layer=3, head=7``."""
    st.session_state[_CHOSEN][1].update(chosen)


def begin_code(model: LoadedModel, text: str) -> None:
    """What was chosen for another model or review counts no more."""
    about = (model.key, text)
    if st.session_state.get(_CHOSEN, (None, {}))[0] != about:
        st.session_state[_CHOSEN] = (about, {})


def code_of(model: LoadedModel, name: str, text: str, began: Beginning | None) -> Code:
    """The code of the model that is taken apart, with what has been chosen in its parts.

    Args:
        model: that model.
        name: the registry name of the one in the review bar.
        text: the clean review.
        began: how that model began, where this is taken apart instead.
    """
    chosen: dict[str, object] = st.session_state[_CHOSEN][1]
    values = {"review": text, "max_length": model.max_length, "model_name": name, **chosen}
    drawn = began is not None and not (began.checkpoint or began.config.keep_head)
    if began is not None:
        # a folder of the server is named without its place
        encoder = Path(began.backbone).name if local_folder(began.backbone) else began.backbone
        values |= {
            "model_name": began.checkpoint or encoder,
            "backbone_name": encoder,
            "pooling": began.config.pooling,
            "seed": began.config.seed,
        }
    return Code(BEFORE if drawn else MODEL, str(model.model.bert.config.model_type), values)


def code_button(code: Code, part: str) -> None:
    """The code of one part behind a button."""
    with st.popover("Code", icon=":material/code:", type="tertiary", key=f"code_{part}"):
        for cell in code.cells(part):
            st.caption(cell.title)
            st.code(cell.code, language="python", wrap_lines=True)
        st.caption(GOES_ON)


def code_menu(code: Code) -> None:
    """All of it behind a button, as one script and as a notebook."""
    box = st.popover(
        "All code", icon=":material/code:", type="tertiary", key="code_all", on_change="rerun"
    )
    if not box.open:
        return
    with box:
        st.caption(WORDS)
        with st.container(horizontal=True):
            _download("Script", code.script, "py", "text/x-python")
            _download("Notebook", code.notebook, "ipynb", "application/x-ipynb+json")
        st.code(code.script(), language="python", height=360, wrap_lines=True)


def _download(label: str, make: Callable[[], str], ending: str, kind: str) -> None:
    st.download_button(
        label, make, f"{FILE}.{ending}", kind, key=f"code_{ending}", on_click="ignore"
    )
