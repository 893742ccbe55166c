"""Head ablation: the grid of all silenced heads, batched, against asking the model once for
each.
"""

from tests.benchmarks.child_process import run_in_child
from tests.benchmarks.drawing import REVIEW
from tests.benchmarks.rows import Row
from tests.benchmarks.temporary_home import finished_run
from tests.benchmarks.timing import interleaved


def rows(quick: bool) -> list[Row]:
    """Seconds of a board and of its peer, and the largest difference between both."""
    found = run_in_child("heads", "measure", run=finished_run().id, times=2 if quick else 7)
    size = f"{found['heads']:.0f} heads, {found['tokens']:.0f} tokens"
    return [
        Row(
            "the board of silenced heads",
            "s",
            found["ours"],
            found["peer"],
            f"knock_out against answers_without once a head and once a layer; {size}, median of "
            "turns; "
            f"largest difference of P(positive) {found['difference']:.1e}",
        ),
    ]


def measure(run: str, times: int) -> dict[str, float]:
    """Seconds of both ways to a board, and how far the two boards lie apart."""
    import numpy as np

    from bertsent.probing.heads.head_ablation import ablate_every_head, probabilities_without
    from bertsent.probing.loaded_model import load

    model = load(run)
    single = [[(layer, head)] for layer in range(model.layers) for head in range(model.heads)]
    layers = [[(layer, head) for head in range(model.heads)] for layer in range(model.layers)]

    def one_by_one() -> np.ndarray:
        return np.array(
            [probabilities_without(model, REVIEW, [heads])[0] for heads in (*single, *layers)]
        )

    found = interleaved(
        {"ours": lambda _: ablate_every_head(model, REVIEW), "peer": lambda _: one_by_one()},
        times,
        warm_up=1,
    )
    apart_by = np.abs(
        ablate_every_head(model, REVIEW).heads.ravel() - one_by_one()[: len(single)]
    ).max()
    return {
        **found,
        "difference": float(apart_by),
        "heads": len(single),
        "tokens": len(model.tokens(REVIEW)),
    }
