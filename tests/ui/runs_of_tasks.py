"""Small sets of every kind of task, for runs that a test trains in its own process."""

from bertsent.data.examples import Example, Reviews
from bertsent.data.task_sets import small_set
from bertsent.tasks.catalogue import ASPECTS, FEELINGS, FIVE_STEPS, SIMILARITY
from bertsent.tasks.task import OneLabel, Rating
from tests.own_mixture import mixture

RUNS = ("five-steps", "aspects", "feelings", "similarity", "mixed", "topics", "marks")
TOPICS = OneLabel("labels", "One of 3 labels", labels=("cooking", "sports", "travel"))
MARKS = Rating("rating", "A number", low=0.0, high=10.0, measure="score")
WORDS = {"cooking": "soup oven salt", "sports": "goal match team", "travel": "train hotel beach"}


def topics() -> Reviews:
    """Twenty texts of each topic."""
    rows = [
        Example(f"t{n}-{label}", f"The {WORDS[label]} number {n}.", place)
        for n in range(20)
        for place, label in enumerate(TOPICS.labels)
    ]
    return Reviews("topics", tuple(rows), task=TOPICS)


def marks() -> Reviews:
    """Sixty texts with a mark each."""
    rows = [
        Example(f"m{n}", f"{'good ' * (n % 5)}bad number {n}", scores=(float(2 * (n % 5)),))
        for n in range(60)
    ]
    return Reviews("marks", tuple(rows), task=MARKS)


def small_sets() -> dict[str, Reviews]:
    """A set for each kind of task, by the name of the run."""
    tasks = (FIVE_STEPS, ASPECTS, FEELINGS, SIMILARITY)
    shipped = {task.name: small_set(task.name) for task in tasks}
    found = {**shipped, "mixed": mixture(), "topics": topics(), "marks": marks()}
    return {name: found[name] for name in RUNS}
