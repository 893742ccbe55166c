"""The subgroup check: the same sentence about, by or in the English of different people."""
