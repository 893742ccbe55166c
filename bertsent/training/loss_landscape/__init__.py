"""The loss on a plane through the weights of a run."""
