"""Readings in, sentences out: what somebody should take from the curves of this run. Every number
in them was measured.
"""

from bertsent.training.curves.details import GUESSING
from bertsent.training.curves.reading import FEWEST, Change, Reading, WarmUp

USUAL = (
    "Devlin et al. (2019, appendix A.3) found 2 to 4 epochs to work well across tasks; the lecture "
    "says 3 to 5. How many these "
    "reviews need, only their own validation loss can say."
)


def warm_up_told(found: WarmUp | None) -> str:
    """Whether the rate was raised slowly, over how many steps, and what the gradients were like
    meanwhile.
    """
    if found is None:
        return "Warm-up: nothing can be said before the first step."
    if found.steps < 2:
        return (
            f"Warm-up: none. The very first step already had the rate {found.first_rate:.2g}, "
            "while the random head still sends large "
            "gradients into the pre-trained weights."
        )
    rates = f"from {found.first_rate:.2g} to {found.highest_rate:.2g}"
    if not found.over:
        return (
            f"Warm-up: not over. The rate rose {rates} in {found.done:,} of {found.steps:,} steps."
        )
    told = (
        f"Warm-up: {found.steps:,} of {found.total:,} steps ({found.steps / found.total:.0%}), in "
        f"which the rate rose {rates}. It keeps "
        "the first steps small, so that gradients of a random head do not destroy the pre-trained "
        "weights."
    )
    if found.norm_during is None or found.norm_after is None:
        return told
    return (
        f"{told} The median norm of the gradient was {found.norm_during:.2g} meanwhile and "
        f"{found.norm_after:.2g} after it."
    )


def headline(found: Reading, *, live: bool = False) -> str:
    """The verdict in one sentence."""
    if found.verdict == "few":
        return (
            f"Too early to judge: {_count(found.evaluations)}, and a course needs at least "
            f"{FEWEST}."
        )
    best, so_far = found.best, " so far" if live else ""
    if found.verdict == "overfitting" and not best.step:
        return (
            "Overfitting from the first epoch on: validation loss was never as low as before "
            f"any training{so_far}."
        )
    if found.verdict == "overfitting":
        return (
            f"Overfitting since step {best.step:,}: to stop at epoch {best.epoch:g} would have "
            f"been best{so_far}."
        )
    if found.verdict == "rising":
        return (
            "Validation loss rises and training loss does not fall: this is not overfitting "
            f"but a run that went astray{so_far}."
        )
    if found.verdict == "falling":
        return f"Validation loss is still falling{so_far}: " + (
            "let it go on." if live else "more epochs would probably help."
        )
    if found.last is found.best:
        return (
            f"Validation loss has levelled off{so_far}: more epochs of the same would change "
            "little."
        )
    return (
        f"Validation loss has not fallen since step {best.step:,}{so_far}, nor risen by more "
        "than could be chance."
    )


def course_told(found: Reading, *, steps_left: int = 0) -> list[str]:
    """Where validation loss was lowest, what happened since, and what follows. Empty where too
    little was evaluated.

    Args:
        found: the reading.
        steps_left: steps that the run was to have and has not trained.
    """
    if found.verdict == "few":
        return []
    told = [_lowest(found)]
    told.append(_newest(found.newest) if found.last is found.best else _since(found.since))
    if found.best.validation >= GUESSING:
        cost = f"ln 2 = {GUESSING:.3f}, the cost of saying ½ to everything"
        told.insert(1, f"Even that is no better than {cost}.")
    if found.sharpest.step and found.sharpest.accuracy > found.best.accuracy:
        told.append(
            f"Accuracy is highest elsewhere, {found.sharpest.accuracy:.1%} at step "
            f"{found.sharpest.step:,} (there "
            f"{found.best.accuracy:.1%}): it counts only the side of ½ an answer falls on, loss "
            "also how sure it was."
        )
    return [*told, _advice(found, steps_left)]


def _lowest(found: Reading) -> str:
    best = found.best
    where = f"at step {best.step:,}, epoch {best.epoch:g}" if best.step else "before any training"
    return (
        f"Validation loss was lowest {where}: {best.validation:.3f}, with {best.accuracy:.1%} "
        "of the validation reviews right."
    )


def _since(change: Change) -> str:
    from_, to = change.first, change.last
    if not change.validation:
        return f"At step {to.step:,} it is exactly as low again."
    told = (
        f"From there to step {to.step:,} it rose by "
        f"{change.validation:.3f}{_interval(change)}, "
        f"to {to.validation:.3f}"
    )
    if change.training is not None:
        start = "" if from_.training is not None else " from the first epoch on"
        way = (
            f"fell by {-change.training:.3f}"
            if change.training < 0
            else f"rose by {change.training:.3f}"
        )
        told += f", while training loss {way}{start}, to {to.training:.3f}"
    return f"{told}. {_weight(change)}".strip()


def _newest(change: Change) -> str:
    moved = f"fell by {-change.validation:.3f}" if change.validation < 0 else "did not move"
    told = (
        f"Between the last two evaluations, steps {change.first.step:,} and "
        f"{change.last.step:,}, it {moved}{_interval(change)}."
    )
    if change.training is not None and change.first.training is not None:
        told += (
            f" Training loss went from {change.first.training:.3f} to {change.last.training:.3f}."
        )
    return f"{told} {_weight(change)}".strip()


def _weight(change: Change) -> str:
    if change.margin is None:
        return (
            "Whether that is more than chance is not known here: the answers to the single "
            "reviews were not kept."
        )
    return "" if change.beyond_chance else "That is within what chance does with so few reviews."


def _interval(change: Change) -> str:
    return "" if change.margin is None else f" ± {change.margin:.3f}"


def _advice(found: Reading, steps_left: int) -> str:
    if found.verdict == "overfitting":
        gap = found.last.validation - found.last.training
        cost = (
            f" At the end those cost {gap:.3f} less than reviews it had not seen."
            if gap > 0
            else ""
        )
        return (
            "It went on to learn its own training reviews rather than what holds for others."
            f"{cost} Fewer epochs, more reviews, more dropout or a patience of one epoch are the "
            "remedies."
        )
    if found.verdict == "rising":
        return "A lower learning rate or a longer warm-up is the first thing to try."
    if found.verdict == "falling" and steps_left:
        return f"{steps_left:,} steps of the run are left."
    if found.verdict == "falling":
        return (
            "Its learning rate has come down to 0, so these very weights would hardly move on: "
            "start a run with more epochs."
        )
    return "What could still help: other or more reviews, another rate, another encoder."


def _count(evaluations: int) -> str:
    return {0: "no evaluation yet", 1: "one evaluation"}.get(
        evaluations, f"{evaluations} evaluations"
    )
