"""A run or the built-in model in, the four stages of fine-tuning out, each with its own numbers:
pretrained encoder, new head, fine-tuning, use.
"""

import math
import re
from dataclasses import dataclass
from pathlib import Path

from bertsent.data.examples import LABELS
from bertsent.errors import BertsentError
from bertsent.models.backbone import backbone_folder, builtin_folder
from bertsent.models.folders import WEIGHTS, EncoderSize, inspect_folder, local_folder
from bertsent.probing.registry import BUILTIN, find_model
from bertsent.probing.shipped_scores import BUILTIN_TEST, shipped_scores, slice_of
from bertsent.training.checkpoints import list_checkpoints
from bertsent.training.config import TRAINS, RunConfig, TrainingConfig
from bertsent.training.curves.curve_sentences import GUESSING, duration_in_words
from bertsent.training.events import Evaluated, Started
from bertsent.training.parameter_count import count_parameters
from bertsent.training.runs.history import History
from bertsent.training.runs.run import Run

MINILM = "all-MiniLM-L6-v2"
_WHAT = (
    (
        "Pre-trained BERT",
        "Has read large amounts of text without labels and represents grammar, context and "
        "meaning. This is done already.",
    ),
    (
        "Add a head",
        f"One linear layer with {len(LABELS)} outputs, negative and positive, drawn at random: it "
        "knows nothing yet.",
    ),
    (
        "Fine-tune",
        "Learns sentiment from labelled reviews (IMDb in the lecture): thousands are enough, "
        "millions are not needed.",
    ),
    ("Deploy", "The weights stay as they are and answer new reviews."),
)
_RECIPE = re.compile(
    r"^- \*\*(\w+)\*\*: ([\d,]+) texts, (\d+) epochs? of batches of (\d+), up to (\d+) tokens, "
    r".*?, seed (\d+),",
    re.MULTILINE,
)
Facts = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class FineTuningStage:
    """One stage: its number from 1, its name, what happens there in a sentence, and this model's
    own facts as (name, value).
    """

    number: int
    title: str
    what: str
    facts: Facts


@dataclass(frozen=True)
class RecipeRun:
    """One training run of the built-in model's recipe, as its model card states it."""

    name: str
    texts: int
    epochs: int
    batch: int
    tokens: int
    seed: int

    @property
    def steps(self) -> int:
        return math.ceil(self.texts / self.batch) * self.epochs


def stages_of_run(run: Run, history: History) -> tuple[FineTuningStage, ...]:
    """The four stages of a run as far as it has come.

    Raises:
        BadCheckpoint: its configuration, or that of its newest checkpoint, is damaged.
    """
    config, saved = run.config, list_checkpoints(run.checkpoints)
    folder = saved[-1] if saved else _found(config.model)
    first = (
        history.evaluations[0] if history.evaluations and not history.evaluations[0].step else None
    )
    is_folder = Path(config.model).is_absolute() or local_folder(config.model)
    name = Path(config.model).name if is_folder else config.model
    if config.model == BUILTIN:
        name = "built-in"
    return _numbered(
        _encoder(f"{MINILM} ({name})" if config.model == BUILTIN else name, folder),
        _head(folder, config.training, first, kept=name),
        _fine_tuned(config, history),
        _deployed(
            run, saved, history.evaluations[-1] if history.evaluations else None, history.started
        ),
    )


def stages_of_builtin() -> tuple[FineTuningStage, ...]:
    """The four stages of the model that ships; the last two empty where none does.

    Raises:
        NotAvailable: not even its encoder is installed.
        BadCheckpoint: its files are damaged.
    """
    encoder = builtin_folder()
    try:
        folder: Path | None = find_model(BUILTIN).folder
    except BertsentError:
        folder = None
    parts = recipe_of(folder) if folder else ()
    config = TrainingConfig(seed=parts[0].seed) if parts else TrainingConfig()
    head = _head(encoder, config, None)
    return _numbered(
        _encoder(MINILM, encoder), head, _recipe(parts), _shipped(folder) if folder else _NOTHING
    )


_NOTHING: Facts = (("so far", "nothing: start a run"),)


def recipe_of(folder: Path) -> tuple[RecipeRun, ...]:
    """The runs that made the built-in model, read from its model card; empty where the card does
    not tell.
    """
    try:
        card = (folder / "README.md").read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ()
    return tuple(
        RecipeRun(name, *(int(n.replace(",", "")) for n in numbers))
        for name, *numbers in _RECIPE.findall(card)
    )


def head_parameters(width: int) -> int:
    """W of width × 2 and b of 2: 770 for an encoder 384 wide, 1,538 for one of 768."""
    return (width + 1) * len(LABELS)


