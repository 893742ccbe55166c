"""The views of the Fine-tune page: the form, the living run, its results."""
