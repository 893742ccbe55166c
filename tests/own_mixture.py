"""A small set for three tasks at once, that a tiny model can learn something from."""

from bertsent.data.examples import Example, Reviews
from bertsent.data.mixing import mix
from bertsent.tasks.catalogue import FIVE_STEPS, PARAPHRASE, SIMILARITY
from bertsent.tasks.mixed import THREE_TASKS, MixedTask

STEPS = ("awful", "dull", "a film", "good", "wonderful")


def steps_set() -> Reviews:
    """Fifty texts, ten of each step."""
    rows = [Example(f"s{i}", f"{STEPS[i % 5]} number {i}", i % 5) for i in range(50)]
    return Reviews("steps", tuple(rows), task=FIVE_STEPS)


def pair_sets() -> tuple[Reviews, Reviews]:
    """Thirty pairs for paraphrase and the same ones for similarity."""
    pairs = [
        (f"p{i}", f"the cat {i} sleeps", f"cat {i} is asleep" if i % 2 else "we had fun " * (i % 4))
        for i in range(1, 31)
    ]
    same = [Example(name, one, int(name[1:]) % 2, second=two) for name, one, two in pairs]
    alike = [
        Example(name, one, second=two, scores=(float(5 * (int(name[1:]) % 2)),))
        for name, one, two in pairs
    ]
    return (
        Reviews("pairs", tuple(same), task=PARAPHRASE),
        Reviews("pairs", tuple(alike), task=SIMILARITY),
    )


def mixture(task: MixedTask = THREE_TASKS) -> Reviews:
    """All 110 rows."""
    return mix(task, (steps_set(), *pair_sets()))
