"""A run's checkpoints and some reviews in, the way of each review through training out."""
