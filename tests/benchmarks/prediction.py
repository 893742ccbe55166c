"""Answering: ``LoadedModel.predict`` against ``transformers.pipeline`` on the very same model, the
built-in one, taken away as a folder.
"""

import statistics
import tempfile
from pathlib import Path

from tests.benchmarks.child_process import run_in_child
from tests.benchmarks.reviews import long_reviews, typed_reviews
from tests.benchmarks.rows import Row
from tests.benchmarks.timing import interleaved

POSITIVE = "POSITIVE"


def rows(quick: bool) -> list[Row]:
    """One typed review, a batch of long ones, and whether both say the same."""
    singles, many = (50, 100) if quick else (200, 1_000)
    found = run_in_child("prediction", "measure", singles=singles, many=many)
    apartness = f"largest difference of P(positive) {found['difference']:.1e}"
    return [
        Row(
            "one typed review",
            "ms",
            found["ours_one"],
            found["peer_one"],
            f"LoadedModel.predict against pipeline(…)(text); {found['words']:.0f} words at the "
            f"median, median of {singles}, in turns",
        ),
        Row(
            "many long reviews",
            "texts/s",
            found["ours_many"],
            found["peer_many"],
            f"{many} of {long_reviews().name}, cut at 512 tokens, against pipeline(batch_size=32), "
            "halves in turns",
            more_is_better=True,
        ),
        Row(
            "  same label",
            "%",
            found["agreement"],
            None,
            f"share of those {many} that pipeline labels alike; {apartness}",
        ),
    ]


def measure(singles: int, many: int) -> dict[str, float]:
    """Milliseconds for one, texts a second for many, agreement and the largest difference of
    probability.
    """
    from transformers import pipeline

    from bertsent.models.export import export_whole
    from bertsent.probing.loaded_model import load
    from bertsent.probing.registry import BUILTIN, find_model
    from bertsent.settings import machine

    with tempfile.TemporaryDirectory() as scratch:
        folder = export_whole(find_model(BUILTIN).folder, Path(scratch) / "model")
        theirs = pipeline(
            "text-classification", model=str(folder), truncation=True, device=machine().device
        )
        learner = load(BUILTIN, device=machine().device)
        return {
            **_one(learner, theirs, typed_reviews(singles)),
            **_many(learner, theirs, long_reviews().texts[:many]),
        }


def _one(learner, theirs, texts: list[str]) -> dict[str, float]:  # a LoadedModel and a pipeline
    each = {
        "ours_one": lambda i: learner.predict([texts[i]]),
        "peer_one": lambda i: theirs(texts[i]),
    }
    found = interleaved(each, len(texts), warm_up=min(20, len(texts)))
    words = statistics.median(len(text.split()) for text in texts)
    return {**{who: value * 1000 for who, value in found.items()}, "words": words}


def _many(learner, theirs, texts: list[str]) -> dict[str, float]:  # a LoadedModel and a pipeline
    """Both answer one half, then both the other; what they answered is compared."""
    learner.predict(texts[:16]), theirs(texts[:16], batch_size=16)
    halves, answers = (texts[: len(texts) // 2], texts[len(texts) // 2 :]), {"ours": [], "peer": []}
    works = {
        "ours": lambda turn: answers["ours"].extend(learner.predict(halves[turn])),
        "peer": lambda turn: answers["peer"].extend(theirs(halves[turn], batch_size=32)),
    }
    found = interleaved(works, 2, warm_up=0)
    speeds = {f"{who}_many": len(texts) / 2 / value for who, value in found.items()}
    pairs = list(zip(answers["ours"], answers["peer"], strict=True))
    alike = sum(own.label == other["label"] for own, other in pairs) / len(pairs)
    return {
        **speeds,
        "agreement": alike,
        "difference": max(abs(own.p_positive - _p_positive(other)) for own, other in pairs),
    }


def _p_positive(answer: dict) -> float:
    """A pipeline gives the score of its label only."""
    return answer["score"] if answer["label"] == POSITIVE else 1 - answer["score"]
