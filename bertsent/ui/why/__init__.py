"""Why, Layer by layer, What would flip it: the views of Probe that question one answer."""
