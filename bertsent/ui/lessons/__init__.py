"""The lesson on the Fine-tune page."""
