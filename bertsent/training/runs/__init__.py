"""A run as a folder: prepared, queued, launched, read, evaluated and exported."""
