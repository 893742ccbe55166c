"""The Map opens the sample that ``bertsent embed`` writes, with its vectors."""

import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from bertsent.__main__ import main
from bertsent.data.tables import read_file
from bertsent.probing.loaded_model import LoadedModel, load
from bertsent.space.embedding import embed_reviews
from bertsent.space.known_vectors import remember_vectors
from tests.bulk.conftest import short_reviews, tiny_model  # noqa: F401 - a fixture
from tests.ui.map.test_map_view import PAGE, drawn


@pytest.fixture
def sample(lab: Path, tiny_model: Path, tmp_path: Path, monkeypatch) -> Path:  # noqa: F811
    """A job of 60 texts whose folder the host offers, by a model that the host offers."""
    shutil.copytree(tiny_model, lab / "models" / "small")
    table, out = tmp_path / "texts.csv", tmp_path / "vectors"
    pd.DataFrame({"text": short_reviews(60)}).to_csv(table, index=False)
    command = ["embed", table, "--out", out, "--model", "small", "--rows", "25", "--json"]
    assert main([str(word) for word in command]) == 0
    monkeypatch.setenv("BERTSENT_DATA", str(out))
    return out / "vectors-sample.parquet"


def test_it_is_drawn_without_computing_a_vector(sample, visit, monkeypatch):
    def never(*_, **__):
        raise AssertionError("a vector was computed")

    monkeypatch.setattr(LoadedModel, "embed_and_answer", never)
    app = drawn(visit(PAGE, model="small", map_set=f"file {sample.name}"))
    assert not app.exception
    found = app.session_state["map_shown"].map
    table = pd.read_parquet(sample)
    assert found.points["id"].tolist() == table["id"].tolist()
    assert np.array_equal(found.embeddings.vectors, np.stack(table["vector"]))
    assert np.allclose(found.points["p_positive"], table["p_positive"])


def test_vectors_of_another_model_or_layer_are_not_taken(sample, tmp_path):
    """Nor those of texts that were changed since; all of them are computed as ever."""
    model, other, reviews = load("small"), load("small"), read_file(sample, need_labels=False)
    other.key = "of other weights"
    some = reviews.take([3, 11, 40])
    cache = tmp_path / "cache"
    own = {"pooling": "cls", "layer": -1, "cache": cache}
    assert not remember_vectors(other, some, sample, **own)
    assert not remember_vectors(model, some, sample, **(own | {"layer": 1}))
    assert not remember_vectors(model, some, sample, **(own | {"pooling": "mean"}))
    table = pq.read_table(sample)
    changed = table.set_column(1, "text", [["changed"] * len(table)])
    pq.write_table(changed, tmp_path / "changed.parquet")
    assert not remember_vectors(model, some, tmp_path / "changed.parquet", **own)
    assert not cache.exists()
    assert remember_vectors(model, some, sample, **own)
    taken = embed_reviews(model, some, cache=cache).vectors
    assert np.array_equal(taken, np.stack(pd.read_parquet(sample)["vector"])[[3, 11, 40]])
    again = embed_reviews(model, some, cache=tmp_path / "none").vectors
    assert np.abs(taken - again).max() < 1e-5
