"""Many small runs that differ in chosen settings only: laid down together, compared by main
effects.
"""
