"""Readings of curves in, sentences out: what to learn from the curves of a run, and how it was
trained. Every number in them was measured.
"""

import math

import pandas as pd

from bertsent.data.cleaning import shorten
from bertsent.tasks.masked_words import MaskedWords
from bertsent.tasks.measure import ACCURACY, Measure, measure_of
from bertsent.tasks.mixed import MixedTask
from bertsent.tasks.task import OneLabel, Rating, SeveralLabels
from bertsent.training.config import RunConfig
from bertsent.training.curves.reading import FEWEST, CurveReading, LossChange, WarmUp
from bertsent.training.runs.history import History

GUESSING = math.log(2)
_LOSSES = {
    OneLabel.problem_type: "the cross-entropy: minus the logarithm of the probability of the right "
    "label",
    SeveralLabels.problem_type: "the binary cross-entropy of each label, given or not",
    MixedTask.problem_type: "the losses of its tasks, added up by their weights",
    MaskedWords.problem_type: "the cross-entropy of the words that are drawn: minus the logarithm "
    "of the probability of the true word",
    Rating.problem_type: "the squared distance from the true number, in shares of the range",
}
USUAL = (
    "Devlin et al. (2019, appendix A.3) found that 2 to 4 epochs work well across tasks; the "
    "lecture says 3 to 5. How many these reviews need is shown by their own validation loss only."
)


def course_sentence(history: History, measure: Measure = ACCURACY) -> str:
    """Where the curves of a run began and where they stand; empty before its first evaluation."""
    if not history.evaluations:
        return ""
    first, last = history.evaluations[0], history.evaluations[-1]
    if first is last:
        untrained = measure.untrained if not first.step else f"Step {first.step:,}"
        guess = "" if measure.guessing is None else f", guessing {measure.guessing:.3f}"
        return (
            f"{untrained} has a validation loss of {first.loss:.3f}{guess}, and "
            f"{_answers_right(first.accuracy, measure)}."
        )
    return (
        f"From step {first.step:,} to step {last.step:,} the validation loss went from "
        f"{first.loss:.3f} to {last.loss:.3f} and {_name(measure)} from "
        f"{measure.say(first.accuracy)} to {measure.say(last.accuracy)}."
    )


def _answers_right(value: float, measure: Measure) -> str:
    if measure.percent:
        return f"answers {measure.say(value)} of the {measure.of} right"
    return f"{_name(measure)} is {measure.say(value)}"


def _name(measure: Measure) -> str:
    """The measure on the validation reviews, inside a sentence."""
    if measure.percent:
        return f"the validation {measure.name}"
    the = "" if "’s " in measure.name else "the "
    return f"{the}{measure.name} on the validation reviews"


def flips_sentence(flips: pd.DataFrame, shown: int = 2) -> str:
    """The newest changes of answer, of those that ``series.sentinel_flips`` found, and how many
    there were; empty without any.
    """
    if flips.empty:
        return ""
    newest = [
        f"“{shorten(row.text, 60)}” became {row.to_label.lower()} at step {row.step:,}"
        for row in flips.tail(shown).itertuples()
    ]
    many = f"The sentinels changed sides {len(flips):,} times, at last: "
    return f"{many if len(flips) > shown else ''}{'; '.join(newest)}."


def warm_up_sentence(found: WarmUp | None) -> str:
    """Whether the learning rate warmed up, over how many steps, and how large the gradients were
    meanwhile.
    """
    if found is None:
        return "Warm-up: nothing to say before the first step."
    if found.steps < 2:
        return (
            f"Warm-up: none. The very first step had the full learning rate of "
            f"{found.first_rate:.2g}, while the random head still sends large gradients into the "
            "pretrained weights."
        )
    rates = f"from {found.first_rate:.2g} to {found.highest_rate:.2g}"
    if found.done < found.steps:
        return (
            f"Warm-up: not over. The learning rate rose {rates} in {found.done:,} of "
            f"{found.steps:,} steps."
        )
    text = (
        f"Warm-up: {found.steps:,} of {found.total:,} steps "
        f"({100 * found.steps / found.total:.0f} %), in which the learning rate rose {rates}. "
        "It keeps the first steps small, so that the gradients of a random head do not destroy "
        "the pretrained weights."
    )
    if found.norm_during is None or found.norm_after is None:
        return text
    return (
        f"{text} The median gradient norm was {found.norm_during:.2g} during warm-up and "
        f"{found.norm_after:.2g} after it."
    )


