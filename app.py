"""Routes only: the menu, and whatever page was chosen."""

from bertsent.ui.shared.frame import navigation

navigation().run()
