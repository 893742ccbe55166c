"""What models of further tasks answer, in words and numbers for a person."""
