"""A run as a folder: laid down, queued, launched, read back, judged and taken away."""
