"""Chosen levels of some settings in, one real run for every combination out; the group is a small
file beside the runs.

The runs are ordinary ones: they wait for each other in the queue, stand in All runs, survive the
app, and can be paused and gone on with.
"""

import itertools
import json
import re
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import pandas as pd

from bertsent.data.examples import Splits
from bertsent.errors import BadInput, BertsentError, NotAvailable
from bertsent.files import write_atomically
from bertsent.settings import home
from bertsent.training.config import TrainingConfig
from bertsent.training.runs.launcher import launch, prepare_split_run
from bertsent.training.runs.names import suggest_name
from bertsent.training.runs.notes import write_note
from bertsent.training.runs.run import Run, delete_run, find_run

MOST = 24  # runs of one lab
FACTORS = ("pooling", "trains", "encoder_lr", "seed")
_NAME = re.compile(r"[a-z]+-[a-z0-9-]{1,60}-lab")


@dataclass(frozen=True)
class Lab:
    """A group of runs that differ in ``factors`` only."""

    name: str
    created: float
    source: str
    factors: tuple[str, ...]
    runs: tuple[str, ...]  # ids, in the order in which they train

    def found(self) -> list[Run]:
        """Those runs that are still there."""
        kept = []
        for name in self.runs:
            with suppress(NotAvailable):
                kept.append(find_run(name))
        return kept


def combinations(
    base: TrainingConfig, levels: Mapping[str, Sequence[object]]
) -> list[TrainingConfig]:
    """``base`` with every combination of the levels of each factor.

    Raises:
        BadInput: an unknown factor, one without a level, more than 24 combinations, or an
            impossible value.
    """
    unknown = [name for name in levels if name not in FACTORS]
    if unknown or not all(levels.values()):
        raise BadInput(
            "Something is not chosen.", f"Choose at least one level of each of {', '.join(levels)}."
        )
    found = [
        replace(base, **dict(zip(levels, values, strict=True)))
        for values in itertools.product(*levels.values())
    ]
    if len(found) > MOST:
        raise BadInput(
            f"That would be {len(found)} runs.",
            f"Choose fewer levels: at most {MOST} runs together.",
        )
    return found


def start_lab(
    splits: Splits,
    base: TrainingConfig,
    levels: Mapping[str, Sequence[object]],
    *,
    source: str,
    model: str = "builtin",
) -> Lab:
    """Lay down a run for every combination and launch all; they train one after the other.

    Raises:
        BertsentError: what is wrong with the request; nothing is written then.
    """
    laid: list[Run] = []
    try:
        for config in combinations(base, levels):
            laid.append(prepare_split_run(splits, config, source=source, model=model))
        lab = Lab(
            f"{suggest_name({each.name.removesuffix('-lab') for each in list_labs()})}-lab",
            time.time(),
            source,
            tuple(levels),
            _ids(laid),
        )
        for run in laid:
            write_note(
                run.folder,
                f"{', '.join(_level(run, name) for name in levels)} · {lab.name}"[:80],
                "",
            )
        _save(lab)
    except (OSError, BertsentError) as error:
        for run in laid:
            with suppress(BertsentError, OSError):
                delete_run(run)
        if isinstance(error, OSError):
            raise NotAvailable(
                f"The runs cannot be written ({error.strerror}).", "Free or unlock the disk."
            ) from None
        raise
    for run in laid:
        launch(run)
    return lab


def list_labs() -> list[Lab]:
    """All labs, newest first; damaged files are left out."""
    found = (_read(path) for path in _folder().glob("*.json"))
    return sorted((lab for lab in found if lab), key=lambda lab: lab.created, reverse=True)


def results(lab: Lab) -> pd.DataFrame:
    """One row a run: its factors, ``run``, ``state``, ``accuracy``, ``macro_f1``, ``n``,
    ``seconds``, ``parameters``.

    Accuracy and macro-F1 are those of its last evaluation after training; missing until there is
    one.
    """
    return pd.DataFrame([_row(run, lab.factors) for run in lab.found()])


def _row(run: Run, factors: Sequence[str]) -> dict[str, object]:
    history, config = run.history(), run.config
    done = [each for each in history.evaluations if each.step > 0]
    last = done[-1] if done and run.status(history).state in ("finished", "stopped") else None
    return {
        **{name: getattr(config.training, name) for name in factors},
        "run": run.id,
        "state": run.status(history).state,
        "accuracy": last.accuracy if last else None,
        "macro_f1": last.macro_f1 if last else None,
        "n": config.data.validation_rows,
        "seconds": history.steps[-1].seconds if history.steps else None,
        "parameters": history.started.trainable if history.started else None,
    }


def _level(run: Run, name: str) -> str:
    value = getattr(run.config.training, name)
    return (
        f"{value:g}"
        if isinstance(value, float)
        else f"seed {value}"
        if name == "seed"
        else str(value)
    )


def _ids(runs: Sequence[Run]) -> tuple[str, ...]:
    return tuple(run.id for run in runs)


def _folder() -> Path:
    return home() / "labs"


def _save(lab: Lab) -> None:
    _folder().mkdir(parents=True, exist_ok=True)
    write_atomically(_folder() / f"{lab.name}.json", json.dumps(asdict(lab)))


def _read(path: Path) -> Lab | None:
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        lab = Lab(
            str(values["name"]),
            float(values["created"]),
            str(values["source"]),
            tuple(values["factors"]),
            tuple(map(str, values["runs"])),
        )
        return (
            lab
            if lab.name == path.stem
            and _NAME.fullmatch(lab.name)
            and set(lab.factors) <= set(FACTORS)
            else None
        )
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None
