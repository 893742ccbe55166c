"""``python -m bertsent.recipe DATA``: train, calibrate, evaluate and write the sentiment model that
ships and the baselines that it is compared with.

DATA is the folder with the public data files (the model card lists them). When it was killed, call
it again and it continues. Its runs are in ``--work`` with their logs, so the app shows their curves
when BERTSENT_HOME points there.
"""

import argparse
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from bertsent.errors import BertsentError
from bertsent.settings import home

if TYPE_CHECKING:
    from bertsent.training.runs.run import Run


def main(arguments: list[str] | None = None) -> int:
    """Run the recipe to its end; exit status 2 and one line on standard error when something is
    missing.
    """
    parser = argparse.ArgumentParser(
        prog="python -m bertsent.recipe", description=__doc__.split("\n\n")[0]
    )
    parser.add_argument("data", type=Path, help="the folder with the public data files")
    parser.add_argument(
        "--work",
        type=Path,
        default=home() / "recipe",
        help="folder of the runs (default: recipe in BERTSENT_HOME)",
    )
    parser.add_argument(
        "--into",
        type=Path,
        help="folder of what is made (default: that of what ships)",
    )
    parser.add_argument(
        "--only",
        choices=("model", "baselines", "heads"),
        help="make only the model, the baselines that it is compared with, or the heads of further "
        "tasks, which are made only when they are asked for",
    )
    parser.add_argument(
        "--heads",
        type=Path,
        metavar="WEIGHTS",
        help="only write the heads of further tasks, from the weights of such a training",
    )
    options = parser.parse_args(arguments)
    os.environ["BERTSENT_HOME"] = str(options.work.resolve())
    try:
        if options.heads or options.only == "heads":
            _make_heads(options.heads, options.data, options.into)
            return 0
        if options.only != "baselines":
            _build(options.data, options.into)
        if options.only != "model":
            _build_baselines(options.data, options.into)
        return 0
    except BertsentError as error:
        print(f"bertsent.recipe: {error}", file=sys.stderr)
        return 2


def _build_baselines(folder: Path, into: Path | None) -> None:
    from bertsent.probing.baselines.shipped import SHIPPED_BASELINES
    from bertsent.recipe.baselines import make_baselines
    from bertsent.recipe.datasets import RecipeData

    target = into / "baselines" if into else SHIPPED_BASELINES
    _say(make_baselines(RecipeData(folder), home() / "baselines", target))


def _make_heads(weights: Path | None, data: Path, into: Path | None) -> None:
    from bertsent.probing.registry import SHIPPED_HEADS
    from bertsent.recipe.learning import learn
    from bertsent.recipe.task_heads import release_heads
    from bertsent.recipe.task_plan import TASKS_PLAN, task_rows
    from bertsent.recipe.task_sets import learned_sets

    if weights is None:
        weights = home() / "heads" / "weights.pt"
        if not weights.is_file():
            _say(learn(task_rows(learned_sets(data)), TASKS_PLAN, weights))
    _say(release_heads(weights, data, into or SHIPPED_HEADS))


def _build(folder: Path, into: Path | None) -> None:
    from bertsent.probing.registry import SHIPPED
    from bertsent.recipe.datasets import RecipeData
    from bertsent.recipe.release import keep_average, release
    from bertsent.recipe.stages import (
        MEANS,
        SHIPPED_SHARES,
        STAGES,
        begin,
        final_checkpoint,
        find_stage,
        finish,
    )

    data = RecipeData(folder)
    runs: dict[str, Run] = {}

    def weights(name: str) -> str | Path:
        if name in MEANS:
            return keep_average(
                {Path(weights(part)): share for part, share in MEANS[name].items()}, home() / name
            )
        return final_checkpoint(runs[name]) if name in runs else name

    for name, stage in STAGES.items():
        runs[name] = find_stage(name) or begin(name, data, weights(stage.start))
        _say(finish(runs[name]))
    _say(
        release(
            {Path(weights(name)): share for name, share in SHIPPED_SHARES.items()},
            tuple(runs.values()),
            data,
            into or SHIPPED,
        )
    )


def _say(lines: Iterator[str]) -> None:
    for line in lines:
        print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main())
