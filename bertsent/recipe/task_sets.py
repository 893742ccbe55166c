"""A folder of public data in, the sets that the shipped heads learn from and the held-out ones
that they are judged on out, each as ``Reviews`` of its task; also the test parts of the small sets
of this project.

The heads learn from no row that they are judged on. Of the restaurant and laptop sentences about
every tenth is held out, chosen by the letters of its id; of PAWS-Wiki the rows from the 6,001st on.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import pandas as pd

from bertsent.data.examples import Example, Reviews
from bertsent.data.tables import read_cells
from bertsent.data.task_columns import reviews_of_task, understand
from bertsent.errors import NotAvailable
from bertsent.recipe.similar_pairs import similar_pairs
from bertsent.settings import ASSETS
from bertsent.tasks.catalogue import ASPECTS, FEELINGS, FIVE_STEPS, PARAPHRASE, SIMILARITY
from bertsent.tasks.task import OneLabel, Task

PAWS_LEARNED = 6_000
SHORTEST_PHRASE = 3  # words
SICK_LOWEST, SICK_HIGHEST = 1, 5  # its scores, stretched to those of STS-B
OWN = ASSETS / "tasks"


def held_out_sets(folder: Path) -> list[Reviews]:
    """The public sets, then the test parts of the project's own.

    Raises:
        NotAvailable: a file is missing.
    """
    return [make(folder) for make in _PUBLIC] + own_tests()


def learned_sets(folder: Path) -> dict[str, Reviews]:
    """The sets to learn from, by the names that ``task_plan.LEARN_FROM`` has.

    Raises:
        NotAvailable: a file is missing.
    """
    phrases = _read(folder, "sst_phrases_train")
    phrases = phrases[phrases["text"].str.split().str.len() >= SHORTEST_PHRASE]
    sick, paws = _read(folder, "sick_train"), _read(folder, "paws_wiki_dev")
    sick["score"] = (sick["score"] - SICK_LOWEST) * 5 / (SICK_HIGHEST - SICK_LOWEST)
    terms = pd.concat(_read(folder, f"absa_{of}_terms_train") for of in ("restaurants", "laptops"))
    sts = _pairs("sts", SIMILARITY, _read(folder, "stsb_train"), "score")
    return {
        "sentences": _reviews(
            "sentences", FIVE_STEPS, _read(folder, "sst_train"), ["text"], "label5"
        ),
        "phrases": _reviews("phrases", FIVE_STEPS, phrases, ["text"], "label5"),
        "sts": sts,
        "sts swapped": _swapped(sts),
        "similar": similar_pairs(sts),
        "sick": _pairs("sick", SIMILARITY, sick, "score"),
        "questions": _pairs("questions", PARAPHRASE, _read(folder, "quora_train"), "label"),
        "paws": _pairs("paws", PARAPHRASE, paws.iloc[:PAWS_LEARNED], "label"),
        "terms": _terms("terms", terms, held_out=False),
        "tweets": _tweet_reviews("tweets", _read(folder, "semeval2018_ec_train")),
        "categories": _categories("categories", folder, held_out=False),
        "own steps": _understood("own steps", _own("five-steps", "train")),
        "own neutral": _neutral("own neutral", "train"),
        "own aspects": _understood("own aspects", _own("aspects", "train")),
        "restaurants": own_restaurants(),
        "own scores": _understood("own scores", _own("pairs", "train").drop(columns="label")),
    }


def restaurant_terms(folder: Path, *, held_out: bool) -> Reviews:
    """What is said of each term of the restaurant sentences that are held out, or of the others.

    Raises:
        NotAvailable: the file is missing.
    """
    name = "Restaurants, held out" if held_out else "Restaurants, learned from"
    return _terms(name, _read(folder, "absa_restaurants_terms_train"), held_out=held_out)


def own_tests() -> list[Reviews]:
    """The test parts of the small sets in ``assets/tasks``: pairs once for each of their tasks, and
    texts that judge nothing, which are neutral among five steps.
    """
    pairs = _own("pairs")
    return [
        _understood("Own five steps, test", _own("five-steps")),
        _neutral("Own texts without opinion, test"),
        _understood("Own aspects, test", _own("aspects")),
        _understood("Own feelings, test", _own("feelings")),
        _understood("Own pairs (similarity), test", pairs.drop(columns="label")),
        _understood("Own pairs (paraphrase), test", pairs.drop(columns="score")),
    ]


def own_restaurants() -> Reviews:
    """What is said of each aspect of the restaurant sentences in ``assets/tasks``, which are for
    training alone.
    """
    path = OWN / "restaurants.csv"
    table = read_cells(path.read_bytes(), path.name)
    return _reviews("restaurants", ASPECTS, table, ["text", "aspect"], "label")


def _swapped(reviews: Reviews) -> Reviews:
    """The same pairs with the second text first."""
    rows = (replace(each, text=each.second, second=each.text) for each in reviews)
    return replace(reviews, examples=tuple(rows))


def _own(name: str, split: str = "test") -> pd.DataFrame:
    path = OWN / f"{name}.csv"
    table = read_cells(path.read_bytes(), path.name)
    return table[table["split"] == split].drop(columns="kind", errors="ignore")


def _neutral(name: str, split: str = "test") -> Reviews:
    table = _own("no-opinion", split).assign(label="neutral")
    return _reviews(name, FIVE_STEPS, table, ["text"], "label")


def _understood(name: str, table: pd.DataFrame) -> Reviews:
    return reviews_of_task(table, name, understand(table, name))


def _sst(folder: Path) -> Reviews:
    return _reviews("SST-5, development", FIVE_STEPS, _read(folder, "sst_dev"), ["text"], "label5")


def _laptops(folder: Path) -> Reviews:
    return _terms("Laptops, held out", _read(folder, "absa_laptops_terms_train"), held_out=True)


def _terms(name: str, table: pd.DataFrame, *, held_out: bool) -> Reviews:
    """What is said of each term."""
    return _aspects(name, table, "term", held_out)


def _categories(name: str, folder: Path, *, held_out: bool) -> Reviews:
    """What is said of the food, the service and the like."""
    table = _read(folder, "absa_restaurants_categories_train")
    return _aspects(name, table, "category", held_out)


def _aspects(name: str, table: pd.DataFrame, column: str, held_out: bool) -> Reviews:
    """Rows of one sentence vary together, so they are pairs."""
    held = table["sentence_id"].astype(str).map(_is_held_out) == held_out
    table = table[held & table["polarity"].isin(ASPECTS.labels)]
    return _reviews(name, ASPECTS, table, ["text", column], "polarity", together="sentence_id")


def _held_out_categories(folder: Path) -> Reviews:
    return _categories("Restaurant categories, held out", folder, held_out=True)


def _is_held_out(sentence: str) -> bool:
    return sum(map(ord, sentence)) * 7919 % 10 == 3


def _tweets(folder: Path) -> Reviews:
    return _tweet_reviews("SemEval-2018 E-c, development", _read(folder, "semeval2018_ec_dev"))


def _tweet_reviews(name: str, table: pd.DataFrame) -> Reviews:
    return _reviews(name, FEELINGS, table, ["text"], list(FEELINGS.labels))


def _sts(folder: Path) -> Reviews:
    return _pairs("STS-B, development", SIMILARITY, _read(folder, "stsb_dev"), "score")


def _quora(folder: Path) -> Reviews:
    return _pairs("Quora, development", PARAPHRASE, _read(folder, "quora_dev"), "label")


def _paws(folder: Path) -> Reviews:
    table = _read(folder, "paws_wiki_dev").iloc[PAWS_LEARNED:]
    return _pairs("PAWS-Wiki, held out", PARAPHRASE, table, "label")


def _pairs(name: str, task: Task, table: pd.DataFrame, target: str) -> Reviews:
    return _reviews(name, task, table, ["sentence1", "sentence2"], target)


def _read(folder: Path, name: str) -> pd.DataFrame:
    path = folder / f"{name}.parquet"
    NotAvailable.raise_if(
        not path.is_file(),
        f"{folder} does not have {path.name}.",
        "The card of the shipped heads says where it comes from.",
    )
    return pd.read_parquet(path)


def _reviews(
    name: str,
    task: Task,
    table: pd.DataFrame,
    texts: Sequence[str],
    target: str | list[str],
    together: str = "",
) -> Reviews:
    """Rows of ``texts`` columns and what is true of them."""
    examples = []
    for number, row in enumerate(table.to_dict("records")):
        text, second = row[texts[0]], row[texts[1]] if len(texts) > 1 else ""
        truth = _truth(task, row, target)
        pair = str(row[together]) if together else ""
        examples.append(Example(f"{name} {number}", text, second=second, pair=pair, **truth))
    return Reviews(name, tuple(examples), task=task)


def _truth(task: Task, row: dict, target: str | list[str]) -> dict:
    if isinstance(target, list):
        return {"scores": tuple(float(row[name]) for name in target)}
    if isinstance(task, OneLabel):
        value = row[target]
        return {"label": task.labels.index(value) if isinstance(value, str) else int(value)}
    return {"scores": (float(row[target]),)}


_PUBLIC: tuple[Callable[[Path], Reviews], ...] = (
    _sst,
    partial(restaurant_terms, held_out=True),
    _held_out_categories,
    _laptops,
    _tweets,
    _sts,
    _quora,
    _paws,
)
