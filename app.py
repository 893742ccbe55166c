"""Routes only: the menu, and whatever page was chosen."""

from bertsent.ui.frame import navigation

navigation().run()
