"""How the heads of pretraining are made: first they alone over the encoder as it is, then together
with its last layers.
"""

from dataclasses import dataclass

from bertsent.recipe.plan import Plan, Stage

WORDS, FOLLOWING = "words", "following"  # the heads
SHARES = {
    "reviews": 0.5,
    "pairs": 0.2,
    "snippets": 0.12,
    "comments": 0.08,
    "others": 0.1,
}


@dataclass(frozen=True)
class WordStage(Stage):
    """A stage in which only so many of the last layers of the encoder learn with the heads."""

    last_layers: int = 0

    def row(self) -> str:
        """The stage as a row of the table of ``Plan.story``."""
        named = f"**{self.name}**"
        what = f"the last {self.last_layers} layers" if self.last_layers else "heads alone"
        return super().row().replace(named, f"{named}: {what}", 1)


WORDS_PLAN = Plan(
    heads={WORDS: "masked words", FOLLOWING: "next sentence"},
    pooling="cls",
    stages=(
        WordStage(
            "heads",
            steps=1_500,
            longest=128,
            encoder_lr=0.0,
            head_lr=1e-3,
            shares=SHARES,
            sets_a_step=1,
        ),
        WordStage(
            "layers",
            steps=4_000,
            longest=128,
            encoder_lr=2e-4,
            head_lr=5e-4,
            shares=SHARES,
            sets_a_step=1,
            last_layers=2,  # 7.1 MB in half precision
        ),
    ),
)
