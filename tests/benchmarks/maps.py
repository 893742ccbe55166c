"""The map of many reviews: vectors, their arrangement by t-SNE, how that grows, and the figure of
50,000 dots.

The t-SNE peer is scikit-learn's as it comes, but for perplexity and seed; it takes every core, ours
one. The vectors are those of
built-in reviews under the built-in model; where more are asked for than there are reviews, they
come again, each copy moved by
seeded noise of a tenth of each dimension's standard deviation.
"""

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tests.benchmarks.child_process import run_in_child
from tests.benchmarks.reviews import long_reviews, typed_reviews
from tests.benchmarks.rows import Row
from tests.benchmarks.timing import interleaved, seconds

if TYPE_CHECKING:
    import pandas as pd

    from bertsent.data.examples import Reviews

PERPLEXITY, SEED, NEIGHBOURS = 30, 42, 10
SIZES, BIG = (
    (1_000, 5_000, 20_000, 50_000),
    20_000,
)  # how t-SNE grows; a quick turn leaves out what is big
NOISE = 0.1  # of the standard deviation


def rows(quick: bool) -> list[Row]:
    """Embedding, t-SNE beside its peer, t-SNE of growing sets, drawing."""
    return [*_embedding(quick), *_arranging(quick), *_growth(quick), *_drawing(quick)]


def _embedding(quick: bool) -> list[Row]:
    found = run_in_child(
        "maps", "measure_embedding", many=100 if quick else 1_000, turns=2 if quick else 4
    )
    return [
        Row(
            "vectors of long reviews",
            "texts/s",
            found["ours"],
            found["peer"],
            "embed_reviews on an empty cache against a loop over AutoModel: 32 at a time, padded "
            "to the longest, fp32, [CLS]; "
            f"{found['count']:.0f} of {long_reviews().name}, cut at {found['max_length']:.0f} "
            "tokens, halves in turns, median of "
            f"{found['turns']:.0f}; ours answers in the same pass; largest cosine distance "
            f"{found['apart']:.1e}",
            more_is_better=True,
        ),
    ]


def _arranging(quick: bool) -> list[Row]:
    found = run_in_child(
        "maps", "measure_arranging", count=1_000 if quick else 5_000, turns=1 if quick else 2
    )
    what = f"{found['count']:,.0f} × {found['width']:.0f}"
    against = (
        f"sklearn.manifold.TSNE(perplexity={PERPLEXITY}, random_state={SEED}), "
        f"{found['threads']:.0f} threads to our one"
    )
    return [
        Row(
            f"t-SNE of {what}",
            "s",
            found["ours"],
            found["peer"],
            f"projection.tsne against {against}; median of {found['turns']:.0f} turns",
        ),
        Row(
            "  trustworthiness",
            "%",
            found["ours_trust"],
            found["peer_trust"],
            f"scikit-learn's, {NEIGHBOURS} neighbours, all {what}",
            more_is_better=True,
        ),
    ]


def _growth(quick: bool) -> list[Row]:
    sizes = [size for size in SIZES if not quick or size < BIG]
    found = run_in_child("maps", "measure_growth", sizes=sizes)
    again = f"; {found['reviews']:,.0f} vectors that come again with noise"
    return [
        Row(
            f"  t-SNE of {size:,}",
            "s",
            found[str(size)],
            None,
            f"projection.tsne, one thread, once{again * (size > found['reviews'])}",
        )
        for size in sizes
    ]


def _drawing(quick: bool) -> list[Row]:
    found = run_in_child(
        "maps", "measure_drawing", count=5_000 if quick else 50_000, turns=2 if quick else 5
    )
    what = f"{found['count']:,.0f} dots"
    return [
        Row(
            f"a map of {what}, built",
            "ms",
            found["ours"] * 1000,
            found["peer"] * 1000,
            'map_figure and to_json against plotly.express.scatter(hover_name="text"), also '
            "WebGL; built-in reviews, come again; "
            f"median of {found['turns']:.0f} turns",
        ),
        Row(
            "  sent to the browser",
            "MB",
            found["ours_bytes"] / 1e6,
            found["peer_bytes"] / 1e6,
            "length of the figure's JSON",
        ),
    ]


