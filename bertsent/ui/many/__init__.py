"""The views of the Map page: which reviews, the map, what is read from it."""
