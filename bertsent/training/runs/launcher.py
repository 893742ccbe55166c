"""A request for a run in, its folder and its worker out: a process of its own, detached from
whoever started it.
"""

import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

from bertsent.data.asked_columns import key_of
from bertsent.data.examples import Reviews, Splits
from bertsent.data.sources import load_reviews
from bertsent.data.splits import mix_contrastive, split
from bertsent.errors import BadInput, BertsentError, NotAvailable
from bertsent.models.backbone import backbone_folder, weights_hash
from bertsent.models.folders import WEIGHTS, inspect_folder, local_folder
from bertsent.settings import LIMITS, machine
from bertsent.tasks.catalogue import SENTIMENT
from bertsent.tasks.followed import follows_sentences
from bertsent.tasks.masked_words import MaskedWords
from bertsent.text.masked_sentence import check_gaps
from bertsent.text.tokens import check_length
from bertsent.training.checkpoints import is_evaluated
from bertsent.training.config import RunConfig, TrainingConfig, check_layers
from bertsent.training.process import start_child
from bertsent.training.runs.expected import Expected, expect
from bertsent.training.runs.run import Run, create_run

STARTING = 60  # seconds that a loaded machine may take to start a worker


def prepare_run(
    source: str | Path | Reviews,
    training: TrainingConfig,
    *,
    model: str = "builtin",
    contrastive_share: float = 0.0,
    sentinels: tuple[str, ...] = (),
    drop_incomplete: bool = False,
    name: str = "",
    task: str = SENTIMENT.name,
) -> Run:
    """Read the reviews, split them and write the run's folder; nothing trains yet.

    Everything that can be wrong with the request is found here, before anything is written.
    ``task`` is what the reviews are read for, as ``load_reviews`` takes it.

    Raises:
        BertsentError: what is wrong and how to fix it.
    """
    reviews = load_reviews(
        source, contrastive=contrastive_share > 0, drop_incomplete=drop_incomplete, task=task
    )
    return prepare_split_run(
        mix_contrastive(split(reviews, seed=training.seed), contrastive_share),
        training,
        source=reviews.name,
        model=model,
        contrastive_share=contrastive_share,
        sentinels=sentinels,
        name=name,
    )


def prepare_split_run(
    splits: Splits,
    training: TrainingConfig,
    *,
    source: str,
    model: str,
    contrastive_share: float = 0.0,
    sentinels: tuple[str, ...] = (),
    name: str = "",
    owner: str = "",
    expected: Expected | None = None,
) -> Run:
    """Check that the model can be trained this way and write the run's folder; nothing trains yet.

    Raises:
        BertsentError: what is wrong and how to fix it; nothing is written then.
        OSError: the disk is full; nothing is left behind.
    """
    task = splits.train.task
    if isinstance(task, MaskedWords):
        check_gaps(sentinels)
    BadInput.raise_if(
        sentinels and not follows_sentences(task),
        "Sentinels are single sentences whose answer is more or less, which this task has not.",
        "Leave them out.",
    )
    folder = backbone_folder(model)
    shape = inspect_folder(folder)
    check_length(training.max_length, min(shape.positions, LIMITS.longest_length))
    check_layers(training, shape.layers)
    if training.keep_head:
        from bertsent.training.build import check_kept_head  # loads torch

        check_kept_head(model, training, task)
    is_local = local_folder(model) == folder  # the worker starts in another folder
    return create_run(
        splits,
        training,
        expected=expected or expect(splits, training, folder),
        source=source,
        contrastive_share=contrastive_share,
        model=str(folder.resolve()) if is_local else model,
        model_sha256=weights_hash(folder / WEIGHTS),
        sentinels=sentinels,
        device=machine().device,
        name=name,
        owner=owner,
    )


def matching_source(config: RunConfig, sources: Mapping[str, str]) -> str | None:
    """The name of the source that gives the very reviews of a run, found by their hash because a
    file name says little; None where no source does.

    Args:
        config: of the run.
        sources: what ``load_reviews`` takes, by name; those that cannot be read are passed over.
    """
    share, seed = config.data.contrastive_share, config.training.seed
    for name, source in sources.items():
        try:
            reviews = load_reviews(source, contrastive=share > 0, task=key_of(config.task))
            if mix_contrastive(split(reviews, seed=seed), share).sha256 == config.data.sha256:
                return name
        except BertsentError:
            continue
    return None


def launch(run: Run) -> None:
    """Start the worker of a new, paused, stopped or crashed run; does nothing for one that is
    finished or has a worker.

    Raises:
        BadCheckpoint: the run is damaged, or a newer version of this program made it.
        NotAvailable: the folder of the run cannot be written.
        BertsentError: the worker ended before it could begin.
    """
    RunConfig.load(run.folder / "config.json")
    deadline = time.monotonic() + STARTING
    while run.alive() and run.requested() and time.monotonic() < deadline:
        time.sleep(0.05)  # it is about to pause or stop
    if not run.alive() and run.status().state != "finished":
        _start_worker(run, "", deadline)


def stop_and_keep(run: Run) -> None:
    """End a run early with the weights it has: its worker is asked to, and where it has none
    (paused, crashed) one is started that evaluates them. Does nothing for a run that ended so.

    Raises:
        BadCheckpoint, NotAvailable, BertsentError: as ``launch`` does.
    """
    if run.alive():
        run.request("stop")
    elif run.status().state not in ("stopped", "finished") or not is_evaluated(run.checkpoints):
        RunConfig.load(run.folder / "config.json")
        _start_worker(run, "stop", time.monotonic() + STARTING)


def _start_worker(run: Run, request: str, deadline: float) -> None:
    try:
        run.request(request)
        process = _spawn(run)
    except OSError as error:
        raise NotAvailable(
            f"The folder of run {run.id} cannot be written ({error.strerror}).",
            "Free or unlock the disk.",
        ) from None
    while time.monotonic() < deadline and process.poll() is None:
        if run.alive():
            return
        time.sleep(0.02)
    if process.poll() not in (None, 0) and not run.alive():
        raise BertsentError(
            f"The worker of {run.id} could not start.", "worker.log in the run's folder says why."
        )


def _spawn(run: Run) -> "subprocess.Popen[bytes]":
    return start_child("bertsent.training.worker", run.folder, run.folder / "worker.log")
