"""Why did it say that? Three kinds of evidence for one answer, the answer after each layer, and
what would flip it.
"""
