"""Which stretch of a long review the figures of a part draw."""

from bertsent.ui.shared import select

STRETCH = 32  # tokens that have room side by side


def choose_stretch(count: int, key: str, around: int = 0) -> slice:
    """Draw the choice where there are more tokens than have room; at first the stretch with the
    token ``around``, from 0.
    """
    if count <= STRETCH:
        return slice(0, count)
    starts = range(0, count, STRETCH)
    usual = around // STRETCH
    names = {0: f"those around token {around + 1}"}
    for number, start in enumerate(starts, start=1):
        names[number] = f"{start + 1} to {min(count, start + STRETCH)}"
    chosen = select("Tokens drawn", names, key, width=220)
    start = STRETCH * (chosen - 1 if chosen else usual)
    return slice(start, min(count, start + STRETCH))
