"""Files that are read for a task that somebody asked for: what becomes of them, and what is wrong
in which row.
"""

import pandas as pd
import pytest

from bertsent.data.asked_columns import KEYS, AskedColumns, key_of
from bertsent.data.sources import load_reviews
from bertsent.data.splits import split
from bertsent.data.task_columns import likely_task
from bertsent.data.task_facts import task_facts
from bertsent.data.task_files import read_task_bytes
from bertsent.data.task_sets import SMALL_SETS, small_set
from bertsent.errors import BadInput
from bertsent.tasks.catalogue import (
    ASPECTS,
    FEELINGS,
    FIVE_STEPS,
    PARAPHRASE,
    SENTIMENT,
    SIMILARITY,
)


def lines(head: str, *rows: str) -> bytes:
    return "\n".join((head, *rows)).encode()


STEPS = [f"text {i},{i % 5}" for i in range(60)]
SOUP = [f"The soup {i} is so,soup,{('negative', 'neutral', 'positive')[i % 3]}" for i in range(60)]
CATS = [f"a cat {i},one cat,{i % 6}" for i in range(60)]
FEELS = [f"text {i},{i % 2},{(i // 2) % 2}" for i in range(60)]
GENRES = [f"text {i},{('crime', 'war', 'love')[i % 3]}" for i in range(60)]
SPLIT = [
    f"text {i},{i % 4 if i < 30 else i % 5},{'validation' if i < 30 else 'train'}"
    for i in range(90)
]
LABEL, ASPECT, SCORE = "text,label", "text,aspect,label", "text1,text2,score"


@pytest.mark.parametrize(
    ("task", "data", "reason", "remedy"),
    [
        (FIVE_STEPS, lines(LABEL, *STEPS, "more,5"), "unknown label “5”", "very negative"),
        (FIVE_STEPS, lines(LABEL, *STEPS, "more,so so"), "Row 61", "Use one of very negative"),
        (ASPECTS, lines(ASPECT, *SOUP, "The rice was so,soup,neutral"), "not in its text", "Write"),
        (ASPECTS, lines(ASPECT, *SOUP, "The rice was so,,neutral"), "no aspect", "Fill it in"),
        (SIMILARITY, lines(SCORE, *CATS, "a cat,,3"), "no second text", "leave incomplete rows"),
        (SIMILARITY, lines(SCORE, *CATS, "a cat,a dog,nan"), "“nan” in “score”", "from 0 to 5"),
        (SIMILARITY, lines(SCORE, *CATS, "a cat,a dog,7"), "“7” in “score”", "from 0 to 5"),
        (SIMILARITY, lines(SCORE, "a,b,0.1", "b,c,0.9"), "from 0 to 1", "Multiply them by 5"),
        (FEELINGS, lines("text,joy", "a,1", "b,0"), "1 label columns", "at least two columns"),
        (FEELINGS, lines("text,joy,fear", *FEELS, "a,1,7"), "Row 61", "leave that column out"),
        (PARAPHRASE, lines(LABEL, *STEPS), "no column for the second", "what else it shall learn"),
        (ASPECTS, lines(LABEL, *STEPS), "no column for the aspect", "Choose another column"),
        (
            FIVE_STEPS,
            lines("text,label,split", *SPLIT),
            "The validation part of mine.csv has no reviews of “very positive”",
            "Validation needs at least five of each label. Move some there",
        ),
        (SIMILARITY, lines(SCORE, *CATS, "a cat,a dog,inf"), "Row 61", "smaller than 1,000,000"),
        (SIMILARITY, lines(SCORE, *CATS, "a cat,a dog,1e300"), "“1e300”", "Correct it"),
    ],
)
def test_what_is_wrong_is_said_with_what_to_do(task, data, reason, remedy) -> None:
    with pytest.raises(BadInput) as refused:
        split(read_task_bytes(data, "mine.csv", task.name))
    assert reason in refused.value.what and remedy in refused.value.remedy, str(refused.value)


def test_a_few_other_labels_are_taken_for_mistakes_unless_they_are_asked_for() -> None:
    """“postive” made a task of three labels of it."""
    rows = [f"text {i},{('positive', 'negative')[i % 2]}" for i in range(40)]
    data = lines(LABEL, *rows, *[f"more {i},postive" for i in range(5)])
    with pytest.raises(BadInput, match="Row 41 of mine.csv has the label “postive”"):
        read_task_bytes(data, "mine.csv")
    steps = pd.DataFrame({"text": list("abcdefghijk"), "label": [*FIVE_STEPS.labels * 2, "mixed"]})
    assert likely_task(steps, "x.csv") is FIVE_STEPS
    own = read_task_bytes(data, "mine.csv", "labels")
    assert own.task.output_names == ("negative", "positive", "postive")


def test_steps_may_be_counted_from_one_and_labels_have_the_order_that_is_asked_for() -> None:
    stars = lines(LABEL, *(f"text {i},{1 + i % 5}" for i in range(20)))
    assert read_task_bytes(stars, "x.csv", FIVE_STEPS.name).labels[:6] == [0, 1, 2, 3, 4, 0]
    order = ("war", "crime", "love")
    genres = read_task_bytes(lines(LABEL, *GENRES), "x.csv", "labels", AskedColumns(order=order))
    assert genres.task.labels == order and genres.labels[:3] == [1, 0, 2]
    with pytest.raises(BadInput, match="lacks “love”"):
        read_task_bytes(lines(LABEL, *GENRES), "x.csv", "labels", AskedColumns(order=order[:2]))


