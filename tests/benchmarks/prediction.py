"""Answering: ``Learner.predict`` against ``transformers.pipeline`` on the very same model, taken away as a folder."""

import statistics
import tempfile
from pathlib import Path

from tests.benchmarks.apart import apart
from tests.benchmarks.lab import finished_run
from tests.benchmarks.reviews import long_reviews, typed_reviews
from tests.benchmarks.rows import Row
from tests.benchmarks.timing import interleaved

POSITIVE = "POSITIVE"


def rows(quick: bool) -> list[Row]:
    """One typed review, a batch of long ones, and whether both say the same."""
    singles, many = (50, 100) if quick else (200, 500)
    found = apart("prediction", "measure", run=finished_run().id, singles=singles, many=many, turns=1 if quick else 3)
    apartness = f"largest difference of P(positive) {found['difference']:.1e}"
    return [
        Row("one typed review", "ms", found["ours_one"], found["peer_one"],
            f"Learner.predict against pipeline(…)(text); {found['words']:.0f} words at the median, median of {singles}, in turns"),
        Row("many long reviews", "texts/s", many / found["ours_many"], many / found["peer_many"],
            f"{many} of {long_reviews().name}, cut at 256 tokens, against pipeline(batch_size=32)", more_is_better=True),
        Row("  same label", "%", found["agreement"], None, f"share of those {many} that pipeline labels alike; {apartness}"),
    ]  # fmt: skip


def measure(run: str, singles: int, many: int, turns: int) -> dict[str, float]:
    """Milliseconds for one, seconds for many, agreement and the largest difference of probability."""
    from transformers import pipeline

    from bertsent.probing.learners import load
    from bertsent.settings import machine
    from bertsent.training.runs.run import find_run
    from bertsent.training.runs.takeaway import export_run

    with tempfile.TemporaryDirectory() as scratch:
        folder = export_run(find_run(run), Path(scratch) / "model")
        theirs = pipeline("text-classification", model=str(folder), truncation=True, device=machine().device)
        learner = load(run, device=machine().device)
        typed, long = typed_reviews(singles), long_reviews().texts[:many]
        one = interleaved(
            {"ours": lambda i: learner.predict([typed[i]]), "peer": lambda i: theirs(typed[i])}, singles, warm_up=min(20, singles)
        )
        both = {"ours": lambda _: learner.predict(long), "peer": lambda _: theirs(long, batch_size=32)}
        batch = interleaved(both, turns, warm_up=0)
        return {
            "ours_one": one["ours"] * 1000, "peer_one": one["peer"] * 1000, "ours_many": batch["ours"], "peer_many": batch["peer"],
            "words": statistics.median(len(text.split()) for text in typed), **_likeness(learner, theirs, long),
        }  # fmt: skip


def _likeness(learner, theirs, texts: list[str]) -> dict[str, float]:  # a Learner and a pipeline
    own = learner.predict(texts)
    scores = [{entry["label"]: entry["score"] for entry in answer} for answer in theirs(texts, batch_size=32, top_k=None)]
    alike = [max(score, key=score.get) == answer.label for score, answer in zip(scores, own, strict=True)]
    apart_by = [abs(score[POSITIVE] - answer.p_positive) for score, answer in zip(scores, own, strict=True)]
    return {"agreement": sum(alike) / len(alike), "difference": max(apart_by)}
