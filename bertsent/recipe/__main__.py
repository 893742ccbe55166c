"""``python -m bertsent.recipe DATA``: train, calibrate, judge and write the sentiment model that ships.

DATA is the folder with the public data files (the model card lists them). Killed, it goes on where it was when it is called again;
its three runs lie in ``--work`` like any others, with their logs, so the app shows their curves when BERTSENT_HOME points there.
"""

import argparse
import os
import sys
from pathlib import Path

from bertsent.errors import BertsentError
from bertsent.settings import home


def main(arguments: list[str] | None = None) -> int:
    """Run the recipe to its end; exit status 2 and one line on standard error when something is missing."""
    parser = argparse.ArgumentParser(prog="python -m bertsent.recipe", description=__doc__.split("\n\n")[0])
    parser.add_argument("data", type=Path, help="the folder with the public data files")
    parser.add_argument("--work", type=Path, default=home() / "recipe", help="where the runs lie (default: recipe in the home of the lab)")
    parser.add_argument("--into", type=Path, help="where the model is written (default: where the shipped one lies)")
    options = parser.parse_args(arguments)
    os.environ["BERTSENT_HOME"] = str(options.work.resolve())
    try:
        return _build(options.data, options.into)
    except BertsentError as error:
        print(f"bertsent.recipe: {error}", file=sys.stderr)
        return 2


def _build(data: Path, into: Path | None) -> int:
    from bertsent.probing.registry import SHIPPED
    from bertsent.recipe.materials import Materials
    from bertsent.recipe.ship import ship
    from bertsent.recipe.stages import begin_general, begin_hard, begin_polish, final_checkpoint, find_stage, finish

    materials = Materials(data)
    general = find_stage("general") or begin_general(materials)
    for line in finish(general):
        print(line, flush=True)
    hard = find_stage("hard") or begin_hard(materials, general)
    for line in finish(hard):
        print(line, flush=True)
    polish = find_stage("polish") or begin_polish(materials, hard)
    for line in finish(polish):
        print(line, flush=True)
    for line in ship((final_checkpoint(hard), final_checkpoint(polish)), (general, hard, polish), materials, into or SHIPPED):
        print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
