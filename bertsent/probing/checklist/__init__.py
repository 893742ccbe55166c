"""Behavioural tests after CheckList: suites, the perturbations they are made of, and scorecards."""
