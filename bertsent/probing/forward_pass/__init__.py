"""One text on its way through the model, worked out again in NumPy from the weights, and compared
with what the model computes itself.
"""
