"""What models of three tasks answer to a study's own sentences, and tests of what it claims."""
