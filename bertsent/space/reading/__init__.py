"""A map or its clusters in, what may be said of them out: how far they agree with labels, with
chance, and with the full width.
"""
