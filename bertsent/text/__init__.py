"""Reviews become tokens, tokens become batches."""
