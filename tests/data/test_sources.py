"""One function finds reviews by whatever names them, and says how to get what is not here."""

from pathlib import Path

import pandas as pd
import pytest

from bertsent.data.examples import Example, Reviews
from bertsent.data.hub import dataset_path
from bertsent.data.sources import BUILTIN, contrastive_reviews, load_reviews
from bertsent.data.splits import split
from bertsent.errors import BadInput, NotAvailable

ELSEWHERE = Path(__file__).resolve().parents[2].parent / "shared" / "data"


@pytest.fixture(autouse=True)
def own_home(tmp_path, monkeypatch):
    monkeypatch.setenv("BERTSENT_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "home"


def fetched(hub_id, table):
    path = dataset_path(hub_id)
    path.parent.mkdir(parents=True, exist_ok=True)
    table.to_parquet(path, index=False)


def test_the_builtin_set_comes_with_or_without_its_contrastive_rows():
    everything, without = load_reviews("builtin"), load_reviews("builtin", contrastive=False)
    assert len(everything) == len(pd.read_csv(BUILTIN)) == len(without) + 8
    assert not any(e.contrastive for e in without)


def test_ready_reviews_get_the_contrastive_rows_in_front_unless_they_have_some():
    ready = Reviews("mine", (Example("a", "b", 1),))
    assert load_reviews(ready, contrastive=False) == ready
    assert load_reviews(ready) == Reviews("mine", (*contrastive_reviews(), *ready.examples))
    assert load_reviews(load_reviews(ready)) == load_reviews(ready)


def test_a_file_that_brings_contrastive_rows_does_not_get_them_twice():
    assert load_reviews(BUILTIN) == load_reviews("builtin")


@pytest.mark.parametrize("kind", [str, Path])
def test_a_file_gets_the_contrastive_rows_in_front(kind, tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("text,label\ngood,1\n,0\n", encoding="utf-8")
    found = load_reviews(kind(path), drop_incomplete=True)
    assert found.name == "mine.csv"
    assert found.examples[:8] == contrastive_reviews() and found.texts[8:] == ["good"]
    assert load_reviews(kind(path), drop_incomplete=True, contrastive=False).texts == ["good"]
    with pytest.raises(BadInput, match="Row 2 of mine.csv has no text"):
        load_reviews(kind(path))


def test_imdb_is_the_recipe_of_the_table_that_was_fetched():
    with pytest.raises(NotAvailable) as error:
        load_reviews("imdb")
    assert "stanfordnlp/imdb is not on this machine" in str(error.value)
    assert "python -m bertsent fetch dataset stanfordnlp/imdb" in str(error.value)
    fetched(
        "stanfordnlp/imdb",
        pd.DataFrame({"text": [f"review {n}" for n in range(6_000)], "label": [0, 1] * 3_000}),
    )
    for name in ("imdb", "stanfordnlp/imdb"):
        assert len(load_reviews(name)) == 5_008
        assert len(load_reviews(name, contrastive=False)) == 5_000


def test_a_damaged_imdb_table_is_said_so():
    fetched("stanfordnlp/imdb", pd.DataFrame({"text": ["a"], "label": [1]}))
    with pytest.raises(BadInput, match="2,500 IMDb reviews of each class"):
        load_reviews("imdb")
    dataset_path("stanfordnlp/imdb").write_bytes(b"PAR1 and then the disk was full")
    with pytest.raises(
        BadInput, match="^The downloaded IMDb table is damaged. Delete .* and download it again.$"
    ):
        load_reviews("imdb")


def test_a_hub_set_is_read_from_where_it_was_fetched_to():
    fetched("someone/films", pd.DataFrame({"sentence": ["good", "bad"], "label": [1, 0]}))
    assert load_reviews("someone/films", contrastive=False).texts == ["good", "bad"]


def test_a_hub_set_with_a_bare_name_is_read_once_it_is_here():
    """It could be downloaded, and was then looked for as a file in the current folder."""
    fetched("films", pd.DataFrame({"text": ["good", "bad"], "label": [1, 0]}))
    assert load_reviews("films", contrastive=False).texts == ["good", "bad"]


def test_a_hub_set_that_is_not_here_says_how_to_get_it():
    with pytest.raises(NotAvailable, match="`python -m bertsent fetch dataset someone/films`"):
        load_reviews("someone/films")


@pytest.mark.parametrize(
    "path",
    [
        "data/mine.csv",
        "mine.csv",
        "nothing here",
        "/none/at/all.parquet",
        "n" * 300,
        "a/" + "n" * 300 + ".csv",
    ],
)
def test_a_path_that_leads_nowhere_is_not_taken_for_a_hub_set(path):
    """ "data/mine.csv" has the form of a Hub id, and people were told to fetch it."""
    with pytest.raises(NotAvailable, match="^There is no file "):
        load_reviews(path)


@pytest.mark.parametrize(
    "name",
    [
        "../secret",
        "/etc/passwd",
        "..%2f..",
        "a/../b",
        "~/x",
        "\\\\host\\x",
        "a/b/c",
        "owner/..",
        "",
    ],
)
def test_names_never_lead_out_of_the_folder(name):
    with pytest.raises(BadInput):
        dataset_path(name)
    with pytest.raises((BadInput, NotAvailable)):
        load_reviews(name)


def test_fetched_sets_lie_in_the_home_folder(own_home):
    assert dataset_path("owner/name.v2").relative_to(own_home.resolve()) == Path(
        "hub/datasets/owner--name.v2.parquet"
    )


@pytest.mark.skipif(
    not (ELSEWHERE / "imdb_train.parquet").is_file(),
    reason="the IMDb table is not beside this checkout",
)
def test_the_recipe_on_real_reviews():
    fetched(
        "stanfordnlp/imdb",
        pd.read_parquet(ELSEWHERE / "imdb_train.parquet", columns=["text", "label"]),
    )
    halves = split(load_reviews("imdb"))
    assert (len(halves.train), len(halves.validation)) == (4_006, 1_002)
    assert [e.label for e in halves.validation if e.contrastive] == [0]
