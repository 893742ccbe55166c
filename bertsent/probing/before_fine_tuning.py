"""A model's name in, how it began out: the pretrained encoder under the head that its training
started from.
"""

import hashlib
from dataclasses import dataclass

from bertsent.errors import NotAvailable
from bertsent.probing.fine_tuning_stages import MINILM, recipe_of
from bertsent.probing.loaded_model import LoadedModel, load
from bertsent.probing.registry import BUILTIN, find_model, run_models
from bertsent.training.build import build_model
from bertsent.training.config import TrainingConfig
from bertsent.training.runs.run import find_run


@dataclass(frozen=True)
class Beginning:
    """How a model began: ``checkpoint`` is the registry name of its step 0, empty where that is not
    kept; then the head is drawn again over ``backbone`` as ``config`` says.
    """

    title: str
    checkpoint: str
    backbone: str
    config: TrainingConfig
    expected: str = ""  # hash of the weights of the backbone; empty where it was not noted

    def load(self, max_length: int) -> LoadedModel:
        """The model of that moment; one that is drawn again reads ``max_length`` tokens.

        Raises:
            NotAvailable: its weights are not on this machine.
            BadCheckpoint: they are damaged, or have changed since.
        """
        if self.checkpoint:
            return load(self.checkpoint)
        model, tokenizer = build_model(self.backbone, self.config, expected=self.expected)
        drawn = f"{self.backbone} {self.expected} {self.config}"
        return LoadedModel(
            f"{self._opening}, before fine-tuning",
            hashlib.sha256(drawn.encode()).hexdigest(),
            model,
            tokenizer,
            max_length=max_length,
            fine_tuned=True,
        )

    def sentence(self) -> str:
        """What it is, in words."""
        if self.config.keep_head:
            return f"{self._opening} began with a head that was already trained."
        head = f"a random head: Xavier, bias 0, seed {self.config.seed}"
        encoder = MINILM if self.backbone == BUILTIN else "its pretrained encoder"
        if self.checkpoint:
            return f"Step 0 of {self.title}: {encoder} under {head}."
        return f"{self._opening} keeps no step 0: this is {encoder} again, under {head}."

    @property
    def _opening(self) -> str:
        """The title at the beginning of a sentence."""
        return self.title[0].upper() + self.title[1:]


def beginning(name: str) -> Beginning:
    """How the model of that registry name began.

    A run keeps its step 0. Where that is gone, and for the built-in model, which ships no
    checkpoints, equal seeds draw equal heads (Glorot and Bengio 2010).

    Raises:
        NotAvailable: nothing on this machine tells, or there is no such model.
        BadCheckpoint: the configuration of its run is damaged.
    """
    found = find_model(name, folders=False)
    if name == BUILTIN:
        recipe = recipe_of(found.folder)
        seeded = TrainingConfig(seed=recipe[0].seed) if recipe else TrainingConfig()
        return Beginning("the built-in model", "", BUILTIN, seeded)
    NotAvailable.raise_if(
        not found.run,
        f"How {found.title} began is not known on this machine.",
        "Choose the built-in model or a run.",
    )
    run = find_run(found.run)
    kept = next((model.name for model in run_models(run) if model.step == 0), "")
    config = run.config
    return Beginning(f"run {run.id}", kept, config.model, config.training, config.model_sha256)
