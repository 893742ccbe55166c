"""A configuration becomes a stream of events and a run folder."""
