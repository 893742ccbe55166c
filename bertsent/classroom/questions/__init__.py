"""What a class can be asked, one file a kind: each computes the answers and what is right."""
