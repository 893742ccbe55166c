"""The views of the home page."""
