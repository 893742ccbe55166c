"""The way of a review in PyTorch, part by part: what the page shows as code. The files are read and
not imported; each goes on where the one before it ended, as the cells of a notebook do.
"""
