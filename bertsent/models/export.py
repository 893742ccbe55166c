"""A checkpoint in, a folder that anybody can use out: Hugging Face files and a model card.

Two texts are given to the library as ``{"text": …, "text_pair": …}``, an aspect as the former. A
[CLS]-pooled model is loaded by ``transformers.pipeline("text-classification", model=folder,
truncation=True)``; a mean- or max-pooled BERT needs ``trust_remote_code=True``. What the library
cannot load, ``bertsent.load(folder)`` does, and the model card says so.
"""

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from bertsent.errors import BadCheckpoint, BadInput
from bertsent.files import atomic_path
from bertsent.models.checkpoint import (
    CARD,
    CheckpointCard,
    load_checkpoint,
    read_card,
    save_checkpoint,
)
from bertsent.models.folders import CONFIG, inspect_folder, read_config
from bertsent.tasks.catalogue import SENTIMENT
from bertsent.tasks.masked_words import MaskedWords
from bertsent.tasks.mixed import MixedTask
from bertsent.tasks.task import Rating, SeveralLabels, Task, task_of_dict

CLEANING = (
    "bertsent removes HTML tags, HTML entities and control characters before the model reads a "
    "text; `transformers` does not, so clean such texts first."
)
_EXAMPLES = {  # what the library is asked, and bertsent
    "text": ('"Great, another boring movie"', '("Great, another boring movie", "")'),
    "two texts": (
        '{"text": "A man is cooking.", "text_pair": "Someone prepares food."}',
        '("A man is cooking.", "Someone prepares food.")',
    ),
    "aspect": (
        '{"text": "soup", "text_pair": "Good soup, rude waiter."}',
        '("soup", "Good soup, rude waiter.")',
    ),
}
_FILL_MASK = f"""```python
from transformers import pipeline
fill = pipeline("fill-mask", model="this-folder")
fill("The movie was [MASK].")
```

In bertsent it fills in words on the page Words and with `bertsent predict`, and the page Fine-tune
takes it as the model to begin with.

{CLEANING}"""
_MODELING = Path(__file__).with_name("modeling_bertsent.py")


@dataclass(frozen=True)
class ModelCardFacts:
    """The contents of the model card: measured facts only."""

    title: str
    backbone: str
    data: str
    recipe: Mapping[str, object] = field(default_factory=dict)
    metrics: Mapping[str, float] = field(default_factory=dict)
    validation_rows: int = 0
    report: str = ""
    licence: str = ""  # of the backbone, by its name on the Hub; "" where it is not known
    is_hub_id: bool = False  # the backbone is on the Hub, and the card links to it


def export_checkpoint(checkpoint: Path, folder: Path, story: ModelCardFacts) -> Path:
    """Copy a checkpoint to ``folder`` with a model card, whole or not at all.

    Raises:
        BadInput: ``folder`` exists and is not empty.
        BadCheckpoint: the checkpoint cannot be read.
    """
    folder = _free(folder)
    inspect_folder(checkpoint)
    card = read_card(checkpoint)
    if card is None:
        raise BadCheckpoint(f"{checkpoint.name} has no {CARD}.", "Choose a checkpoint of a run.")
    with atomic_path(folder) as unfinished:
        shutil.copytree(checkpoint, unfinished, ignore=shutil.ignore_patterns("trainer.*"))
        family = str(read_config(unfinished)["model_type"])
        if _needs_module(card, family):
            _add_modeling(unfinished, card)
        text = model_card(card, story, family)
        (unfinished / "README.md").write_text(text, encoding="utf-8")
    return folder


def export_whole(thin: Path, folder: Path) -> Path:
    """Write a thin checkpoint and its card as a whole model that ``transformers`` loads by itself.

    Raises:
        BadInput: ``folder`` exists and is not empty.
        BadCheckpoint: the checkpoint cannot be read.
    """
    folder, found, card = _free(folder), load_checkpoint(thin), thin / "README.md"
    beside = {card.name: card.read_bytes()} if card.is_file() else {}
    save_checkpoint(folder, found.model, found.tokenizer, found.card, beside)
    return folder


