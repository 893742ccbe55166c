"""The views of Attention: what the heads of a model look at, what they are worth, and what training
did to them.
"""
