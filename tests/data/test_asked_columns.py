"""Files that are read for a task that somebody asked for: what becomes of them, and what is wrong
in which row.
"""

import pandas as pd
import pytest

from bertsent.data.asked_columns import KEYS, AskedColumns, key_of
from bertsent.data.sources import load_reviews
from bertsent.data.splits import split
from bertsent.data.task_columns import likely_task
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
        (FEELINGS, lines("text,joy,fear", *FEELS, "a,1,7"), "1 label columns", "0 and 1"),
        (PARAPHRASE, lines(LABEL, *STEPS), "no column for the second", "what else it shall learn"),
        (ASPECTS, lines(LABEL, *STEPS), "no column for the aspect", "Choose another column"),
        (FIVE_STEPS, lines("text,label,split", *SPLIT), "only 0 reviews of “very pos", "five of"),
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
