"""Where the milliseconds of an answer go, and what answering together saves."""
