"""What the curves of a run show, measured and in sentences."""
