"""How dots look that have labels of their own: a shape and a colour for each."""

from collections.abc import Iterable

from bertsent.data.examples import LABELS
from bertsent.figures.colours import CLUSTERS
from bertsent.tasks.catalogue import ASPECTS, FIVE_STEPS

SHAPES = (  # those that three-dimensional figures have, too
    "circle",
    "diamond",
    "square",
    "cross",
    "x",
    "circle-open",
    "diamond-open",
    "square-open",
)


def own_looks(labels: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Shape and colour of each label, "" left out: steps of sentiment from the worst to the best,
    others by name, numbers by size. Nothing where the labels are those of sentiment.
    """
    found = {*labels} - {""}
    if found <= {*LABELS}:
        return {}
    for task in (FIVE_STEPS, ASPECTS):
        if found <= {*task.labels}:
            return _of_steps(task.labels)
    looks = {}
    for number, label in enumerate(sorted(found, key=_by_size)):
        turn, place = divmod(number, len(CLUSTERS))
        looks[label] = (SHAPES[(place + turn) % len(SHAPES)], CLUSTERS[place])
    return looks


def _of_steps(labels: tuple[str, ...]) -> dict[str, tuple[str, str]]:
    from bertsent.figures.step_bars import step_colours

    colours = step_colours(len(labels))
    return {
        label: (shape, colour)
        for label, shape, colour in zip(labels, SHAPES, colours, strict=False)
    }


def _by_size(label: str) -> tuple[bool, int, str]:
    whole = label.lstrip("-").isdecimal()
    return (not whole, int(label) if whole else 0, label)
