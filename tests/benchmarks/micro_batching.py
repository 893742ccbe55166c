"""Fifty people who probe at once: how long each waits for the answer, with shared passes and
without.
"""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from tests.benchmarks.child_process import run_in_child
from tests.benchmarks.reviews import typed_reviews
from tests.benchmarks.rows import Row
from tests.benchmarks.temporary_home import finished_run

PEOPLE = 50


def rows(quick: bool) -> list[Row]:
    """The 95th percentile of the wait, and what one person alone waits."""
    rounds = 2 if quick else 6
    found = run_in_child("micro_batching", "measure", run=finished_run().id, rounds=rounds)
    how = f"{PEOPLE} threads, another typed review each, all at the same moment, {rounds} rounds"
    return [
        Row(
            f"{PEOPLE} people at once, p95",
            "ms",
            found["ours_p95"],
            found["peer_p95"],
            f"{how}; against LoadedModel.predict",
        ),
        Row(
            f"  {PEOPLE} people at once, median",
            "ms",
            found["ours_median"],
            found["peer_median"],
            how,
        ),
        Row(
            "  one person alone",
            "ms",
            found["ours_alone"],
            found["peer_alone"],
            "against LoadedModel.predict, median, in turns",
        ),
        Row(
            "  answers of other people",
            "",
            found["swapped"],
            None,
            f"P off by more than 1e-5; largest {found['off']:.1e}",
        ),
    ]


def measure(run: str, rounds: int) -> dict[str, float]:
    """Milliseconds, and how far answers are from those given alone."""
    from bertsent.probing.loaded_model import load
    from bertsent.probing.micro_batching import MicroBatcher
    from bertsent.settings import machine
    from tests.benchmarks.timing import interleaved

    model = load(run, device=machine().device)
    queue, texts = MicroBatcher(), typed_reviews(PEOPLE * rounds)
    asks = {
        "ours": lambda text: queue.predict(model, text),
        "peer": lambda text: model.predict([text])[0],
    }
    for ask in asks.values():  # warm up
        _all_at_once(ask, texts[:PEOPLE])
    waits: dict[str, list[float]] = {who: [] for who in asks}
    off = 0.0, 0
    for turn in range(rounds):
        own = texts[turn * PEOPLE : (turn + 1) * PEOPLE]
        for who, ask in asks.items():
            found = _all_at_once(ask, own)
            waits[who] += [wait for wait, _ in found]
            if who == "ours":
                differences = [
                    abs(answer.p_positive - model.predict([text])[0].p_positive)
                    for (_, answer), text in zip(found, own, strict=True)
                ]
                off = max(off[0], *differences), off[1] + sum(d > 1e-5 for d in differences)
    alone = interleaved(
        {who: lambda i, ask=ask: ask(texts[i]) for who, ask in asks.items()},
        min(100, len(texts)),
        warm_up=5,
    )
    found = {f"{who}_p95": float(np.percentile(all_, 95)) for who, all_ in waits.items()}
    found |= {f"{who}_median": float(np.median(all_)) for who, all_ in waits.items()}
    return {
        **found,
        **{f"{who}_alone": 1000 * value for who, value in alone.items()},
        "off": off[0],
        "swapped": off[1],
    }


def _all_at_once(ask, texts: list[str]) -> list[tuple[float, object]]:  # a function of a text
    start = threading.Barrier(len(texts))

    def one(text: str) -> tuple[float, object]:
        start.wait()
        began = time.perf_counter()
        answer = ask(text)
        return 1000 * (time.perf_counter() - began), answer

    with ThreadPoolExecutor(len(texts)) as pool:
        return list(pool.map(one, texts))
