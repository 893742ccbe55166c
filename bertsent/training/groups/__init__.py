"""Groups of runs that differ in chosen settings only: A/B runs and hyperparameter grids, beside the
published experiments that they repeat.
"""
