"""Numbers in, text as it is printed out: a hyphen is no minus sign."""

MINUS = "−"


def written(number: float, form: str) -> str:
    """A number in one of Python's formats with a true minus sign: "−0.08" of ``.2f``. What rounds
    to zero has no sign, even where the format asks for one.
    """
    text = f"{number:{form}}"
    nothing = not any(digit in text for digit in "123456789n")  # nan and inf are something
    return text.strip("+-") if nothing else text.replace("-", MINUS)
