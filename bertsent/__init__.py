"""bertsent: fine-tune BERT on movie reviews, watch it learn, and find out why it answers as it
does.

    >>> import bertsent
    >>> bertsent.load_reviews("builtin")          # reviews in
    >>> bertsent.load("curious-otter")            # a fine-tuned model out
    >>> bertsent.load("curious-otter").predict(["Great, another boring movie"])

Importing the package costs nothing: names are resolved on first use, so neither torch nor streamlit
is loaded before something needs it.
"""

from importlib import import_module

from bertsent.settings import prepare_environment

__version__ = "0.4.0"

_HOMES = {
    "BertsentError": "bertsent.errors",
    "load_reviews": "bertsent.data.sources",
    "load_backbone": "bertsent.models.backbone",
    "BertForTask": "bertsent.models.task_model",
    "TrainingConfig": "bertsent.training.config",
    "train": "bertsent.training.loop",
    "Run": "bertsent.training.runs.run",
    "load": "bertsent.probing.loaded_model",
}

__all__ = sorted(_HOMES)

prepare_environment()


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'bertsent' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
