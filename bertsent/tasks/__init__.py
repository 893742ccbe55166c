"""What a model is asked: what goes in, what comes out, and how its answers are judged."""
