"""Numbers as the sentences of the parts write them."""


def signed(number: float, form: str = ".2f") -> str:
    """With its sign, and a minus as long as the plus is wide: "−0.07"; ``form`` without a sign."""
    return f"{'−' if number < 0 else '+'}{plain(abs(number), form)}"


def plain(number: float, form: str = ".3g") -> str:
    """Without a sign; 0.00002 is "2e-5"."""
    return f"{number:{form}}".replace("e-0", "e-").replace("e+0", "e+")
