"""The example sentences of the study in, what a model here answers to them out."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from bertsent.probing.loaded_model import LoadedModel
from bertsent.training.groups.published_three_tasks import EXAMPLES, PrintedExample

CORRECT_WITHIN = 0.05  # a similarity counts as right this near to the truth: the study's own rule


def answered_examples(models: Mapping[str, LoadedModel]) -> pd.DataFrame:
    """One row an example: ``task``, ``text``, ``second``, ``truth``, ``printed`` and ``answer``
    (a step from 0, 0 or 1, or a number from 0 to 5), ``expected`` (the mean step, P(same), or the
    number again), and whether each was right: ``printed_right``, ``right``.

    Args:
        models: the model of each task by the name of the task.
    """
    found = [
        _rows(models[task], [example for example in EXAMPLES if example.task == task])
        for task in dict.fromkeys(example.task for example in EXAMPLES)
    ]
    return pd.concat(found, ignore_index=True)


def _rows(model: LoadedModel, examples: Sequence[PrintedExample]) -> pd.DataFrame:
    answers = model.answers([(example.text, example.second) for example in examples])
    given = answers if answers.ndim == 1 else answers.argmax(1).astype(float)
    expected = answers if answers.ndim == 1 else answers @ np.arange(answers.shape[1])
    table = pd.DataFrame([vars(example) for example in examples])
    table = table.assign(answer=given, expected=expected)
    return table.assign(
        printed_right=(table["printed"] - table["truth"]).abs() <= CORRECT_WITHIN,
        right=(table["answer"] - table["truth"]).abs() <= CORRECT_WITHIN,
    )


def examples_sentence(table: pd.DataFrame) -> str:
    """How many the model gets right, and how far off the similarities are."""
    numbers = table[table["task"] == "similarity"]
    off = (numbers["answer"] - numbers["truth"]).abs().mean()
    return (
        f"This model gets {table['right'].sum()} of {len(table)} right, the study's best "
        f"{table['printed_right'].sum()}; a similarity counts within {CORRECT_WITHIN:g}. Its "
        f"similarities are {off:.2f} off on average. The study chose its examples; a few sentences "
        "say little about a model."
    )
