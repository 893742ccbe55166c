"""The page Lessons, and the player of a lesson, which stands on every page."""
