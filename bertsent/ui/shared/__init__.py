"""What the pages share: the frame, errors, links, jobs, downloads, the review and the model. What
nearly every tab needs of it can be imported from here.
"""

from bertsent.ui.shared.charts import show_figure
from bertsent.ui.shared.downloads import UNSEEN_BAR, altair_files, download_menu
from bertsent.ui.shared.errors import escape_markdown, show_error, show_errors
from bertsent.ui.shared.help_texts import show_help
from bertsent.ui.shared.jobs import INLINE_TOKENS, JobRequest, outcome
from bertsent.ui.shared.links import LINKED, choose, select
from bertsent.ui.shared.model_picker import loaded_model
from bertsent.ui.shared.review_bar import ask_about, choose_review, current_review
from bertsent.ui.shared.tables import asking_table, choosing_table, number_columns

__all__ = [
    "INLINE_TOKENS",
    "JobRequest",
    "LINKED",
    "UNSEEN_BAR",
    "altair_files",
    "ask_about",
    "asking_table",
    "choose",
    "choose_review",
    "choosing_table",
    "current_review",
    "download_menu",
    "escape_markdown",
    "loaded_model",
    "number_columns",
    "outcome",
    "select",
    "show_error",
    "show_errors",
    "show_figure",
    "show_help",
]
