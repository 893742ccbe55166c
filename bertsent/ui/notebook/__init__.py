"""The page of a visitor's notebook."""
