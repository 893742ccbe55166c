"""Pairs, grids, suites and whole files of reviews on the Probe page."""
