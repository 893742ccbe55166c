"""The worked examples of the course, number by number."""