def verdict_sentence(found: CurveReading | None, evaluations: int, *, live: bool = False) -> str:
    """The verdict on the curves in one sentence.

    Args:
        found: the reading, None for fewer than three evaluations.
        evaluations: how many there are.
        live: whether the run goes on.
    """
    if found is None:
        many = {0: "no evaluation yet", 1: "one evaluation"}.get(
            evaluations, f"{evaluations} evaluations"
        )
        return f"Too early to judge: {many} of at least {FEWEST}."
    best, so_far = found.best, " so far" if live else ""
    overfitting = (
        f"Overfitting since step {best.step:,}: stopping after epoch {best.epoch:g} would have "
        f"been best{so_far}."
        if best.step
        else "Overfitting from the first epoch on: validation loss was never as low as before "
        f"any training{so_far}."
    )
    level = (
        f"Validation loss has levelled off{so_far}: more epochs of the same would change little."
        if found.last is best
        else f"Since step {best.step:,} validation loss has not fallen{so_far}, nor risen by more "
        "than chance."
    )
    return {
        "overfitting": overfitting,
        "rising": "Validation loss rises and training loss does not fall: this is not overfitting; "
        f"the training diverges{so_far}.",
        "falling": f"Validation loss is still falling{so_far}: "
        f"{'let it go on' if live else 'more epochs would probably help'}.",
        "level": level,
    }[found.verdict]


def curve_sentences(
    found: CurveReading, *, steps_left: int = 0, measure: Measure = ACCURACY
) -> list[str]:
    """Where validation loss was lowest, what happened since, and what follows.

    Args:
        found: the reading.
        steps_left: steps that the run was to have and has not trained.
        measure: that of its task.
    """
    best, sharpest = found.best, found.sharpest
    where = f"at step {best.step:,}, epoch {best.epoch:g}" if best.step else "before any training"
    right = f"of the {measure.of} right" if measure.percent else f"as {measure.title}"
    sentences = [
        f"Validation loss was lowest {where}: {best.validation:.3f}, with "
        f"{measure.say(best.accuracy)} {right}."
    ]
    if measure.guessing is not None and best.validation >= measure.guessing:
        sentences.append(
            f"Even that is no better than {measure.guess} = {measure.guessing:.3f}, the loss of "
            "answering the same probabilities every time."
        )
    sentences.append(_newest(found.newest) if found.last is best else _since(found.since))
    if sharpest.step and sharpest.accuracy > best.accuracy:
        counts = " It only counts which answers are right; loss also counts how sure they were."
        sentences.append(
            f"{measure.title} is highest elsewhere: {measure.say(sharpest.accuracy)} at step "
            f"{sharpest.step:,}, against {measure.say(best.accuracy)} there."
            f"{counts if measure.percent else ''}"
        )
    return [*sentences, _advice(found, steps_left)]


def _since(change: LossChange) -> str:
    last = change.last
    if not change.validation:
        return f"At step {last.step:,} it is exactly as low again."
    text = (
        f"From there to step {last.step:,} it rose by {change.validation:.3f}"
        f"{_plus_minus(change)}, to {last.validation:.3f}"
    )
    if change.training is not None:
        start = "" if change.first.training is not None else " from the first epoch on"
        text += (
            f", while training loss {'fell' if change.training < 0 else 'rose'} by "
            f"{abs(change.training):.3f}{start}, to {last.training:.3f}"
        )
    return f"{text}.{_chance(change)}"


def _newest(change: LossChange) -> str:
    moved = f"fell by {-change.validation:.3f}" if change.validation < 0 else "did not move"
    text = (
        f"Between the last two evaluations, at steps {change.first.step:,} and "
        f"{change.last.step:,}, it {moved}{_plus_minus(change)}."
    )
    if change.training is not None and change.first.training is not None:
        text += (
            f" Training loss went from {change.first.training:.3f} to {change.last.training:.3f}."
        )
    return text + _chance(change)


