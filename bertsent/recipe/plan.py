"""What a model of the recipe is made by: the heads over one encoder, and up to three stages, each
with the sets that it draws its batches from.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from bertsent.models.pooling import Pooling


@dataclass(frozen=True)
class Stage:
    """One training from the weights that the stage before it left, or from the backbone.

    ``shares`` says how often each set is drawn. A step takes a batch of each of ``sets_a_step``
    different sets and adds the losses before the update. It leaves the exponential average of its
    weights, or ``kept`` of it and for the rest the weights that it began with.
    """

    name: str
    steps: int
    shares: Mapping[str, float]
    longest: int  # tokens; the rest of a text is not read
    encoder_lr: float
    head_lr: float
    warmup_share: float = 0.06
    sets_a_step: int = 2
    kept: float = 1.0

    def row(self) -> str:
        """The stage as a row of the table of ``Plan.story``."""
        cells = (
            f"**{self.name}**",
            f"{self.steps:,}",
            str(self.sets_a_step),
            str(self.longest),
            f"{self.encoder_lr:g}",
            f"{self.head_lr:g}",
            f"{100 * self.warmup_share:.0f} %",
            f"{100 * self.kept:.0f} %",
        )
        return f"| {' | '.join(cells)} |"


@dataclass(frozen=True)
class Plan:
    """How the weights are made. ``heads`` says which loss each learns by (see ``losses``)."""

    heads: Mapping[str, str]
    stages: tuple[Stage, ...]
    pooling: Pooling
    towards_sentiment: float = 0.0  # where the encoder begins, from the backbone to that model
    batch_size: int = 32
    hidden_dropout: float = 0.0
    seed: int = 42
    save_every: int = 100

    def __post_init__(self) -> None:
        if self.stages[0].kept < 1:
            raise ValueError("The first stage begins with no heads to mix its own with.")

    def story(self) -> str:
        """The plan in words, for a card."""
        towards = 100 * self.towards_sentiment
        begins = f"{towards:.0f} % of the way from the backbone to the built-in sentiment model"
        return "\n".join(
            [
                f"Batches of {self.batch_size} rows, dropout {self.hidden_dropout:g} inside, seed "
                f"{self.seed}. The encoder began {begins if towards else 'as the backbone'}.",
                "",
                "| stage | steps | batches a step | tokens at most | rate | of heads | warm-up "
                "| kept |",
                "|---|---|---|---|---|---|---|---|",
                *(stage.row() for stage in self.stages),
                *self._what_is_kept(),
            ]
        )

    def times_read(self, name: str, rows: int) -> list[float]:
        """About how often each of the rows of a set is read in each stage."""
        return [
            stage.steps
            * stage.sets_a_step
            * self.batch_size
            * stage.shares.get(name, 0.0)
            / sum(stage.shares.values())
            / max(rows, 1)
            for stage in self.stages
        ]

    def _what_is_kept(self) -> tuple[str, ...]:
        mixed = any(stage.kept < 1 for stage in self.stages)
        meaning = "Kept is a share of the average of the stage; the rest is what it began with."
        return ("", meaning) if mixed else ()
