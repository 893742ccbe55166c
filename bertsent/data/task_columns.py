"""A table of strings in, ``Reviews`` of some task out: what its columns say the task is, and what
is wrong in which row.

Sentiment with two labels is read by ``table_columns``; here is all else: labels with other names or
more of them, a column for each of several labels, two texts, an aspect in a text.
"""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from bertsent.data.cleaning import clean_text
from bertsent.data.examples import Example, Reviews
from bertsent.data.table_columns import (
    EXTRA_NAMES,
    LABEL_NAMES,
    LABEL_WORDS,
    MISSING,
    TEXT_NAMES,
    split_word,
)
from bertsent.errors import BadInput
from bertsent.settings import LIMITS
from bertsent.tasks.catalogue import (
    ASPECTS,
    FEELINGS,
    FIVE_STEPS,
    PARAPHRASE,
    SENTIMENT,
    SIMILARITY,
)
from bertsent.tasks.masked_words import MASKED_WORDS, MaskedWords
from bertsent.tasks.task import (
    MOST_LABELS,
    OneLabel,
    Rating,
    Reads,
    SeveralLabels,
    Task,
    aspect_is_in,
)

FIRST_NAMES = ("text1", "sentence1", "question1", "text_a", "premise")
SECOND_NAMES = ("text2", "sentence2", "question2", "text_b", "hypothesis")
ASPECT_NAMES = ("aspect", "term")
SCORE_NAMES = ("score", "similarity", "relatedness")
SAME_NAMES = ("is_duplicate", "paraphrase")
FEW = 0.2  # the share of rows with other labels that is taken for mistakes
LARGEST = 1e6  # no number of a rating is larger
ROWS_OF_LABELS = 30  # in more rows than that, labels are met again
_LEVELS = {"0": 0.0, "1": 1.0, "2": 2.0, "3": 3.0, "false": 0.0, "true": 1.0}
_WHOLE = re.compile(r"(-?\d+)\.0+")  # as a table with gaps writes whole numbers
_STEPS = {"0": 0, "1": 1, "2": 2, "3": 3, "4": 4}
_WORDS = {  # what label columns say of tasks with labels of their own
    FIVE_STEPS.name: {label: step for step, label in enumerate(FIVE_STEPS.labels)} | _STEPS,
    ASPECTS.name: {
        **dict.fromkeys(("negative", "neg", "0"), 0),
        **dict.fromkeys(("neutral", "neu", "1"), 1),
        **dict.fromkeys(("positive", "pos", "2"), 2),
    },
    PARAPHRASE.name: {
        **dict.fromkeys(("0", "0.0", "different", "no", "false"), 0),
        **dict.fromkeys(("1", "1.0", "same", "yes", "true"), 1),
    },
}


class StrayLabel(BadInput):
    """A few labels are none of the task that the others are for; ``task`` is that task."""

    def __init__(self, task: OneLabel, what: str, remedy: str) -> None:
        super().__init__(what, remedy)
        self.task = task


@dataclass(frozen=True)
class TaskColumns:
    """What the columns of a table say: the task, and which column holds what; "" for none."""

    task: Task
    text: str
    second: str = ""
    label: str = ""
    flags: tuple[str, ...] = ()  # the column of each of several labels

    def sentence(self) -> str:
        """What was understood, for a person to correct."""
        reads = {
            "text": f"“{self.text}”",
            "two texts": f"“{self.text}” and “{self.second}”",
            "aspect": f"“{self.second}” in “{self.text}”",
        }[self.task.reads]
        if isinstance(self.task, MaskedWords):
            return f"{self.task.title}: of the texts in {reads}, whatever else the file says."
        if self.flags:
            gives = f"whether each of {len(self.flags)} labels holds"
        elif isinstance(self.task, Rating):
            gives = f"a number from {self.task.low:g} to {self.task.high:g} (“{self.label}”)"
        else:
            gives = f"one of {self.task.outputs} labels (“{self.label}”)"
        return f"{self.task.title}: the model reads {reads} and says {gives}."