def export_head(heads: Path, head: str, folder: Path) -> Path:
    """Write one head of a folder that holds several, with the whole encoder and the card of all, as
    a model that ``transformers`` loads with ``trust_remote_code=True``.

    Raises:
        BadInput: ``folder`` exists and is not empty.
        BadCheckpoint: the heads cannot be read.
    """
    from bertsent.models.task_heads import load_heads

    folder, found, text = _free(folder), load_heads(heads), heads / "README.md"
    beside = {text.name: text.read_bytes()} if text.is_file() else {}
    card = CheckpointCard(max_length=found.card.max_length, backbone=found.card.backbone)
    with atomic_path(folder) as unfinished:
        save_checkpoint(unfinished, found.models[head], found.tokenizer, card, beside)
        card = read_card(unfinished) or card
        if _needs_module(card, str(read_config(unfinished)["model_type"])):
            _add_modeling(unfinished, card)
    return folder


def _free(folder: Path) -> Path:
    folder = folder.expanduser().resolve()
    BadInput.raise_if(
        folder.exists() and (not folder.is_dir() or any(folder.iterdir())),
        f"{folder} exists and is not empty.",
        "Choose another folder.",
    )
    return folder


def _needs_module(card: CheckpointCard, family: str) -> bool:
    """Whether the library can load such a model with the module that export adds."""
    return not card.stock and not card.head_options and family == "bert" and card.pooling != "cls"


def _loads(card: CheckpointCard, family: str) -> bool:
    """Whether the library can load such a model at all."""
    return card.stock or _needs_module(card, family)


def _add_modeling(folder: Path, card: CheckpointCard) -> None:
    config = read_config(folder)
    module, kind = _MODELING.stem, "PooledBertForSequenceClassification"
    config |= {
        "architectures": [kind],
        "auto_map": {"AutoModelForSequenceClassification": f"{module}.{kind}"},
        "bertsent_pooling": card.pooling,
    }
    task = task_of_dict(card.task)
    if isinstance(task, Rating):
        config |= {"bertsent_range": [task.low, task.high], "bertsent_squashed": task.squashed}
    (folder / CONFIG).write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
    shutil.copy(_MODELING, folder / _MODELING.name)


def model_card(card: CheckpointCard, story: ModelCardFacts, family: str = "bert") -> str:
    """The README.md of an exported model, with the Hub's metadata block on top; ``family`` is the
    ``model_type`` of its encoder.
    """
    task = task_of_dict(card.task)
    recipe = "\n".join(f"| {name} | {value} |" for name, value in story.recipe.items())
    report = f"On {story.validation_rows:,} validation reviews:\n\n```\n{story.report}\n```"
    how = "pretrained further" if isinstance(task, MaskedWords) else "fine-tuned"
    licence = f" ({story.licence})" if story.licence else ", which is not known here,"
    return f"""---
{_metadata(story, task, "transformers" if _loads(card, family) else "bertsent")}
---

# {story.title}

{_purpose(task)}, {how}
from `{story.backbone}` with bertsent.{_parts(task)}

## Use

{_usage(card, task, family)}

## Training

Data: {story.data}. Step {card.step:,}, epoch {card.epoch:g}.

| setting | value |
|---|---|
{recipe}

## Evaluation

{report if story.report else "It was not evaluated."}

## Limits

It was trained on the reviews named above only. On other kinds of text, other languages and
unfamiliar sarcasm it may be wrong and confident.
Texts are cut at {card.max_length} tokens. The licence of the backbone{licence} and that of the
reviews apply to these weights too.
"""


