"""Notebook: the results that this visitor pinned, in order, with notes, to be taken home."""

from bertsent.ui.notebook.page import show_notebook
from bertsent.ui.shared.frame import NOTEBOOK, frame

with frame(NOTEBOOK) as row:
    show_notebook(row)
