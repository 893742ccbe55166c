"""The stages of training, each an ordinary run that can be paused, killed and gone on with."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from operator import methodcaller
from pathlib import Path

from bertsent.data.examples import Reviews, Splits
from bertsent.errors import BertsentError
from bertsent.models.backbone import backbone_folder, weights_hash
from bertsent.models.folders import WEIGHTS
from bertsent.recipe.datasets import RecipeData
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
_COMMON = {
    "epochs": 1,
    "batch_size": 32,
    "head_lr": 1e-3,
    "warmup_share": 0.06,
    "dropout": 0.1,
    "hidden_dropout": 0.0,
    "label_smoothing": 0.03,
    "freeze_embeddings": True,
    "save_seconds": 300.0,
}


@dataclass(frozen=True)
class RecipeStage:
    """What a run learns from, how, and from which weights: another stage's, a mean's or the
    backbone's.
    """

    reviews: Callable[[RecipeData], Reviews]
    how: TrainingConfig
    start: str


GENERAL = TrainingConfig(**_COMMON, max_length=256, encoder_lr=7e-5)
LONGER = replace(GENERAL, max_length=512, encoder_lr=5e-5, head_lr=3e-4, keep_head=True)
LAST = replace(LONGER, trains="last", last_layers=4)
STAGES = {
    "general": RecipeStage(RecipeData.general, GENERAL, "builtin"),
    "hard": RecipeStage(RecipeData.hard, replace(LAST, seed=43), "general"),
    "polish": RecipeStage(RecipeData.polish, replace(LAST, encoder_lr=4e-5, seed=44), "hard"),
    "turned": RecipeStage(RecipeData.turned, replace(LONGER, epochs=2, seed=46), "after-polish"),
    "quick": RecipeStage(methodcaller("mixed", "quick"), replace(LONGER, seed=47), "after-turned"),
    "again": RecipeStage(
        methodcaller("mixed", "again"), replace(LONGER, epochs=2, seed=48), "quick"
    ),
    "whole": RecipeStage(
        methodcaller("mixed", "whole"), replace(LAST, encoder_lr=3e-5, seed=49), "again"
    ),
    "sparse": RecipeStage(
        methodcaller("mixed", "sparse"), replace(LONGER, hidden_dropout=0.1, seed=52), "after-whole"
    ),
    "wide": RecipeStage(
        methodcaller("mixed", "wide"), replace(LONGER, hidden_dropout=0.1, seed=53), "sparse"
    ),
    "settled": RecipeStage(
        methodcaller("mixed", "settled"),
        replace(LAST, encoder_lr=3e-5, hidden_dropout=0.1, seed=54),
        "wide",
    ),
    "brief": RecipeStage(
        methodcaller("mixed", "brief"),
        replace(LAST, encoder_lr=3e-5, hidden_dropout=0.1, seed=55),
        "settled",
    ),
    "close": RecipeStage(
        methodcaller("mixed", "close"), replace(LONGER, hidden_dropout=0.1, seed=56), "after-brief"
    ),
    "lines": RecipeStage(
        methodcaller("mixed", "lines"), replace(LONGER, hidden_dropout=0.1, seed=57), "close"
    ),
    "haste": RecipeStage(
        methodcaller("mixed", "haste"), replace(LONGER, hidden_dropout=0.1, seed=58), "lines"
    ),
    "last": RecipeStage(
        methodcaller("mixed", "last"),
        replace(LONGER, encoder_lr=4e-5, hidden_dropout=0.1, seed=59),
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
    """The run that trains this stage, when it was begun."""
    return next((run for run in list_runs() if run.config.data.source == source), None)


def begin(name: str, materials: RecipeData, start: str | Path) -> Run:
    """Lay down a stage, from the weights in ``start`` and, but for the first, with their head."""
    stage = STAGES[name]
    splits, model = Splits(stage.reviews(materials), materials.judges()), str(start)
    sha256 = weights_hash(backbone_folder(model) / WEIGHTS)
    return create_run(
        splits,
        stage.how,
        source=name,
        model=model,
        model_sha256=sha256,
        sentinels=SENTINELS,
        device=machine().device,
    )


def final_checkpoint(run: Run) -> Path:
    """The weights a finished stage ended with.

    Raises:
        BertsentError: it has not ended well; the text says what to do.
    """
    state = run.status().state
    if state != "finished":
        raise BertsentError(
            f"Stage {run.config.data.source} is {state}.",
            f"See {run.folder / 'worker.log'}, then run the command again.",
        )
    return list_checkpoints(run.checkpoints)[-1]


def finish(run: Run) -> Iterator[str]:
    """Work on a stage until it ends, whatever was done before; says every now and then how far it
    is.
    """
    if run.status().state != "finished":
        launch(run)
    while run.alive():
        time.sleep(_LOOK_SECONDS)
        history = run.history()
        if history.steps:
            step, total = history.steps[-1], history.started.total_steps
            yield (
                f"{run.config.data.source}: step {step.step:,} of {total:,}, loss "
                f"{step.loss:.3f}, {step.eta_seconds / 60:.0f} min left"
            )
    final_checkpoint(run)
