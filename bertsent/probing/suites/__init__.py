"""Test suites of behaviour: what a model should get right, what should leave its answer alone, what
should move it, and which way.
"""
