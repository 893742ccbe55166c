"""The weights of a multitask training in, the folder of heads that ships out: thin, scored on
held-out sets, with a card.

Heads are called like their tasks; earlier trainings called them ``sst``, ``asp``, ``emo``, ``sts``
and ``par``, which are read as well. In training the feelings stand in alphabetical order and the
paraphrase head gives one logit z; here they stand as in Plutchik's wheel and as two logits 0 and z,
whose softmax is the same probability.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pandas as pd
import torch

from bertsent.errors import BadInput
from bertsent.files import write_atomically
from bertsent.models.backbone import load_backbone
from bertsent.models.heads_card import HeadsCard
from bertsent.models.task_heads import Head, save_heads
from bertsent.probing.loaded_model import load_head
from bertsent.probing.tasks.head_scores import FILE
from bertsent.recipe.task_scores import COLUMNS, task_score_table
from bertsent.recipe.task_sets import held_out_sets
from bertsent.recipe.tasks_card import story_in, tasks_card_text
from bertsent.tasks.catalogue import ASPECTS, FEELINGS, FIVE_STEPS, PARAPHRASE, SIMILARITY
from bertsent.tasks.task import Task

LONGEST = 128  # tokens, in training and afterwards
TRAINED: Mapping[str, Task] = {
    FIVE_STEPS.name: FIVE_STEPS,
    ASPECTS.name: ASPECTS,
    FEELINGS.name: FEELINGS,
    SIMILARITY.name: replace(SIMILARITY, squashed=True),
    PARAPHRASE.name: PARAPHRASE,
}
_EARLIER = dict(zip(TRAINED, ("sst", "asp", "emo", "sts", "par"), strict=True))


def release_heads(weights: Path, data: Path, into: Path) -> Iterator[str]:
    """Write the shipped heads to ``into``; yields a line for each thing done.

    Args:
        weights: the state dict of the training: ``bert.…`` and ``heads.<name>.…``. A file of the
            same name that ends in ``.md`` tells more of it on the card.
        data: the folder with the public sets that the scores are measured on.
        into: the folder; an older one there is replaced.

    Raises:
        BadInput: the weights are not those of such a training.
        NotAvailable: a data file is missing.
    """
    write_heads(read_state(weights), into, TRAINED)
    path = weights.with_suffix(".md")
    yield from measure_heads(
        into, data, path.read_text(encoding="utf-8").strip() if path.is_file() else ""
    )


def measure_heads(folder: Path, data: Path, story: str | None = None) -> Iterator[str]:
    """Measure the heads in ``folder`` and write their scores and their card beside them; yields a
    line for each thing done.

    Args:
        folder: as ``write_heads`` writes it.
        data: the folder with the public sets.
        story: how they were trained; none is what the card there says of it.

    Raises:
        NotAvailable: a data file is missing.
    """
    card = folder / "README.md"
    if story is None:
        story = story_in(card.read_text(encoding="utf-8"))
    yield f"Scoring {len(TRAINED)} heads"
    models = {name: load_head(folder, name) for name in TRAINED}
    rows = []
    for row in task_score_table(models, held_out_sets(data)):
        rows.append(row)
        yield f"{row['set']}: {row['metric']} {row['value']:.3f} of {row['n']:,}"
    scores = pd.DataFrame(rows, columns=list(COLUMNS))
    write_atomically(folder / FILE, scores.round(5).to_csv(index=False).encode())
    write_atomically(card, tasks_card_text(scores, story).encode())
    yield f"Written: {folder}"


def write_heads(
    state: Mapping[str, torch.Tensor],
    into: Path,
    tasks: Mapping[str, Task],
) -> None:
    """Write the folder of the encoder and the heads of these tasks, by the names they have in
    ``state``; an older one there is replaced.

    Raises:
        BadInput: ``state`` lacks one of the heads.
    """
    bert = load_backbone("builtin").model
    own = {name.removeprefix("bert."): v for name, v in state.items() if name.startswith("bert.")}
    heads = {name: head_of_state(state, name) for name in tasks}
    bert.load_state_dict(own)
    save_heads(into, bert, heads, HeadsCard(tasks, "mean", LONGEST))


def head_of_state(state: Mapping[str, torch.Tensor], name: str) -> Head:
    """The weight and bias of the head of a task as the task has its outputs.

    Raises:
        BadInput: it is not there.
    """
    key = name if f"heads.{name}.weight" in state else _EARLIER[name]
    found = [state.get(f"heads.{key}.{part}") for part in ("weight", "bias")]
    if found[0] is None or found[1] is None:
        raise BadInput(f"The weights have no head “{name}”.", "Give those of a multitask training.")
    weight, bias = (each.detach().float() for each in (found[0], found[1]))
    if name == FEELINGS.name:
        order = [sorted(FEELINGS.labels).index(label) for label in FEELINGS.labels]
        return weight[order], bias[order]
    if name == PARAPHRASE.name:
        return torch.cat([torch.zeros_like(weight), weight]), torch.cat([bias * 0, bias])
    return weight, bias


def read_state(weights: Path) -> dict[str, torch.Tensor]:
    """The weights of a training as it saved them.

    Raises:
        BadInput: there is no such file.
    """
    BadInput.raise_if(not weights.is_file(), f"There is no file {weights}.", "Check the path.")
    state = torch.load(weights, map_location="cpu", weights_only=True)
    return state if isinstance(state, dict) else {}
