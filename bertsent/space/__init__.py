"""Many texts in, frames out: embeddings, maps, clusters, extremes."""
