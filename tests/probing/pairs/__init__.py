"""Minimal pairs, grids, requests that travel together."""