def measure_embedding(many: int, turns: int) -> dict[str, float]:
    """Texts a second of both ways to vectors, and the largest cosine distance between what they
    give.
    """
    from bertsent.models.export import export_whole
    from bertsent.probing.loaded_model import load
    from bertsent.probing.registry import BUILTIN, find_model
    from bertsent.space.embedding import embed_reviews

    reviews = long_reviews().take(range(many))
    halves = reviews.take(range(many // 2)), reviews.take(range(many // 2, many))
    learner, made = load(BUILTIN), {"ours": {}, "peer": {}}
    with tempfile.TemporaryDirectory() as scratch:
        plain = _padded_loop(
            export_whole(find_model(BUILTIN).folder, Path(scratch) / "model"), learner.max_length
        )

        def ours(turn: int) -> None:
            with tempfile.TemporaryDirectory() as empty:
                made["ours"][turn % 2] = embed_reviews(
                    learner, halves[turn % 2], cache=Path(empty)
                ).vectors

        def peer(turn: int) -> None:
            made["peer"][turn % 2] = plain(halves[turn % 2])

        plain(reviews.take(range(8))), learner.embed(reviews.texts[:8])
        found = interleaved({"ours": ours, "peer": peer}, turns, warm_up=0)
    one, other = (_unit(np.concatenate([half[0], half[1]])) for half in made.values())
    speeds = {who: many / 2 / value for who, value in found.items()}
    return {
        **speeds,
        "apart": float(1 - (one * other).sum(axis=1).min()),
        "count": many,
        "turns": turns,
        "max_length": learner.max_length,
    }


def _padded_loop(
    folder: Path, max_length: int
):  # a function from Reviews to [CLS] vectors (n, width)
    """What most notebooks do."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    tokenizer, model = (
        AutoTokenizer.from_pretrained(folder),
        AutoModel.from_pretrained(folder, dtype=torch.float32).eval(),
    )

    def loop(reviews: "Reviews") -> np.ndarray:
        made = []
        with torch.no_grad():
            for start in range(0, len(reviews), 32):
                batch = tokenizer(
                    reviews.texts[start : start + 32],
                    padding="longest",
                    truncation=True,
                    max_length=max_length,
                    return_tensors="pt",
                )
                made.append(model(**batch).last_hidden_state[:, 0].numpy())
        return np.concatenate(made)

    return loop


def measure_arranging(count: int, turns: int) -> dict[str, float]:
    """Seconds and trustworthiness of both."""
    import torch
    from sklearn.manifold import TSNE, trustworthiness

    from bertsent.space.projection import tsne

    vectors, made = _vectors(count), {}

    def ours(_turn: int) -> None:
        made["ours"] = tsne(vectors, seed=SEED).coordinates

    def peer(_turn: int) -> None:
        made["peer"] = TSNE(perplexity=PERPLEXITY, random_state=SEED).fit_transform(vectors)

    tsne(vectors[:200]), TSNE(random_state=SEED).fit(vectors[:200])
    found = interleaved({"ours": ours, "peer": peer}, turns, warm_up=0)
    trust = {
        f"{who}_trust": float(trustworthiness(vectors, where, n_neighbors=NEIGHBOURS))
        for who, where in made.items()
    }
    return {
        **found,
        **trust,
        "count": count,
        "width": vectors.shape[1],
        "turns": turns,
        "threads": torch.get_num_threads(),
    }


def measure_growth(sizes: list[int]) -> dict[str, float]:
    """Seconds of our t-SNE for each number of vectors, and how many of them are not repeated."""
    from bertsent.data.sources import load_reviews
    from bertsent.space.projection import tsne

    vectors = _vectors(max(sizes))
    tsne(vectors[:200])
    found = {
        str(size): seconds(lambda size=size: tsne(vectors[:size], seed=SEED)) for size in sizes
    }
    return {**found, "reviews": len(load_reviews("builtin"))}


def measure_drawing(count: int, turns: int) -> dict[str, float]:
    """Seconds and bytes of a map from points to JSON, ours and plotly.express's."""
    import plotly.express as px

    from bertsent.figures.maps import map_figure

    points = many_points(count)
    works = {
        "ours": lambda _: map_figure(points).to_json(),
        "peer": lambda _: px.scatter(
            points,
            x="x",
            y="y",
            color="label",
            hover_name="text",
            hover_data=["id", "p_positive"],
            render_mode="webgl",
        ).to_json(),
    }
    found = interleaved(works, turns, warm_up=1)
    size = {f"{who}_bytes": len(work(0).encode()) for who, work in works.items()}
    return {**found, **size, "count": count, "turns": turns}


def many_points(count: int) -> "pd.DataFrame":
    """What a map of so many reviews is drawn from (``Atlas.points``), without any model: real
    texts, numbered, in two clouds.
    """
    import pandas as pd

    from bertsent.data.examples import LABELS

    random = np.random.default_rng(SEED)
    texts = np.resize(np.array(typed_reviews(count), dtype=object), count)
    side = random.integers(0, 2, count)
    chance = np.clip(random.beta(8, 2, count), 1e-4, 1 - 1e-4)
    chance = np.where(side == 1, chance, 1 - chance)
    places = random.normal(0, [12, 18], (count, 2)) + np.where(side == 1, 25, -25)[
        :, None
    ] * np.array([1.0, 0.2])
    return pd.DataFrame(
        {
            "id": [f"r{i}" for i in range(count)],
            "text": [f"{i}: {text}" for i, text in enumerate(texts)],
            "label": np.array(LABELS, dtype=object)[side],
            "prediction": np.array(LABELS, dtype=object)[(chance > 0.5).astype(int)],
            "p_positive": chance,
            "confidence": np.maximum(chance, 1 - chance),
            "cluster": (random.random(count) < 0.4).astype(np.int64),
            "x": places[:, 0],
            "y": places[:, 1],
        }
    )


def _vectors(count: int) -> np.ndarray:
    """(count, width) [CLS] vectors of built-in reviews under the built-in model."""
    from bertsent.probing.loaded_model import load
    from bertsent.probing.registry import BUILTIN

    real = load(BUILTIN).embed(typed_reviews(count))
    random, made = np.random.default_rng(SEED), [real]
    while sum(map(len, made)) < count:
        made.append(
            real + random.normal(0, NOISE, real.shape).astype(np.float32) * real.std(axis=0)
        )
    return np.concatenate(made)[:count]


def _unit(vectors: np.ndarray) -> np.ndarray:
    wide = vectors.astype(np.float64)
    return wide / np.linalg.norm(wide, axis=1, keepdims=True)
