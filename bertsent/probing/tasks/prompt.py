"""A review in, the prompt that asks a language model for its sentiment out (row 001-32)."""

TEMPLATE = """\
Classify the sentiment of the following review as POSITIVE or NEGATIVE.
Review: ''{review}''
Sentiment:"""


def zero_shot_prompt(review: str) -> str:
    """The template of the lecture with a clean review in it."""
    return TEMPLATE.format(review=review)
