"""One text in, frames out: what a model answers and where its heads look."""
