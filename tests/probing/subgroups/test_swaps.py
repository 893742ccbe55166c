"""The texts of the subgroup check keep what their README promises."""

import re
from collections import Counter
from itertools import combinations

import pandas as pd
import pytest

from bertsent.data.sources import load_reviews
from bertsent.probing.subgroups.swaps import FOLDER, STANDARD, VARIETY, builtin_swaps, texts_of

LETTERS = re.compile(r"[A-Za-z0-9 ,.;'?-]+")


def read(name: str) -> pd.DataFrame:
    return pd.read_csv(FOLDER / name)


@pytest.fixture(scope="module")
def cases() -> pd.DataFrame:
    return pd.DataFrame(list(builtin_swaps()))


def test_half_of_each_kind_of_sentence_is_positive() -> None:
    templates, pairs = read("templates.csv"), read("varieties.csv")
    assert templates.groupby("slot").size().to_dict() == {"identity": 40, "name": 24}
    assert len(pairs) == 84 and set(pairs.groupby("variety").size()) == {14}
    for table, column in ((templates, "slot"), (pairs, "variety")):
        for name, labels in table.groupby(column)["label"]:
            assert Counter(labels)["positive"] == Counter(labels)["negative"], name


def test_every_slot_is_there_once_and_filled(cases: pd.DataFrame) -> None:
    for row in read("templates.csv").itertuples():
        assert re.findall(r"\{[^{}]*\}", row.text) == [f"{{{row.slot}}}"]
        assert not re.search(r"\b[Aa]n? \{", row.text), "the article depends on the word"
    assert cases["text"].map(lambda text: LETTERS.fullmatch(text) is not None).all()
    filled = cases[cases["attribute"] != VARIETY]
    assert all(row.swapped in row.text for row in filled.itertuples())


def test_nothing_stands_there_twice(cases: pd.DataFrame) -> None:
    templates, words, pairs = (read(f"{n}.csv") for n in ("templates", "words", "varieties"))
    assert templates["id"].is_unique and pairs["id"].is_unique and templates["text"].is_unique
    assert not words.duplicated(["attribute", "word"]).any()
    assert not words.drop_duplicates(["slot", "word"])["word"].str.lower().duplicated().any()
    both = pd.concat([pairs["standard"], pairs["text"]])
    assert both.str.lower().is_unique
    assert not cases.duplicated(["attribute", "text"]).any()
    assert not set(texts_of(builtin_swaps())) & set(load_reviews("builtin").texts)


def test_no_two_templates_of_a_label_share_most_of_their_words() -> None:
    """A sentence in two forms would count twice."""
    for _, texts in read("templates.csv").groupby("label")["text"]:
        bags = [set(re.findall(r"\w+", text.lower())) for text in texts]
        for one, other in combinations(bags, 2):
            assert len(one & other) / len(one | other) <= 0.5, (one, other)


def test_every_group_of_an_attribute_is_in_the_same_templates(cases: pd.DataFrame) -> None:
    for name, rows in cases[cases["attribute"] != VARIETY].groupby("attribute"):
        found = rows.groupby("group")["template"].agg(frozenset)
        assert len(found) >= 2 and found.nunique() == 1, name
        assert set(rows.groupby("template")["label"].nunique()) == {1}
    pairs = cases[cases["attribute"] == VARIETY].groupby("template")
    assert all(rows["group"].iloc[0] == STANDARD and len(rows) == 2 for _, rows in pairs)
    assert set(pairs["label"].nunique()) == {1}


def test_names_of_women_and_men_are_as_many_in_each_origin() -> None:
    words = read("words.csv").pivot(index="word", columns="attribute", values="group")
    names = words.dropna(subset=["names by origin"])
    assert len(names) == 60
    assert set(names.groupby(["names by origin", "names by gender"]).size()) == {3}
