"""What the pages share: the frame, errors, links, jobs, downloads, the review and the model. What
nearly every tab needs of it can be imported from here.
"""

from bertsent.ui.shared.caches import BY_CONTENT
from bertsent.ui.shared.charts import altair_chart, draw, plotly_chart, show_figure
from bertsent.ui.shared.downloads import (
    UNSEEN_BAR,
    Table,
    download_menu,
    downloads_and_help,
)
from bertsent.ui.shared.errors import escape_markdown, show_error, show_errors
from bertsent.ui.shared.help_texts import show_help
from bertsent.ui.shared.hub_download import hub_download
from bertsent.ui.shared.jobs import INLINE_TOKENS, JobRequest, outcome, wait_for
from bertsent.ui.shared.links import LINKED, choose, linked_choice, linked_name, select
from bertsent.ui.shared.live_runs import live_runs, run_reader, run_splits, run_task, run_title
from bertsent.ui.shared.model_picker import loaded_model
from bertsent.ui.shared.results import result, settings
from bertsent.ui.shared.review_bar import PRESETS, PUZZLE, ask_about, choose_review, current_review
from bertsent.ui.shared.rights import (
    OTHERS,
    check_may_change,
    check_may_start,
    may_change,
    why_not,
    why_not_start,
)
from bertsent.ui.shared.tables import (
    asking_table,
    choosing_table,
    number_columns,
    presented_table,
    written_table,
)
from bertsent.ui.shared.uploads import upload
from bertsent.ui.shared.viewers import poll_interval
from bertsent.ui.shared.visitor import visitor

__all__ = [
    "BY_CONTENT",
    "INLINE_TOKENS",
    "JobRequest",
    "LINKED",
    "OTHERS",
    "PRESETS",
    "PUZZLE",
    "Table",
    "UNSEEN_BAR",
    "altair_chart",
    "ask_about",
    "asking_table",
    "check_may_change",
    "check_may_start",
    "choose",
    "choose_review",
    "choosing_table",
    "current_review",
    "download_menu",
    "downloads_and_help",
    "draw",
    "escape_markdown",
    "hub_download",
    "linked_choice",
    "linked_name",
    "live_runs",
    "loaded_model",
    "may_change",
    "number_columns",
    "outcome",
    "plotly_chart",
    "poll_interval",
    "presented_table",
    "result",
    "run_reader",
    "run_splits",
    "run_task",
    "run_title",
    "select",
    "settings",
    "show_error",
    "show_errors",
    "show_figure",
    "show_help",
    "upload",
    "visitor",
    "written_table",
    "wait_for",
    "why_not",
    "why_not_start",
]