def _chance(change: LossChange) -> str:
    if change.margin is None:
        return " Whether this is chance is unknown: the single answers were not kept."
    return "" if change.beyond_chance else " That is within chance for so few reviews."


def _plus_minus(change: LossChange) -> str:
    return "" if change.margin is None else f" ± {change.margin:.3f}"


def _advice(found: CurveReading, steps_left: int) -> str:
    last, gap_text = found.last, ""
    if last.training is not None and (gap := last.validation - last.training) > 0:
        gap_text = f" In the end their loss is {gap:.3f} below that of unseen reviews."
    return {
        "overfitting": f"It then memorised its own training reviews.{gap_text} Fewer epochs, more "
        "reviews, more dropout or a patience of one epoch would help.",
        "rising": "Try a lower learning rate or a longer warm-up first.",
        "falling": f"{steps_left:,} steps of the run are left."
        if steps_left
        else "Its learning rate has come down to 0, so these weights would hardly move any more: "
        "start a run with more epochs.",
        "level": "Other or more reviews, another learning rate or another encoder may still help.",
    }[found.verdict]


def training_sentences(config: RunConfig, history: History) -> list[str]:
    """How a run learns: its loss, its optimisation, and what that took; fewer sentences where it
    has not come so far.
    """
    started, step = history.started, history.steps[-1] if history.steps else None
    loss = _loss_sentence(config, history)
    if started is None or step is None:
        return [loss, "Gradient descent begins with the first step."]
    size = config.training.batch_size * config.training.accumulate
    what = f"{started.trainable:,} of" if started.trainable < started.parameters else "all"
    descent = (
        f"Gradient descent (AdamW) moved {what} {started.parameters:,} parameters {step.step:,} "
        f"times, each time a little downhill on the loss of up to {size} reviews."
    )
    epochs = f"{step.epoch:.3g} {'epoch' if step.epoch == 1 else 'epochs'}"
    pace = started.train_rows * step.epoch / max(step.seconds, 1e-9)
    resources = (
        f"Measured in this run ({started.device}, {started.precision}, up to "
        f"{config.training.max_length} tokens): {duration_in_words(step.seconds)} for {epochs} of "
        f"{started.train_rows:,} training reviews, so {pace:,.0f} reviews per second, with the "
        "validations in between. The lecture speaks of thousands of labelled examples (not "
        "millions) and hours on a GPU (not weeks)."
    )
    return [loss, descent, resources]


def duration_in_words(seconds: float) -> str:
    """A duration in words: 45 s, 4.2 min, 1.3 h."""
    if seconds < 99.5:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.1f} min" if seconds < 5970 else f"{seconds / 3600:.1f} h"


def _loss_sentence(config: RunConfig, history: History) -> str:
    training, found, measure = config.training, history.evaluations, measure_of(config.task)
    extra = [f"label smoothing {training.label_smoothing:g}"] if training.label_smoothing else []
    extra += ["rare labels counting for more"] if training.class_weights != "none" else []
    of = "them" if isinstance(config.task, MaskedWords) else "reviews"
    text = f"Training lowers {_LOSSES[config.task.problem_type]}, averaged over {of}" + (
        f" (here with {' and '.join(extra)})" if extra else ""
    )
    whole = isinstance(config.task, Rating)
    guessing = "a miss of the whole range has a loss of 1." if whole else ""
    if isinstance(config.task, MixedTask):
        parts = zip(config.task.parts, config.task.shares, strict=True)
        guessing = f"{', '.join(f'{part.title} counts {share:.0%}' for part, share in parts)}."
    if measure.guessing is not None:
        guessing = f"guessing has a loss of {measure.guess} = {measure.guessing:.3f}."
    if not found:
        return f"{text}{'; ' if guessing else '.'}{guessing}"
    later = f" and {found[-1].loss:.3f} at step {found[-1].step:,}" if len(found) > 1 else ""
    return (
        f"{text}. On the validation reviews it was {found[0].loss:.3f} before the first "
        f"step{later}{'; ' if guessing else '.'}{guessing}"
    )