def _numbered(*facts: Facts) -> tuple[FineTuningStage, ...]:
    return tuple(
        FineTuningStage(n, title, what, own)
        for n, ((title, what), own) in enumerate(zip(_WHAT, facts, strict=True), start=1)
    )


def _found(model: str) -> Path | None:
    try:
        return backbone_folder(model)
    except BertsentError:
        return None  # it was there when the run was started


def _encoder(name: str, folder: Path | None) -> Facts:
    if folder is None:
        return (("encoder", name), ("parameters", "not known: it is not on this machine any more"))
    shape = inspect_folder(folder)
    parameters = count_parameters(folder, TrainingConfig()).total - head_parameters(shape.width)
    size = f"{shape.layers} layers × {shape.heads} heads, {shape.width} wide"
    return (
        ("encoder", name),
        ("parameters", f"{parameters:,}"),
        ("size", size),
        ("vocabulary", f"{shape.vocabulary:,} word pieces"),
    )


def _head(
    folder: Path | None, training: TrainingConfig, untrained: Evaluated | None, kept: str = ""
) -> Facts:
    facts: list[tuple[str, str]] = []
    if folder is not None:
        facts = _head_size(inspect_folder(folder))
    reads = {
        "cls": "the vector of [CLS]",
        "mean": "the mean of all tokens",
        "max": "the maximum over all tokens",
    }[training.pooling]
    if training.keep_head:
        start = f"not random: that of {kept}" if kept else "not random"
        facts = [fact for fact in facts if fact[0] != "begins within"]
    else:
        start = f"random, seed {training.seed}"
    facts += [("reads", reads), ("start", start)]
    if untrained is not None:
        facts.append(
            (
                "before any step",
                f"{untrained.accuracy:.1%} right, loss {untrained.loss:.3f} (guessing: "
                f"{GUESSING:.3f})",
            )
        )
    return tuple(facts)


def _head_size(shape: EncoderSize) -> list[tuple[str, str]]:
    width, two = shape.width, len(LABELS)
    limit = math.sqrt(6 / (width + two))  # Glorot and Bengio (2010)
    return [
        ("parameters", f"{head_parameters(width):,} = {width} × {two} + {two}"),
        ("begins within", f"±{limit:.3f}, bias 0"),
    ]


def _fine_tuned(config: RunConfig, history: History) -> Facts:
    data, training, started = config.data, config.training, history.started
    facts = [
        ("reviews", f"{data.train_rows:,} from {data.source}"),
        ("trains", TRAINS[training.trains].lower()),
    ]
    if started is None:
        return (*facts, ("steps", "none yet"))
    facts[1] = ("trains", f"{facts[1][1]}, {started.trainable:,} parameters")
    step = history.steps[-1] if history.steps else None
    facts.append(
        (
            "steps",
            f"{history.step:,} of {started.total_steps:,} ({step.epoch if step else 0:.3g} of "
            f"{started.epochs} epochs)",
        )
    )
    if step:
        facts.append(("time used", f"{duration_in_words(step.seconds)} on {started.device}"))
    return tuple(facts)


def _deployed(
    run: Run, saved: list[Path], last: Evaluated | None, started: Started | None
) -> Facts:
    if not saved:
        return (("folder", "none yet: the first checkpoint comes with the first evaluation"),)
    newest = saved[-1]
    facts = [("folder of the run", f"checkpoints/{newest.name}"), ("weights", _megabytes(newest))]
    if last is not None:
        facts.append(("validation", f"{last.accuracy:.1%} right at step {last.step:,}"))
        if started is not None and last.seconds > 0:
            facts.append(
                (
                    "speed",
                    f"{1000 * last.seconds / max(1, started.validation_rows):.1f} ms a review, in "
                    "batches",
                )
            )
    return (*facts, ("export", f"python -m bertsent export {run.id} FOLDER"))


def _recipe(parts: tuple[RecipeRun, ...]) -> Facts:
    if not parts:
        return _NOTHING
    facts = [
        (part.name, f"{part.texts:,} texts, {part.steps:,} steps of {part.batch}") for part in parts
    ]
    return (*facts, ("in all", f"{sum(part.steps for part in parts):,} steps"))


def _shipped(folder: Path) -> Facts:
    facts = [
        ("folder", f"{folder.parent.parent.name}/{folder.parent.name}/{folder.name}"),
        ("weights", _megabytes(folder)),
    ]
    table = shipped_scores()
    test = slice_of(table, BUILTIN_TEST, "all") if table is not None else None
    if test is not None:
        facts.append(("test reviews", f"{test.accuracy:.1%} of {test.n:,} right"))
    return (*facts, ("export", "python -m bertsent export builtin FOLDER"))


def _megabytes(folder: Path) -> str:
    path = folder / WEIGHTS
    return f"{path.stat().st_size / 1e6:.1f} MB" if path.is_file() else "missing"
