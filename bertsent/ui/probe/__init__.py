"""The tabs of the Probe page."""
