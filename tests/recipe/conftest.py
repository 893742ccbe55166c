"""Data files of the shapes that the recipe reads, with a few made-up rows."""

from pathlib import Path

import pandas as pd
import pytest

from bertsent.data import sources
from bertsent.recipe import datasets, task_sets
from bertsent.recipe.datasets import RecipeData
from tests.own_reviews import write_few
from tests.recipe.task_tables import PAWS_LEARNED

NAMED = {"y002", "y101"}  # pairs that tests ask for

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


@pytest.fixture(scope="package", autouse=True)
def few_own_reviews(tmp_path_factory):
    """Some of the built-in reviews and of the one-liners, in whole pairs and of every kind."""
    where = tmp_path_factory.mktemp("reviews")
    with pytest.MonkeyPatch.context() as patch:
        for module, name in (
            (sources, "BUILTIN"),
            (datasets, "ONE_LINERS"),
            (datasets, "REGISTER"),
        ):
            path = write_few(getattr(module, name), where, named=NAMED)
            patch.setattr(module, name, path)
        yield


@pytest.fixture(scope="package", autouse=True)
def few_paraphrases():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(task_sets, "PAWS_LEARNED", PAWS_LEARNED)
        yield


@pytest.fixture(scope="package")
def data(tmp_path_factory) -> RecipeData:
    return RecipeData(write_tables(tmp_path_factory.mktemp("data")))


def write_tables(where: Path) -> Path:
    imdb = texts(40, "imdb").assign(
        fold=[n % 10 for n in range(40)], cf_split=["dev" if n == 3 else "" for n in range(40)]
    )
    imdb["id"] = [f"film-{n}" for n in range(40)]
    sst = texts(12, "sst").astype({"label": "Int64"})
    sst["label5"] = [4 * (number % 2) for number in range(12)]
    sst.loc[0, ["label", "label5"]] = pd.NA, 2
    snippets = texts(8, "snippet").assign(sst_split=["dev", "train", "", "train"] * 2)
    comments = pd.DataFrame(
        {
            "text": ["ah", "oh", "so", "hm", "both", "what"],
            "emotions": [
                ["joy"],
                ["anger", "surprise"],
                ["neutral"],
                ["neutral", "love"],
                ["joy", "anger"],
                ["curiosity"],
            ],
        }
    )
    tables = {
        "imdb_train": imdb,
        "counterfactual_train": pairs(6, "pair"),
        "counterfactual_dev": pairs(4, "judge"),
        "contrast_dev": pairs(4, "contrast"),
        "sst_train": sst,
        "sst_dev": sst,
        "sst_phrases_train": sst,
        "rt_polarity": snippets,
        "goemotions_train": comments,
    }
    for name, table in tables.items():
        table.to_parquet(where / f"{name}.parquet")
    return where
