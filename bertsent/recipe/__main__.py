"""``python -m bertsent.recipe DATA``: train, calibrate, evaluate and write the sentiment model that
ships and the baselines that it is compared with.

DATA is the folder with the public data files (the model card lists them). When it was killed, call
it again and it continues. What is unfinished, and the log of losses, is in ``--work``.
"""

import argparse
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from bertsent.errors import BertsentError
from bertsent.settings import home


def main(arguments: list[str] | None = None) -> int:
    """Run the recipe to its end; exit status 2 and one line on standard error when something is
    missing.
    """
    options = _parser().parse_args(arguments)
    os.environ["BERTSENT_HOME"] = str(options.work.resolve())
    try:
        _make(options)
    except BertsentError as error:
        print(f"bertsent.recipe: {error}", file=sys.stderr)
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bertsent.recipe", description=__doc__.split("\n\n")[0]
    )
    parser.add_argument("data", type=Path, help="the folder with the public data files")
    parser.add_argument(
        "--work",
        type=Path,
        default=home() / "recipe",
        help="folder of what is unfinished (default: recipe in BERTSENT_HOME)",
    )
    parser.add_argument(
        "--into",
        type=Path,
        help="folder of what is made (default: that of what ships)",
    )
    parser.add_argument(
        "--only",
        choices=(
            *("model", "baselines", "before-bert", "heads", "words", "scores", "card", "variety"),
            *("heads-scores", "aspect-folds"),
        ),
        help="make only the model, the baselines that it is compared with, the networks from "
        "before BERT, the heads of further tasks, the heads of pretraining that fill in masked "
        "words, the scores and the card of the model or of the heads that are there, or the "
        "model's card alone, or only print how varied the texts of this project are, or how hard "
        "the restaurant rows are that the heads are judged on; the last eight are made only when "
        "they are asked for",
    )
    parser.add_argument(
        "--heads",
        type=Path,
        metavar="WEIGHTS",
        help="only write the heads of further tasks, from the weights of such a training",
    )
    return parser


def _make(options: argparse.Namespace) -> None:
    """What the options ask for."""
    only, data, into = options.only, options.data, options.into
    if options.heads or only == "heads":
        _make_heads(options.heads, data, into)
    elif only == "heads-scores":
        _measure_heads(data, into)
    elif only == "words":
        _make_words(data, into)
    elif only in ("scores", "card"):
        _describe(data, into, again=only == "scores")
    elif only == "variety":
        _tell_variety(data)
    elif only == "aspect-folds":
        _tell_aspect_folds(data)
    elif only == "before-bert":
        _make_readers(data, into)
    else:
        if only != "baselines":
            _build(data, into)
        if only != "model":
            _build_baselines(data, into)


def _build_baselines(folder: Path, into: Path | None) -> None:
    from bertsent.probing.baselines.shipped import SHIPPED_BASELINES
    from bertsent.recipe.baselines import make_baselines
    from bertsent.recipe.datasets import RecipeData

    target = into / "baselines" if into else SHIPPED_BASELINES
    _say(make_baselines(RecipeData(folder), home() / "baselines", target))


def _make_readers(data: Path, into: Path | None) -> None:
    from bertsent.probing.before_bert.shipped import SHIPPED_READERS
    from bertsent.recipe.before_bert import make_readers
    from bertsent.recipe.datasets import RecipeData

    _say(make_readers(RecipeData(data), home() / "before-bert", into or SHIPPED_READERS))


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


def _measure_heads(data: Path, into: Path | None) -> None:
    from bertsent.probing.registry import SHIPPED_HEADS
    from bertsent.recipe.task_heads import measure_heads

    _say(measure_heads(into or SHIPPED_HEADS, data))


def _make_words(folder: Path, into: Path | None) -> None:
    from bertsent.models.folders import SHIPPED_WORDS
    from bertsent.recipe.datasets import RecipeData
    from bertsent.recipe.learning import learn
    from bertsent.recipe.words_learning import WordLearning
    from bertsent.recipe.words_plan import WORDS_PLAN
    from bertsent.recipe.words_release import release_words
    from bertsent.recipe.words_sets import learned_word_sets

    data, weights = RecipeData(folder), home() / "words" / "weights.pt"
    if not weights.is_file():
        _say(learn(learned_word_sets(data), WORDS_PLAN, weights, WordLearning))
    _say(release_words(weights, data, into or SHIPPED_WORDS))


def _build(folder: Path, into: Path | None) -> None:
    from bertsent.probing.registry import SHIPPED
    from bertsent.recipe.datasets import RecipeData
    from bertsent.recipe.learning import learn
    from bertsent.recipe.release import release
    from bertsent.recipe.sentiment_plan import SENTIMENT_PLAN
    from bertsent.recipe.sentiment_sets import sentiment_rows

    data, weights = RecipeData(folder), home() / "sentiment" / "weights.pt"
    if not weights.is_file():
        _say(learn(sentiment_rows(data), SENTIMENT_PLAN, weights))
    _say(release(weights, data, into or SHIPPED))


def _describe(folder: Path, into: Path | None, *, again: bool) -> None:
    from bertsent.probing.registry import SHIPPED
    from bertsent.recipe.datasets import RecipeData
    from bertsent.recipe.release import measure, story_before, write_card

    model = into or SHIPPED
    if again:
        _say(measure(model, RecipeData(folder)))
    _say(write_card(model, story_before(model)))


def _tell_variety(folder: Path) -> None:
    from bertsent.recipe.datasets import RecipeData
    from bertsent.recipe.variety import variety_lines

    _say(variety_lines(RecipeData(folder)))


def _tell_aspect_folds(data: Path) -> None:
    from bertsent.recipe.aspect_folds import aspect_folds

    _say(aspect_folds(data, home() / "aspect-folds"))


def _say(lines: Iterator[str]) -> None:
    for line in lines:
        print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main())
