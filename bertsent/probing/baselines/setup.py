"""A model in; what the baselines learn from and on which reviews they are compared with it out."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from bertsent.data.examples import LABELS, Reviews
from bertsent.data.sources import load_reviews
from bertsent.data.splits import duplicate_key
from bertsent.probing.baselines.trainer import BaselineTrainer
from bertsent.training.runs.run import Run

VALIDATION, TEST = "validation", "test"
TITLES = {VALIDATION: "the validation reviews", TEST: "the built-in test reviews"}


@dataclass(frozen=True)
class BaselineSetup:
    """The baselines of one model.

    ``source`` says what they learn from; ``evaluation`` has the reviews to compare on, by the name
    that a link has for them; ``same_training`` is true where the model learned from the very same
    reviews.
    """

    trainer: BaselineTrainer
    source: str
    evaluation: dict[str, Reviews]
    same_training: bool

    @property
    def source_sentence(self) -> str:
        """What the baselines learned from, and whether the model learned from the same."""
        if self.same_training:
            return f"All of them learned from the same {self.source}."
        return (
            f"The baselines learned from {self.source}; the chosen model may have learned from "
            "more. A run of yours is compared evenly."
        )

    def truth(self, text: str) -> int | None:
        """The label of a review that they learned from or are compared on; None for others."""
        return self._known.get(duplicate_key(text), (None, ""))[0]

    def truth_sentence(self, text: str) -> str:
        """The same in words; empty where it is not known."""
        label, where = self._known.get(duplicate_key(text), (None, ""))
        if label is None:
            return ""
        return f"The true label is {LABELS[label]}: this review is one of {where}."

    @cached_property
    def _known(self) -> dict[str, tuple[int | None, str]]:
        """Label and whereabouts by plain text; what was learned from comes last and counts."""
        parts = {TITLES[part]: reviews for part, reviews in self.evaluation.items()}
        parts["the reviews they learned from"] = self.trainer.reviews
        return {
            duplicate_key(e.text): (e.label, where)
            for where, reviews in parts.items()
            for e in reviews
        }


def builtin_setup(cache: Path, run: Run | None = None) -> BaselineSetup:
    """Baselines that learn from the built-in training part; they are not compared on what ``run``
    learned from.

    Raises:
        BertsentError: the reviews of the run cannot be read.
    """
    parts = _builtin_parts()
    trainer = BaselineTrainer(parts["train"], cache)
    source = f"{len(trainer.reviews):,} reviews of the built-in training part"
    learned = {duplicate_key(e.text) for e in run.splits().train} if run else set()
    unseen = {
        part: parts[part].where([duplicate_key(e.text) not in learned for e in parts[part]])
        for part in (VALIDATION, TEST)
    }
    evaluation = {part: reviews for part, reviews in unseen.items() if len(reviews)}
    return BaselineSetup(trainer, source, evaluation, False)


def run_setup(run: Run, cache: Path) -> BaselineSetup:
    """Baselines that learn from the training reviews of a run, on top of the same encoder.

    Raises:
        BertsentError: the reviews of the run cannot be read, or nothing can be learned from them.
    """
    splits = run.splits()
    trainer = BaselineTrainer(splits.train, cache, backbone=run.config.model)
    learned = {duplicate_key(e.text) for e in splits.train}
    test = _builtin_parts()[TEST]
    unseen = test.where([duplicate_key(e.text) not in learned for e in test])
    evaluation = {VALIDATION: splits.validation, TEST: unseen}
    return BaselineSetup(
        trainer,
        f"{len(trainer.reviews):,} training reviews of {run.id}",
        {part: reviews for part, reviews in evaluation.items() if len(reviews)},
        len(trainer.reviews) == len(splits.train),
    )


def _builtin_parts() -> dict[str, Reviews]:
    whole = load_reviews("builtin")
    return {
        part: whole.where([e.split == part for e in whole]) for part in ("train", VALIDATION, TEST)
    }
