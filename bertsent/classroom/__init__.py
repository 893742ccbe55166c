"""A room: who joined, what was asked and voted, what the board holds."""
