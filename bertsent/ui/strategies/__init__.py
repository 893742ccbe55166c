"""The strategy lab on the Fine-tune page."""
