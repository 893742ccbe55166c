"""Data files of the shapes that the recipe reads, with a few made-up rows."""

from pathlib import Path

import pandas as pd
import pytest

from bertsent.recipe.datasets import RecipeData

WORDS = {0: "dull cold awful", 1: "warm lovely great"}


def texts(count: int, name: str) -> pd.DataFrame:
    rows = [
        (
            f"{name} {number}: a {WORDS[number % 2]} film<br /><br />and so on "
            + "and on " * number,
            number % 2,
        )
        for number in range(count)
    ]
    return pd.DataFrame(rows, columns=["text", "label"])


def pairs(count: int, name: str) -> pd.DataFrame:
    kinds = ["original", "contrast" if name == "contrast" else "revised"]
    return texts(2 * count, name).assign(
        pair_id=[n // 2 for n in range(2 * count)], kind=kinds * count
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    where = tmp_path / "data"
    where.mkdir()
    imdb = texts(40, "imdb").assign(
        fold=[n % 10 for n in range(40)], cf_split=["dev" if n == 3 else "" for n in range(40)]
    )
    imdb["id"] = [f"film-{n}" for n in range(40)]
    sst = texts(12, "sst").astype({"label": "Int64"})
    sst.loc[0, "label"] = pd.NA
    tables = {
        "imdb_train": imdb,
        "counterfactual_train": pairs(6, "pair"),
        "counterfactual_dev": pairs(4, "judge"),
        "contrast_dev": pairs(4, "contrast"),
        "sst_train": sst,
        "sst_dev": sst,
        "sst_phrases_train": sst,
    }
    for name, table in tables.items():
        table.to_parquet(where / f"{name}.parquet")
    return where


@pytest.fixture
def materials(folder: Path) -> RecipeData:
    return RecipeData(folder)
