"""The stages of training, each an ordinary run that can be paused, killed and resumed."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from bertsent.data.examples import Splits
from bertsent.errors import BertsentError
from bertsent.models.backbone import backbone_folder, weights_hash
from bertsent.models.folders import WEIGHTS
from bertsent.recipe.datasets import Mixture, RecipeData
from bertsent.settings import machine
from bertsent.training.checkpoints import list_checkpoints
from bertsent.training.config import TrainingConfig
from bertsent.training.runs.launcher import launch
from bertsent.training.runs.run import Run, create_run, list_runs

SENTINELS = (
    "Great, another boring movie",
    "This is not a bad film",
    "The acting was not bad at all, in fact it was brilliant.",
    "Just what the world needed: yet another sequel.",
)
_LOOK_SECONDS = 20


@dataclass(frozen=True)
class RecipeStage:
    """What a run learns from, how, and from which weights: another stage's, a mean's or the
    backbone's.
    """

    mixture: Mixture
    training: TrainingConfig
    start: str


GENERAL = TrainingConfig(
    epochs=1,
    batch_size=32,
    max_length=256,
    encoder_lr=7e-5,
    head_lr=1e-3,
    warmup_share=0.06,
    dropout=0.1,
    hidden_dropout=0.0,
    label_smoothing=0.03,
    freeze_embeddings=True,
    save_seconds=300.0,
)
WHOLE = replace(GENERAL, max_length=512, encoder_lr=5e-5, head_lr=3e-4, keep_head=True)
TOP = replace(WHOLE, trains="last", last_layers=4)
DROPOUT = replace(WHOLE, hidden_dropout=0.1)
STAGES = {
    # sentiment at large
    "general": RecipeStage(
        Mixture((0, 1), clipped=True, builtin_times=0, sentences=True, phrases=1, pairs=1),
        GENERAL,
        "builtin",
    ),
    # whole reviews and hard cases
    "hard": RecipeStage(
        Mixture((0, 1), builtin_times=4, sentences=True, pairs=1, pair_times=2),
        replace(TOP, seed=43),
        "general",
    ),
    # mostly what is hard
    "polish": RecipeStage(
        Mixture((0, 4), builtin_times=4, sentences=True, phrases=2, pairs=1),
        replace(TOP, encoder_lr=4e-5, seed=44),
        "hard",
    ),
    # verdicts that a few words turn
    "turned": RecipeStage(
        Mixture(
            (3, 6), builtin_times=2, sentences=True, phrases=4, pairs=1, dense=1, dense_times=2
        ),
        replace(WHOLE, epochs=2, seed=46),
        "after-polish",
    ),
    # verdicts of one line and of one word, with enough of whole reviews and older pairs that those
    # are not unlearned
    "quick": RecipeStage(
        Mixture((5, 16), lines=1, line_times=2, sentences=True, dense=1, pairs=2),
        replace(WHOLE, seed=47),
        "after-turned",
    ),
    # the same with the one-liners once and other reviews of IMDb
    "again": RecipeStage(
        Mixture((9, 16), lines=1, sentences=True, dense=1, pairs=2),
        replace(WHOLE, epochs=2, seed=48),
        "quick",
    ),
    # whole reviews, so that they are answered as before, with some of all that is short
    "whole": RecipeStage(
        Mixture((2, 5), lines=3, dense=8), replace(TOP, encoder_lr=3e-5, seed=49), "again"
    ),
    # verdicts that small words undo while the praise around them stands
    "sparse": RecipeStage(
        Mixture((7, 10), lines=2, dense=2, sparse=1, pairs=2),
        replace(DROPOUT, seed=52),
        "after-whole",
    ),
    # all kinds together
    "wide": RecipeStage(
        Mixture((1, 5), lines=1, sentences=True, dense=4, sparse=1, pairs=2),
        replace(DROPOUT, seed=53),
        "sparse",
    ),
    # the same with the weight on whole reviews
    "settled": RecipeStage(
        Mixture((0, 4), lines=3, sparse=1, pairs=2),
        replace(TOP, encoder_lr=3e-5, hidden_dropout=0.1, seed=54),
        "wide",
    ),
    # one line once more, mock praise above all, which the whole reviews wash out
    "brief": RecipeStage(
        Mixture((3, 12), lines=1, mock_times=2, sparse=8),
        replace(TOP, encoder_lr=3e-5, hidden_dropout=0.1, seed=55),
        "settled",
    ),
    # what turns a verdict, with more and with less of the review around it
    "close": RecipeStage(
        Mixture((4, 10), lines=3, short=1, pairs=2), replace(DROPOUT, seed=56), "after-brief"
    ),
    # all verdicts of one line, with some of the rest
    "lines": RecipeStage(
        Mixture((6, 10), lines=1, line_times=2, short=4), replace(DROPOUT, seed=57), "close"
    ),
    # reviews turned in haste, where much of the old verdict still stands
    "haste": RecipeStage(
        Mixture((2, 8), lines=3, hurried_times=2, pairs=3), replace(DROPOUT, seed=58), "lines"
    ),
    # the newest of both, whole reviews and one line
    "last": RecipeStage(
        Mixture((5, 10), lines=1, hurried_times=1),
        replace(DROPOUT, encoder_lr=4e-5, seed=59),
        "haste",
    ),
}
MEANS = {  # shares of weights (Wortsman et al. 2022, "Model soups") from which a stage begins
    "after-polish": {"hard": 0.5, "polish": 0.5},
    "after-turned": {"after-polish": 0.5, "turned": 0.5},
    "after-whole": {"after-turned": 0.33, "again": 0.2, "whole": 0.47},
    "after-brief": {"after-whole": 0.35, "settled": 0.25, "brief": 0.4},
}
SHIPPED_SHARES = {"close": 0.2, "haste": 0.3, "last": 0.5}


def find_stage(source: str) -> Run | None:
    """The run that trains this stage, if it exists."""
    return next((run for run in list_runs() if run.config.data.source == source), None)


def begin(name: str, data: RecipeData, start: str | Path) -> Run:
    """Create the run of a stage that starts from the weights in ``start``."""
    stage, model = STAGES[name], str(start)
    return create_run(
        Splits(data.training_reviews(name, stage.mixture), data.validation_reviews()),
        stage.training,
        source=name,
        model=model,
        model_sha256=weights_hash(backbone_folder(model) / WEIGHTS),
        sentinels=SENTINELS,
        device=machine().device,
    )


def final_checkpoint(run: Run) -> Path:
    """The weights a finished stage ended with.

    Raises:
        BertsentError: it did not finish; the text says what to do.
    """
    state = run.status().state
    BertsentError.raise_if(
        state != "finished",
        f"Stage {run.config.data.source} is {state}.",
        f"See {run.folder / 'worker.log'}, then run the command again.",
    )
    return list_checkpoints(run.checkpoints)[-1]


def finish(run: Run) -> Iterator[str]:
    """Run or resume a stage until it ends; yields its progress now and then."""
    if run.status().state != "finished":
        launch(run)
    while run.alive():
        time.sleep(_LOOK_SECONDS)
        history = run.history()
        if history.steps and history.started:
            step, total = history.steps[-1], history.started.total_steps
            yield (
                f"{run.config.data.source}: step {step.step:,} of {total:,}, loss "
                f"{step.loss:.3f}, {step.eta_seconds / 60:.0f} min left"
            )
    final_checkpoint(run)