def _purpose(task: Task) -> str:
    """What the model is for, and what each of its outputs means."""
    if task == SENTIMENT:
        return "A sentiment classifier (0 NEGATIVE, 1 POSITIVE) for English film reviews"
    if isinstance(task, MaskedWords):
        return "A masked-language model: English text with [MASK] in, the words behind it out"
    if isinstance(task, MixedTask):
        return f"{task.title}, over one encoder"
    if isinstance(task, Rating):
        gives = f"{task.measure}, a number from {task.low:g} to {task.high:g}"
    else:
        named = ", ".join(f"{place} {name}" for place, name in enumerate(task.output_names))
        gives = f"{'any number' if isinstance(task, SeveralLabels) else 'one'} of: {named}"
    reads = {
        "text": "An English text",
        "two texts": "Two English texts together",
        "aspect": "An aspect, and the English text that it is in,",
    }[task.reads]
    end = "" if task.title.endswith("?") else "."
    return f"{task.title}{end} {reads} in, {gives} out"


def _parts(task: Task) -> str:
    """What each of several tasks is for, as a list."""
    if not isinstance(task, MixedTask):
        return ""
    return "\n\n" + "\n".join(f"- {_purpose(part)}" for part in task.parts)


def _metadata(story: ModelCardFacts, task: Task, library: str) -> str:
    from huggingface_hub import EvalResult, ModelCardData

    kind = _pipeline(task)
    results = [
        EvalResult(
            kind,
            "custom",
            story.data,
            name,
            round(value, 4),
            task_name="Sentiment classification" if task == SENTIMENT else task.title,
        )
        for name, value in story.metrics.items()
    ]
    return ModelCardData(
        language="en",
        pipeline_tag=kind,
        library_name=library,
        tags=["sentiment" if task == SENTIMENT else task.problem_type, "bertsent"],
        base_model=story.backbone if story.is_hub_id else None,
        license=story.licence or None,
        model_name=story.title,
        eval_results=results or None,
    ).to_yaml()


def _pipeline(task: Task) -> str:
    return "fill-mask" if isinstance(task, MaskedWords) else "text-classification"


def _usage(card: CheckpointCard, task: Task, family: str) -> str:
    if isinstance(task, MaskedWords):
        return _FILL_MASK
    module = _needs_module(card, family)
    if not _loads(card, family):
        return _usage_in_bertsent(task)
    extra = ", trust_remote_code=True" if module else ""
    extra += ", top_k=None" if isinstance(task, SeveralLabels) else ""
    note = (
        f"\nIt pools by {card.pooling}, for which `transformers` has no class: it reads "
        "`modeling_bertsent.py` as well.\n"
    )
    return f"""```python
from transformers import pipeline
classify = pipeline("text-classification", model="this-folder", truncation=True{extra})
classify({_EXAMPLES[task.reads][0]})
```
{note if module else _cut(task)}
Or, with bertsent installed: `{_load(task)}`.

{CLEANING}"""


def _load(task: Task) -> str:
    asked, own = _EXAMPLES[task.reads]
    question = f"predict([{asked}])" if task == SENTIMENT else f"answers([{own}])"
    return f'bertsent.load("this-folder").{question}'


def _cut(task: Task) -> str:
    """What is still to be done with the numbers that the library gives; "" for nothing."""
    if not isinstance(task, Rating) or task.squashed:
        return ""
    low, high = f"{task.low:g}", f"{task.high:g}"
    return (
        f"\nCut the numbers at {low} and {high}, as bertsent does: "
        f"`min(max(score, {low}), {high})`.\n"
    )


def _usage_in_bertsent(task: Task) -> str:
    """For what the library has no class."""
    code, more = _load(task), ""
    if isinstance(task, MixedTask):
        names = [part.name for part in task.parts]
        code = f"""model = bertsent.load("this-folder").part("{names[-1]}")
model.answers([{_EXAMPLES[task.parts[-1].reads][1]}])"""
        more = (
            f"\n\nIts tasks are {', '.join(names)}; those that read one text are given "
            '("the text", "").'
        )
    return f"""It loads in bertsent only. `transformers` has no class for its head, and
`AutoModelForSequenceClassification` would put random numbers in its place.

```python
import bertsent

{code}
```{more}"""
