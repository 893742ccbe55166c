"""A run or the built-in model in, the four stages of fine-tuning out, each with its own numbers:
pretrained encoder, new head, fine-tuning, use.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bertsent.data.examples import LABELS
from bertsent.errors import BertsentError
from bertsent.models.backbone import backbone_folder, builtin_folder
from bertsent.models.folders import WEIGHTS, folder_title, inspect_folder, local_folder
from bertsent.models.head_origins import BEGINS
from bertsent.probing.registry import BUILTIN, find_model, shipped
from bertsent.probing.shipped_scores import BUILTIN_VALIDATION, shipped_scores, slice_of
from bertsent.tasks.catalogue import SENTIMENT
from bertsent.tasks.masked_words import MaskedWords
from bertsent.tasks.measure import Measure, measure_of
from bertsent.tasks.task import Task
from bertsent.training.checkpoints import list_checkpoints
from bertsent.training.config import TRAINS, RunConfig, TrainingConfig
from bertsent.training.curves.curve_sentences import duration_in_words
from bertsent.training.events import Evaluated, Started
from bertsent.training.parameter_count import count_parameters
from bertsent.training.runs.history import History
from bertsent.training.runs.run import Run
from bertsent.training.runs.status_sentences import epochs_in_words

MINILM = "all-MiniLM-L6-v2"
_WHAT = (
    (
        "Pre-trained BERT",
        "Has read large amounts of text without labels and represents grammar, context and "
        "meaning. This is done already.",
    ),
    ("Add a head", "One linear layer with {head}, drawn at random: it knows nothing yet."),
    (
        "Fine-tune",
        "Learns {what} from labelled texts (IMDb reviews in the lecture): thousands are enough, "
        "millions are not needed.",
    ),
    ("Deploy", "The weights stay as they are and answer new reviews."),
)
_PLAN = re.compile(  # on the card without its line breaks
    r"Batches of (\d+) rows, .*?, seed (\d+)\."
)
_STAGE = re.compile(  # a row of the table of a plan: name, steps, batches a step, tokens
    r"\| \*\*(\w+)\*\* \| ([\d,]+) \| (\d+) \| (\d+) \|"
)
_NOTHING = {"so far": "nothing: start a run"}


@dataclass(frozen=True)
class FineTuningStage:
    """One stage: its number from 1, its name, what happens there in a sentence, and this model's
    own facts as (name, value).
    """

    number: int
    title: str
    what: str
    facts: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class RecipeStage:
    """One stage of the built-in model's recipe, as its model card states it; ``batch`` is how many
    texts a step learns from.
    """

    name: str
    steps: int
    batch: int
    tokens: int
    seed: int

    @property
    def texts(self) -> int:
        """How many it learns from, those that it reads again counted again."""
        return self.steps * self.batch


def stages_of_run(run: Run, history: History) -> tuple[FineTuningStage, ...]:
    """The four stages of a run as far as it has come.

    Raises:
        BadCheckpoint: its configuration, or that of its newest checkpoint, is damaged.
    """
    config, saved = run.config, list_checkpoints(run.checkpoints)
    folder = saved[-1] if saved else _found(config.model)
    first, last = history.evaluations[:1], history.evaluations[-1:]
    is_folder = Path(config.model).is_absolute() or local_folder(config.model)
    name = folder_title(config.model) if is_folder else config.model
    shown = f"{MINILM} (built-in)" if config.model == BUILTIN else name
    return _numbered(
        _encoder(shown, folder),
        _head(
            folder,
            config,
            first[0] if first and not first[0].step else None,
            kept=_begins(history) or ("built-in" if config.model == BUILTIN else name),
        ),
        _fine_tuned(config, history),
        _deployed(run, saved, last[0] if last else None, history.started),
        task=config.task,
    )


def stages_of_builtin() -> tuple[FineTuningStage, ...]:
    """The four stages of the model that ships; the last two empty where none does.

    Raises:
        NotAvailable: not even its encoder is installed.
        BadCheckpoint: its files are damaged.
    """
    encoder = builtin_folder()
    folder = find_model(BUILTIN).folder if shipped() else None
    parts = recipe_of(folder) if folder else ()
    training = TrainingConfig(seed=parts[0].seed) if parts else TrainingConfig()
    return _numbered(
        _encoder(MINILM, encoder),
        _drawn_head(encoder, training, SENTIMENT),
        _recipe(parts),
        _shipped(folder) if folder else _NOTHING,
    )


def recipe_of(folder: Path) -> tuple[RecipeStage, ...]:
    """The stages that made the built-in model, read from its model card; empty where the card does
    not tell.
    """
    try:
        card = (folder / "README.md").read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ()
    card = " ".join(card.split())
    plan = _PLAN.search(card)
    if plan is None:
        return ()
    rows, seed = (int(number) for number in plan.groups())
    stages = ((name, *map(_whole, numbers)) for name, *numbers in _STAGE.findall(card))
    return tuple(
        RecipeStage(name, steps, sets * rows, tokens, seed) for name, steps, sets, tokens in stages
    )


def _whole(number: str) -> int:
    return int(number.replace(",", ""))


def head_parameters(width: int, outputs: int = len(LABELS)) -> int:
    """W of width × outputs and b: for two labels 770 for an encoder 384 wide, 1,538 for one of
    768.
    """
    return (width + 1) * outputs


def _numbered(*facts: Mapping[str, str], task: Task = SENTIMENT) -> tuple[FineTuningStage, ...]:
    """The stages with their facts, without those that are empty."""
    names = " and ".join(name.lower() for name in task.output_names)
    head = f"{task.outputs} outputs" if task.outputs > 1 else "one output"
    named = {
        "head": f"{head}, {names}" if task.outputs == 2 else head,
        "what": "sentiment" if task == SENTIMENT else f"“{task.title}”",
    }
    return tuple(
        FineTuningStage(
            n, title, what.format(**named), tuple(fact for fact in own.items() if fact[1])
        )
        for n, ((title, what), own) in enumerate(zip(_WHAT, facts, strict=True), start=1)
    )


def _found(model: str) -> Path | None:
    try:
        return backbone_folder(model)
    except BertsentError:
        return None  # it was there when the run was started


def _encoder(name: str, folder: Path | None) -> dict[str, str]:
    if folder is None:
        return {"encoder": name, "parameters": "not known: it is not on this machine any more"}
    shape = inspect_folder(folder)
    parameters = count_parameters(folder, TrainingConfig()).total - head_parameters(shape.width)
    return {
        "encoder": name,
        "parameters": f"{parameters:,}",
        "size": f"{shape.layers} layers × {shape.heads} heads, {shape.width} wide",
        "vocabulary": f"{shape.vocabulary:,} word pieces",
    }


def _begins(history: History) -> str:
    """Where a head that fills in words came from; "" for any other."""
    return BEGINS.get(history.started.begins, "") if history.started else ""


def _head(
    folder: Path | None, config: RunConfig, untrained: Evaluated | None, kept: str = ""
) -> dict[str, str]:
    facts = _drawn_head(folder, config.training, config.task, kept)
    if untrained is None:
        return facts
    measure = measure_of(config.task)
    guess = "" if measure.guessing is None else f" (guessing: {measure.guessing:.3f})"
    return facts | {
        "before any step": f"{_said(untrained, measure)}, loss {untrained.loss:.3f}{guess}"
    }


def _said(found: Evaluated, measure: Measure) -> str:
    value = measure.say(found.accuracy)
    return f"{value} right" if measure.percent else f"{measure.title} {value}"


def _drawn_head(
    folder: Path | None, training: TrainingConfig, task: Task, kept: str = ""
) -> dict[str, str]:
    if isinstance(task, MaskedWords):
        return _words_head(folder, kept)
    width, many = inspect_folder(folder).width if folder else 0, task.outputs
    limit = math.sqrt(6 / (width + many))  # Glorot and Bengio (2010)
    random = not training.keep_head
    whole = head_parameters(width, many)
    return {
        "parameters": f"{whole:,} = {width} × {many} + {many}" if width else "",
        "begins within": f"±{limit:.3f}, bias 0" if width and random else "",
        "reads": {
            "cls": "the vector of [CLS]",
            "mean": "the mean of all tokens",
            "max": "the maximum over all tokens",
        }[training.pooling],
        "start": f"random, seed {training.seed}" if random else f"not random: that of {kept}",
    }


def _words_head(folder: Path | None, begins: str) -> dict[str, str]:
    found = inspect_folder(folder) if folder else None
    width, pieces = (found.width, found.vocabulary) if found else (0, 0)
    whole = (width + 1) * width + 2 * width + pieces
    return {
        "parameters": f"{whole:,}, and the input vectors once more" if width else "",
        "reads": "the vector of each hidden word",
        "start": begins,
    }


def _fine_tuned(config: RunConfig, history: History) -> dict[str, str]:
    data, trains, started = config.data, TRAINS[config.training.trains].lower(), history.started
    facts = {"reviews": f"{data.train_rows:,} from {data.source}", "trains": trains}
    if started is None:
        return facts | {"steps": "none yet"}
    step = history.steps[-1] if history.steps else None
    return facts | {
        "trains": f"{trains}, {started.trainable:,} parameters",
        "steps": f"{history.step:,} of {started.total_steps:,} ({step.epoch if step else 0:.3g} of "
        f"{epochs_in_words(started.epochs)})",
        "time used": f"{duration_in_words(step.seconds)} on {started.device}" if step else "",
    }


def _deployed(
    run: Run, saved: list[Path], last: Evaluated | None, started: Started | None
) -> dict[str, str]:
    if not saved:
        return {"folder": "none yet: the first checkpoint comes with the first evaluation"}
    seconds, reviews = last.seconds if last else 0, started.validation_rows if started else 0
    return {
        "folder of the run": f"checkpoints/{saved[-1].name}",
        "weights": _megabytes(saved[-1]),
        "validation": f"{_said(last, measure_of(run.config.task))} at step {last.step:,}"
        if last
        else "",
        "speed": f"{1000 * seconds / reviews:.1f} ms per review, in batches"
        if seconds and reviews
        else "",
        "export": f"python -m bertsent export {run.id} FOLDER",
    }


def _recipe(parts: tuple[RecipeStage, ...]) -> dict[str, str]:
    facts = {
        part.name: f"{part.texts:,} texts, {part.steps:,} steps of {part.batch}" for part in parts
    }
    return facts | {"in all": f"{sum(part.steps for part in parts):,} steps"} if parts else _NOTHING


def _shipped(folder: Path) -> dict[str, str]:
    table = shipped_scores()
    found = None if table is None else slice_of(table, BUILTIN_VALIDATION, "all")
    return {
        "folder": "/".join(folder.parts[-3:]),
        "weights": _megabytes(folder),
        "validation part": f"{100 * found.score:.1f} % balanced accuracy on {found.n:,} reviews"
        if found
        else "",
        "export": "python -m bertsent export builtin FOLDER",
    }


def _megabytes(folder: Path) -> str:
    path = folder / WEIGHTS
    return f"{path.stat().st_size / 1e6:.1f} MB" if path.is_file() else "missing"