def understand(table: pd.DataFrame, name: str) -> TaskColumns:
    """The task that the columns of a table and the values in them are for.

    Raises:
        BadInput: no task has such columns; the text says which columns are missing.
    """
    names = [str(column) for column in table.columns]
    text, second = first_of(FIRST_NAMES, names), first_of(SECOND_NAMES, names)
    if text and second:
        return _of_two_texts(table, name, text, second)
    text = first_of(TEXT_NAMES, names)
    BadInput.raise_if(
        not text,
        f"{name} has no text column (found: {', '.join(each[:30] for each in names[:8])}).",
        "Call it “text”, or “text1” and “text2”.",
    )
    label, aspect = first_of((*LABEL_NAMES, *SCORE_NAMES), names), first_of(ASPECT_NAMES, names)
    if aspect and label:
        return TaskColumns(_labelled(table[label], name, ASPECTS), text, aspect, label)
    if label in SCORE_NAMES and len(_values(table[label])) > MOST_LABELS:
        return TaskColumns(rating_of(table[label], name, reads="text"), text, label=label)
    if label:
        return TaskColumns(_labelled(table[label], name, SENTIMENT, FIVE_STEPS), text, label=label)
    if not set(names) - {text, *EXTRA_NAMES}:
        return TaskColumns(MASKED_WORDS, text)  # nothing is said of the texts
    flags = checked_flags(table, name, text)
    BadInput.raise_if(
        len(flags) < 2,
        f"{name} has no label column.",
        "Call it “label”; for several labels at once, give each a column of 0 and 1.",
    )
    if set(flags) <= {*FEELINGS.labels}:
        return TaskColumns(replace(FEELINGS, labels=flags), text, flags=flags)
    task = SeveralLabels("several", f"Several of {len(flags)} labels", labels=flags)
    return TaskColumns(task, text, flags=flags)


def likely_task(table: pd.DataFrame, name: str) -> Task | None:
    """What a table is probably for, however much is wrong with its rows; None where nothing says
    it.
    """
    try:
        return understand(table, name).task
    except StrayLabel as error:
        return error.task
    except BadInput:
        return None


def reviews_of_task(
    table: pd.DataFrame, name: str, columns: TaskColumns, *, drop_incomplete: bool = False
) -> Reviews:
    """The rows of a table of strings as reviews for the task of ``columns``.

    Args:
        table: as ``tables.read_table`` gives it.
        name: of the file, for messages.
        columns: the task and where it stands.
        drop_incomplete: leave out rows that lack something instead of refusing the file.

    Raises:
        BadInput: what is wrong, in which row, and how to correct it.
    """
    missing = [c for c in (columns.text, columns.second, columns.label, *columns.flags) if c]
    if gone := [column for column in missing if column not in table]:
        raise BadInput(f"{name} has no column “{gone[0][:30]}”.", "Choose another one.")
    read = _reader(table, columns)
    extra = [column for column in EXTRA_NAMES if column in table]
    has_ids = "id" in extra and table["id"].is_unique
    examples = []
    for row, values in enumerate(table.to_dict("records"), start=1):
        try:
            example = _example(values, columns, read)
        except _Flaw as flaw:
            if drop_incomplete and flaw.incomplete:
                continue
            raise BadInput(f"Row {row} of {name} {flaw.what}.", flaw.remedy) from None
        further = {column: values[column] for column in extra}
        further |= {"split": split_word(values["split"])} if "split" in extra else {}
        further["id"] = further["id"] if has_ids else f"row-{row}"
        examples.append(replace(example, **further))
    BadInput.raise_if(not examples, f"No row of {name} is complete.", "Add what is missing.")
    return Reviews(name, tuple(examples), task=columns.task)


class _Flaw(Exception):
    """What is wrong with one row; an incomplete one may be left out."""

    def __init__(self, what: str, remedy: str, *, incomplete: bool = False) -> None:
        self.what, self.remedy, self.incomplete = what, remedy, incomplete


_Read = Callable[[dict[str, Any]], dict[str, Any]]


def _example(values: dict[str, Any], columns: TaskColumns, read: _Read) -> Example:
    text = _readable(values[columns.text], "text")
    if columns.task.reads == "text":
        return Example("", text, **read(values))
    second = _readable(
        values[columns.second], "aspect" if columns.task.reads == "aspect" else "second text"
    )
    if columns.task.reads == "aspect" and not aspect_is_in(second, text):
        raise _Flaw(
            f"has the aspect “{second[:30]}”, which is not in its text",
            "Write it as it stands in the text.",
        )
    return Example("", text, second=second, **read(values))


