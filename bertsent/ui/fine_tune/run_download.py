"""What can be downloaded of runs: the model, every event, the curves, TensorBoard's files."""

from collections.abc import Callable

from bertsent.figures.learning_curves import learning_curves
from bertsent.figures.pictures import Form, picture
from bertsent.training.checkpoints import list_checkpoints
from bertsent.training.runs.run import Run
from bertsent.training.runs.run_export import events_table, zip_run
from bertsent.training.runs.tensorboard import tensorboard_zip
from bertsent.ui.shared.downloads import download_menu

File = tuple[str, Callable[[], bytes]]


def download_run(run: Run) -> None:
    """The menu of one run."""
    files = tensorboard_files([run], run.id)
    if list_checkpoints(run.checkpoints):
        model = (f"{run.id}.zip", lambda: zip_run(run))
        files = {"Model as a Hugging Face folder": model, **files}
    download_menu(
        "run",
        lambda form: curves_picture(run, form),
        f"{run.id}-curves",
        tables={"Events": lambda: events_table(run)},
        files=files,
    )


def tensorboard_files(runs: list[Run], name: str) -> dict[str, File]:
    """TensorBoard's event files of some runs as one zip."""
    return {
        "TensorBoard event files": (f"{name}-tensorboard.zip", lambda: tensorboard_zip(runs)),
    }


def curves_picture(run: Run, form: Form) -> bytes:
    """The curves of a run as they stand now."""
    history = run.history()
    total = history.started.total_steps if history.started else 1
    charts = learning_curves(
        history.step_frame(),
        history.evaluation_frame(),
        history.sentinel_frame(),
        total_steps=total,
    )
    return picture(charts if history.sentinels else charts[:2], form)