def test_a_row_without_any_of_several_labels_is_a_row_like_others() -> None:
    found = read_task_bytes(lines("text,joy,fear", *FEELS, "nothing felt,0,0"), "x.csv")
    assert found.task.name == FEELINGS.name and found.targets[-1] == [0, 0]
    assert len(split(found).train) + len(split(found).validation) == 61


@pytest.mark.parametrize(
    ("data", "reason", "remedy"),
    [
        (lines(LABEL, *(f"{i % 5},text {i}" for i in range(60))), "60 different", "swapped"),
        (lines(LABEL, *(f"t {i},{(1, 'good', 2.5)[i % 3]}" for i in range(60))), "words", "all as"),
        (lines("text,label,split", *(f"t {i},{i % 5},Test" for i in range(60))), "All 60", "Mark"),
        (lines(SCORE, *(f"a {i},b,3" for i in range(60))), "All 60 numbers", "differ"),
        (lines(SCORE, "a,b,3"), "only 1 review.", "at least 10"),
        (lines(LABEL, *GENRES, "one more,poem"), "only 1 review of “poem”", "leave the label out"),
    ],
)
def test_rubbish_is_refused_whatever_it_is_read_for(data, reason, remedy) -> None:
    with pytest.raises(BadInput) as refused:
        split(read_task_bytes(data, "mine.csv"))
    assert reason in refused.value.what and remedy in refused.value.remedy, str(refused.value)


def test_labels_and_splits_are_read_as_other_programs_write_them() -> None:
    """A column with gaps says 3.0 for 3, and pandas True for 1: the first became five labels of
    their own, the second none. “dev” was no part of the split, so the rows were drawn anew.
    """
    steps = read_task_bytes(lines(LABEL, *(f"text {i},{i % 5}.0" for i in range(60))), "x.csv")
    assert steps.task is FIVE_STEPS and steps.labels[:5] == [0, 1, 2, 3, 4]
    held = [f"text {i},{i % 2 == 0},{i % 3 == 0}" for i in range(60)]
    feelings = read_task_bytes(lines("text,joy,fear", *held), "x.csv")
    assert feelings.task.labels == ("joy", "fear") and feelings.targets[:2] == [[1, 1], [0, 0]]
    for label in (lambda i: i % 5, lambda i: i % 2):
        rows = [f"text {i},{label(i)},{('Train', 'dev')[i % 10 > 4]}" for i in range(60)]
        halves = split(read_task_bytes(lines("text,label,split", *rows), "x.csv"))
        assert {e.split for e in halves.validation} == {"validation"}


@pytest.mark.parametrize(
    "data",
    [
        lines(SCORE, *CATS, "a cat,a dog,999"),
        lines("text,joy,fear", *[f"t {i},{i % 2},{1 - i % 2}" for i in range(60)], "none,0,0"),
    ],
    ids=["a number far from all others", "one row without any label"],
)
def test_a_row_that_is_alone_in_its_kind_is_split_like_others(data) -> None:
    """scikit-learn refused to halve a stratum of one, and its traceback was what one saw."""
    halves = split(read_task_bytes(data, "x.csv"))
    assert len(halves.train) + len(halves.validation) == 61


def test_texts_with_different_truths_are_counted() -> None:
    rows = [f"the soup {i // 2} is so,soup,{('negative', 'positive')[i % 2]}" for i in range(8)]
    same = ["the tea is so,tea,neutral", "the tea  is so!,tea,neutral", "the tea is so,so,positive"]
    found = task_facts(read_task_bytes(lines(ASPECT, *rows, *same), "x.csv"))
    assert found.contradicting == 4 and "4 texts" in found.sentence()


def test_incomplete_rows_are_left_out_on_request() -> None:
    data = lines(SCORE, *CATS, "a cat,,3", "a cat,a dog,")
    assert len(read_task_bytes(data, "x.csv", drop_incomplete=True)) == 60


@pytest.mark.parametrize("ending", ["jsonl", "parquet"])
def test_other_formats_say_the_same(ending, tmp_path) -> None:
    table = pd.DataFrame({"text": ["a b", "c d", "e f"], "joy": [1, 0, 1], "fear": [0, 0, 2]})
    path = tmp_path / f"mine.{ending}"
    if ending == "jsonl":
        table.to_json(path, orient="records", lines=True)
    else:
        table.to_parquet(path)
    found = load_reviews(path, contrastive=False, task="")
    assert found.task.name == FEELINGS.name and found.targets == [[1, 0], [0, 0], [1, 2]]
    assert found.origin.kind == "file"


def test_the_small_sets_are_found_by_their_task_and_split_as_they_say() -> None:
    for name in SMALL_SETS:
        found = load_reviews("builtin", task=name)
        assert key_of(found.task) == name and found is small_set(name)
        halves = split(found)
        assert {e.split for e in halves.train} == {"train"}
        texts = {e.text for e in halves.train} & {e.text for e in halves.validation}
        assert not texts, "a text is learnt and asked"
    assert set(KEYS) > set(SMALL_SETS) | {SENTIMENT.name}
    with pytest.raises(BadInput, match="Bring a file of your own"):
        load_reviews("builtin", task="labels")
