"""The time machine: one run, all its checkpoints, one slider."""
