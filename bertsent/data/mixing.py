"""Sets of reviews for one task each in, one set for all of them out, with which a model learns
several tasks at once.
"""

from collections.abc import Sequence
from dataclasses import replace

from bertsent.data.examples import Reviews
from bertsent.errors import BadInput
from bertsent.tasks.mixed import MixedTask


def mix(task: MixedTask, sets: Sequence[Reviews]) -> Reviews:
    """All rows of ``sets``; each keeps its split, and says for which part of ``task`` it is.

    Several sets may be for one part. A text or pair that two parts have is one group for
    ``splits.split``: it is trained on in both, or in neither.

    Raises:
        BadInput: a set is for a task that is no part, or a part has none.
    """
    given = {reviews.task.name for reviews in sets}
    for reviews in sets:
        place = task.place(reviews.task.name)
        BadInput.raise_if(
            reviews.task != task.parts[place],
            f"{reviews.name} has other labels than the task “{reviews.task.title}”.",
            f"Use {', '.join(task.parts[place].output_names)}.",
        )
    missing = [part.title for part in task.parts if part.name not in given]
    BadInput.raise_if(missing, f"There is nothing to learn for: {', '.join(missing)}.", "Add it.")
    examples = tuple(
        replace(
            example,
            id=f"{reviews.task.name}/{example.id}",
            part=reviews.task.name,
            pair=example.pair and f"{reviews.name}/{example.pair}",
        )
        for reviews in sets
        for example in reviews
    )
    ids = [example.id for example in examples]
    if len(set(ids)) < len(ids):
        examples = tuple(
            replace(example, id=f"{example.id}~{place}") for place, example in enumerate(examples)
        )
    name = " + ".join(dict.fromkeys(reviews.name for reviews in sets))
    return Reviews(name[:80], examples, task=task)
