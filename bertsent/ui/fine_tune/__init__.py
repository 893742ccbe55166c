"""The Fine-tune page: one module per tab, and parts of a tab beside it."""
