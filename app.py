"""Routes only: the menu, the review bar, and whatever page was chosen."""

from bertsent.ui.shared.frame import run_app

run_app()