def _readable(cell: str, what: str) -> str:
    text = clean_text(cell)
    if not text:
        raise _Flaw(f"has no {what}", "Fill it in, or leave incomplete rows out.", incomplete=True)
    if len(text) > LIMITS.row_chars:
        raise _Flaw(
            f"has {len(text):,} characters; the limit is {LIMITS.row_chars:,}", "Shorten it."
        )
    return text


def _reader(table: pd.DataFrame, columns: TaskColumns) -> _Read:
    """What reads the label or the scores of a row."""
    task, label, flags = columns.task, columns.label, columns.flags
    if not label and not flags:
        return lambda row: {}
    if isinstance(task, OneLabel):
        words = _words_of(task, _values(table[label]))
        return lambda row: {"label": _label(row[label], words, task)}
    if isinstance(task, Rating):
        return lambda row: {"scores": (_number(row[label], task.low, task.high, label),)}
    return lambda row: {"scores": tuple(_level(row[name], name) for name in flags)}


def _words_of(task: OneLabel, values: set[str]) -> dict[str, int]:
    """What the words of a label column stand for; five steps may be counted from 0 or from 1."""
    if task.name == SENTIMENT.name:
        return LABEL_WORDS
    if task.name == FIVE_STEPS.name and "5" in values and "0" not in values:
        return {**_WORDS[task.name], **{str(step + 1): step for step in range(5)}}
    return _WORDS.get(task.name) or {_word(label): n for n, label in enumerate(task.labels)}


def _label(cell: str, words: dict[str, int], task: Task) -> int:
    word = _word(cell)
    if word in MISSING:
        raise _Flaw("has no label", "Fill it in, or leave incomplete rows out.", incomplete=True)
    if word not in words:
        known = ", ".join(task.output_names[:8])
        raise _Flaw(f"has the unknown label “{cell.strip()[:30]}”", f"Use one of {known}.")
    return words[word]


def _level(cell: str, column: str) -> float:
    """Whether a label holds, and how strongly."""
    level = _LEVELS.get(_word(cell))
    return _number(cell, 0, 3, column) if level is None else level


def _number(cell: str, low: float, high: float, column: str) -> float:
    between = f"Write a number from {low:g} to {high:g}."
    if cell.strip().lower() in ("", "na", "n/a", "<na>", "none", "null"):
        raise _Flaw(f"has no number in “{column[:30]}”", between, incomplete=True)
    try:
        number = float(cell)
    except ValueError:
        number = math.nan
    if not low <= number <= high:  # NaN is not
        raise _Flaw(f"has “{cell.strip()[:30]}” in “{column[:30]}”", between)
    return number


def _of_two_texts(table: pd.DataFrame, name: str, text: str, second: str) -> TaskColumns:
    names = [str(column) for column in table.columns]
    if score := first_of(SCORE_NAMES, names):
        return TaskColumns(rating_of(table[score], name, reads="two texts"), text, second, score)
    label = first_of((*LABEL_NAMES, *SAME_NAMES), names)
    BadInput.raise_if(
        not label,
        f"{name} has two texts and nothing that is true of them.",
        "Add a column “label” (0 different, 1 same) or “score” (0 to 5).",
    )
    return TaskColumns(_labelled(table[label], name, PARAPHRASE), text, second, label)


def _labelled(cells: pd.Series, name: str, *known: OneLabel) -> OneLabel:
    """The first known task whose labels these are; else one with the labels that there are."""
    values = _values(cells)
    for task in known:
        words = _words_of(task, values)
        ends = {word for word, place in words.items() if place == task.outputs - 1}
        if values <= words.keys() and values & ends:  # 0, 1 and 2 alone are not five steps
            return task
    for task in known:
        _check_near_miss(cells, name, task)
    return own_labels(cells, name, known[0].reads)


def _check_near_miss(cells: pd.Series, name: str, task: OneLabel) -> None:
    """Refuse a few labels that are none of the task's, among words that are.

    Raises:
        StrayLabel: there are such; the text names the first.
    """
    words = cells.map(_word)
    given = words[~words.isin(MISSING)]
    known = {word for word in _words_of(task, set(given)) if not word[:1].isdigit()}
    others = given[~given.isin(known)]
    if len(set(given) & known) < task.outputs or not 0 < len(others) <= FEW * len(given):
        return
    raise StrayLabel(
        task,
        f"Row {others.index[0] + 1} of {name} has the label “{others.iloc[0][:30]}”, which is none "
        f"of {', '.join(task.labels)}.",
        "Correct it; if it is a label as well, choose labels of your own.",
    )


