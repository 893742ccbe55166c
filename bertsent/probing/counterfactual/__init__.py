"""Counterfactuals: the smallest changes of a review that flip the answer."""
