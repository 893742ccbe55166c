"""Suites of behaviour."""
