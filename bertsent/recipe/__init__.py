"""How the shipped sentiment model was made: ``python -m bertsent.recipe DATA`` makes it again."""
