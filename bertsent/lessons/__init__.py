"""What a lesson says of a run or a model, from its own numbers: the four stages, the quiz on them,
and how its curves read.
"""
