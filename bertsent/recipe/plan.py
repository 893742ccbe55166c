"""What a model of the recipe is made by: the heads over one encoder, and up to three stages, each
with the sets that it draws its batches from.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from bertsent.models.pooling import Pooling


@dataclass(frozen=True)
class Stage:
    """One training from the average of the weights of the stage before it, or from the backbone.

    ``shares`` says how often each set is drawn. A step takes a batch of each of ``sets_a_step``
    different sets and adds the losses before the update.
    """

    name: str
    steps: int
    shares: Mapping[str, float]
    longest: int  # tokens; the rest of a text is not read
    encoder_lr: float
    head_lr: float
    warmup_share: float = 0.06
    sets_a_step: int = 2

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
    blend: float = 1.0  # the share of the last stage in what is kept; the rest is of the one before

    def story(self) -> str:
        """The plan in words, for a card."""
        towards = 100 * self.towards_sentiment
        begins = f"{towards:.0f} % of the way from the backbone to the built-in sentiment model"
        return "\n".join(
            [
                f"Batches of {self.batch_size} rows, dropout {self.hidden_dropout:g} inside, seed "
                f"{self.seed}. The encoder began {begins if towards else 'as the backbone'}.",
                "",
                "| stage | steps | batches a step | tokens at most | rate | of heads | warm-up |",
                "|---|---|---|---|---|---|---|",
                *(stage.row() for stage in self.stages),
                *self._kept(),
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

    def _kept(self) -> tuple[str, ...]:
        share, several = 100 * self.blend, len(self.stages)
        last = ("first", "second", "third")[several - 1]
        averages = "both averages" if several == 2 else "the last two averages"
        kept = f"Kept is the mean of {averages}, {share:.0f} % of it of the {last} stage."
        return ("", kept) if share < 100 else ()
