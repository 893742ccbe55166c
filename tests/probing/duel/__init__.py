"""The others: each against an independent source, then all of them together."""
