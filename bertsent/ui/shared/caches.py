"""What tells two arguments of a cached function apart, where Streamlit alone cannot or is slow."""

from typing import Any

from bertsent.data.examples import Reviews, Splits
from bertsent.training.runs.history import History
from bertsent.training.runs.run import Run


def run_identity(run: Run) -> tuple[str, int]:
    """Tells a run from another one that took its name after it was deleted."""
    config = run.folder / "config.json"
    return str(run.folder), config.stat().st_mtime_ns if config.is_file() else 0


def _measured(history: History) -> tuple[int, ...]:
    """Changes whenever something was measured."""
    return history.step, len(history.steps), len(history.evaluations), len(history.sentinels)


# for ``st.cache_resource(hash_funcs=...)``
BY_CONTENT: dict[Any, Any] = {
    Run: run_identity,
    History: _measured,
    Reviews: lambda reviews: reviews.sha256,
    Splits: lambda splits: splits.sha256,
    # by name, because importing them loads torch
    "bertsent.probing.loaded_model.LoadedModel": lambda model: (model.key, model.max_length),
    "bertsent.probing.baselines.answers.Classifier": lambda classifier: classifier.key,
}
