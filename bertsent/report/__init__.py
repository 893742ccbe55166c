"""What was seen, as one file to keep: a visitor's notebook, and the report of an hour."""