def own_labels(cells: pd.Series, name: str, reads: Reads) -> OneLabel:
    """The task of giving one of the labels that stand in a column: steps where they are whole
    numbers, or negative, neutral and positive.

    Raises:
        BadInput: there are fewer than two, too many to be labels, or numbers among words.
    """
    values = _values(cells)
    found = f"The label column of {name} has {len(values):,} different values"
    BadInput.raise_if(len(values) < 2, f"{found}.", "Training needs at least two labels.")
    BadInput.raise_if(
        len(values) > len(cells) / 2 and len(cells) > ROWS_OF_LABELS,
        f"{found} in {len(cells):,} rows.",
        "Labels repeat: see whether its columns are swapped, or use a column “score” for numbers.",
    )
    BadInput.raise_if(
        len(values) > MOST_LABELS,
        f"{found}.",
        f"Use at most {MOST_LABELS} labels, or a column “score” for numbers.",
    )
    numbers = pd.to_numeric(pd.Series(sorted(values)), errors="coerce").notna()
    BadInput.raise_if(
        numbers.any() and not numbers.all(),
        f"The label column of {name} has numbers and words: {', '.join(sorted(values))[:80]}.",
        "Write all labels as words, or all as numbers.",
    )
    whole = all(value.lstrip("-").isdecimal() for value in values)
    labels = sorted(values, key=int) if whole else sorted(values)
    title = f"One of {len(labels)} labels"
    ordered = whole or labels == [*ASPECTS.labels]
    return OneLabel("labels", title, reads, tuple(labels), ordered=ordered)


def rating_of(cells: pd.Series, name: str, *, reads: Any) -> Rating:
    """The rating whose range the numbers of a column fill: to 1, 5, 10 or 100.

    Raises:
        BadInput: there are no numbers, or one that is too large.
    """
    numbers = pd.to_numeric(cells, errors="coerce").dropna()
    BadInput.raise_if(
        numbers.empty,
        f"The score column of {name} has no numbers.",
        "Write one in each row, such as 3 or 3.5.",
    )
    if len(large := numbers[numbers.abs() >= LARGEST]):
        raise BadInput(
            f"Row {large.index[0] + 1} of {name} has the score “{cells[large.index[0]][:30]}”.",
            f"Correct it: scores are smaller than {LARGEST:,.0f}.",
        )
    high = next((top for top in (1, 5, 10, 100) if numbers.max() <= top), float(numbers.max()))
    low = min(0.0, float(numbers.min()))
    if reads == "two texts" and (low, high) == (SIMILARITY.low, SIMILARITY.high):
        return SIMILARITY
    return Rating("rating", "A number", reads, low=low, high=float(high), measure="score")


def flag_columns(table: pd.DataFrame, text: str) -> tuple[str, ...]:
    """The columns of 0 and 1 alone, or of false and true; of 0 to 3 where labels have an
    intensity.
    """
    others = [column for column in table.columns if column not in (text, *EXTRA_NAMES)]
    return tuple(c for c in others if set() < _values(table[c]) <= {*_LEVELS})[:MOST_LABELS]


def checked_flags(table: pd.DataFrame, name: str, text: str) -> tuple[str, ...]:
    """``flag_columns``, after a look for columns that would be one but for a few rows.

    Raises:
        BadInput: there is such a column; the text names its first odd row.
    """
    flags = flag_columns(table, text)
    for column in table.columns.difference([text, *EXTRA_NAMES, *flags]) if flags else ():
        words = table[column].map(_word)
        odd = words[~words.isin([*_LEVELS, *MISSING])]
        if 0 < len(odd) <= FEW * len(words) / 2:
            raise BadInput(
                f"Row {odd.index[0] + 1} of {name} has “{odd.iloc[0][:30]}” in “{column[:30]}”, "
                "which else says with 0 and 1 whether a label holds.",
                "Correct it, or leave that column out.",
            )
    return flags


def _values(cells: pd.Series) -> set[str]:
    return set(cells.map(_word)) - {*MISSING}


def _word(cell: str) -> str:
    word = cell.strip().lower()
    whole = _WHOLE.fullmatch(word)
    return whole[1] if whole else word


def first_of(wanted: Sequence[str], names: Sequence[str]) -> str:
    """The first of some names that is among others; empty where none is."""
    return next((name for name in wanted if name in names), "")
