"""Files of other tasks: what their columns are taken for, and what is wrong in which row."""

import pandas as pd
import pytest

from bertsent.data.task_columns import reviews_of_task, understand
from bertsent.errors import BadInput
from bertsent.tasks.catalogue import ASPECTS, FIVE_STEPS, PARAPHRASE, SENTIMENT, SIMILARITY
from bertsent.tasks.task import OneLabel, Rating, SeveralLabels


def table(columns: str, *rows: str) -> pd.DataFrame:
    return pd.DataFrame([row.split("|") for row in rows], columns=columns.split("|"))


STEPS = table("text|label", "Bad|0", "Poor|1", "So so|2", "Good|3", "Great|4")
SOUP = table("text|aspect|label", "Good soup, rude waiter|soup|positive", "Good soup|soup|0")
CATS = table("text1|text2|score", "A cat|One cat|4.8", "A cat|A car|0")
FEELS = table("id|text|joy|fear", "a|Yes|1|0", "b|No|0|2", "c|Table|0|0")


@pytest.mark.parametrize(
    ("given", "task"),
    [
        (table("text|label", "Bad|0", "Good|1"), SENTIMENT),
        (STEPS, FIVE_STEPS),
        (table("review|sentiment", "Bad|very negative", "So|Neutral"), None),
        (SOUP, ASPECTS),
        (CATS, SIMILARITY),
        (table("sentence1|sentence2|label", "A|B|0", "A|A|1"), PARAPHRASE),
        (table("text1|text2|label", "A|B|entails", "A|C|contradicts"), None),
        (FEELS, None),
        (table("text|label", "A|0", "B|1", "C|2"), None),
        (table("text|score", *(f"A|{n / 10}" for n in range(80))), None),
    ],
)
def test_columns_say_what_the_task_is(given, task) -> None:
    found = understand(given, "file.csv")
    if task is not None:
        assert found.task is task
    assert found.sentence().startswith(found.task.title)
    assert len(reviews_of_task(given, "file.csv", found)) == len(given)


def test_what_is_not_known_by_name_becomes_a_task_of_its_own() -> None:
    kinds = understand(table("text|label", "A|b", "B|a", "C|c"), "x").task
    assert kinds == OneLabel("labels", "One of 3 labels", labels=("a", "b", "c"))
    stars = understand(table("text|label", *(f"A|{n}" for n in (10, 9, 2))), "x").task
    assert isinstance(stars, OneLabel) and stars.labels == ("2", "9", "10") and stars.ordered
    feelings = understand(FEELS, "x").task
    assert isinstance(feelings, SeveralLabels) and feelings.labels == ("joy", "fear")
    percent = understand(table("text1|text2|score", "A|B|80", "A|B|3"), "x").task
    assert isinstance(percent, Rating) and (percent.low, percent.high) == (0, 100)


def test_rows_become_what_the_task_wants() -> None:
    def reviews(given):
        return reviews_of_task(given, "x", understand(given, "x"))

    assert reviews(STEPS).targets == [0, 1, 2, 3, 4]
    assert reviews(SOUP).inputs[0] == ("soup", "Good soup, rude waiter")
    assert reviews(SOUP).targets == [2, 0]
    assert reviews(CATS).targets == [4.8, 0] and reviews(CATS).inputs[1] == ("A cat", "A car")
    assert reviews(FEELS).targets == [[1, 0], [0, 2], [0, 0]]
    assert [example.id for example in reviews(FEELS)] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (table("text|aspect|label", "Good soup|tea|positive"), "Row 1 of x has the aspect “tea”"),
        (table("text|aspect|label", "Soup|soup|good", "Tea|tea|bad"), None),
        (table("text1|text2|score", "A|B|5", "A|B|nan"), "Row 2 of x has “nan” in “score”"),
        (table("text1|text2|score", "A|B|3", "A| |3"), "Row 2 of x has no second text"),
        (table("text1|text2", "A|B"), "nothing that is true"),
        (table("name|label", "A|0"), "no text column"),
        (table("text|joy", "A|1"), "no label column"),
        (table("text|label", "A| ", "B|1", "B|0"), "Row 1 of x has no label"),
    ],
)
def test_what_is_wrong_is_said_with_its_row(given, said) -> None:
    if said is None:
        assert understand(given, "x").task.outputs == 2
        return
    with pytest.raises(BadInput) as raised:
        reviews_of_task(given, "x", understand(given, "x"))
    assert said in raised.value.what and raised.value.remedy


def test_six_labels_where_five_were_meant() -> None:
    six = pd.concat([STEPS, table("text|label", "Superb|5")], ignore_index=True)
    columns = understand(STEPS, "x")
    with pytest.raises(BadInput) as raised:
        reviews_of_task(six, "x", columns)
    assert "Row 6" in raised.value.what and "very positive" in raised.value.remedy
    assert understand(six, "x").task.outputs == 6


def test_incomplete_rows_can_be_left_out_and_wrong_ones_cannot() -> None:
    given = table("text1|text2|score", "A|B|5", "A||5", "A|B|")
    columns = understand(given, "x")
    assert len(reviews_of_task(given, "x", columns, drop_incomplete=True)) == 1
    wrong = table("text1|text2|score", "A|B|7")
    with pytest.raises(BadInput):
        reviews_of_task(wrong, "x", columns, drop_incomplete=True)
