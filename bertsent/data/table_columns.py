"""A table of strings in, ``Reviews`` out: which columns are read, and what their labels mean."""

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from bertsent.data.cleaning import clean_text
from bertsent.data.examples import NEGATIVE, POSITIVE, Example, Reviews
from bertsent.errors import BadInput
from bertsent.settings import LIMITS

TEXT_NAMES = ("text", "review", "sentence", "content", "comment", "body", "reviewtext", "phrase")
LABEL_NAMES = ("label", "sentiment", "target", "class", "polarity", "labels", "y")
EXTRA_NAMES = ("id", "phenomenon", "pair", "split")
LABEL_WORDS = {
    **dict.fromkeys(("0", "0.0", "negative", "neg", "false"), NEGATIVE),
    **dict.fromkeys(("1", "1.0", "positive", "pos", "true"), POSITIVE),
}
SPLIT_WORDS = {
    **dict.fromkeys(("train", "training"), "train"),
    **dict.fromkeys(("validation", "valid", "val", "dev", "development"), "validation"),
    "test": "test",
}
MISSING = ("", "nan", "null", "none", "na", "n/a", "<na>")


@dataclass(frozen=True)
class Columns:
    """Which columns are read, and which value of the label column means positive; empty for what
    their names and values say. All in lower case.
    """

    text: str = ""
    label: str = ""
    positive: str = ""

    @property
    def wanted(self) -> frozenset[str]:
        """Names of columns that may be read."""
        return frozenset((*TEXT_NAMES, *LABEL_NAMES, *EXTRA_NAMES, self.text, self.label)) - {""}

    def taken(self, names: Sequence[str]) -> tuple[str, str]:
        """The text and the label column among those names; empty where there is none."""
        text = self.text or next((name for name in TEXT_NAMES if name in names), "")
        usual = (name for name in LABEL_NAMES if name in names and name != text)
        label = self.label or next(usual, "")
        return text if text in names else "", label if label in names else ""


USUAL = Columns()


def reviews_of_table(
    table: pd.DataFrame,
    name: str,
    columns: Columns = USUAL,
    *,
    drop_incomplete: bool = False,
    need_labels: bool = True,
) -> Reviews:
    """The rows of a table of strings as reviews.

    Raises:
        BadInput: what is wrong, in which row, and how to correct it.
    """
    names = table.columns.tolist()
    found = f"(found: {', '.join(column[:30] for column in names[:8])})"
    if twice := [
        column for column in names if column in columns.wanted and names.count(column) > 1
    ]:
        raise BadInput(
            f"{name} has more than one column “{twice[0]}” {found}.",
            "Rename or delete all but one.",
        )
    text_column, label_column = columns.taken(names)
    BadInput.raise_if(
        not text_column,
        f"{name} has no text column {found}.",
        "Rename the column with the reviews to “text”.",
    )
    BadInput.raise_if(
        need_labels and not label_column,
        f"{name} has no label column {found}.",
        "Name it “label”, with 0 or negative, 1 or positive.",
    )
    labels = (
        _label_words(table[label_column], columns.positive, name)
        if label_column
        else pd.Series("", index=table.index)
    )
    table = table.assign(text=table[text_column], label=labels)
    return Reviews(name, _examples(_complete(table, name, drop_incomplete, need_labels)))


def label_values(table: pd.DataFrame, column: str) -> dict[str, int]:
    """What stands in a label column, as it is compared, and how often; the most frequent first."""
    words = table[column].str.strip().str.lower()
    counts = words[~words.isin(MISSING)].value_counts()
    return {str(word): int(count) for word, count in counts.items()}


def split_word(cell: str) -> str:
    """The name of a split as it is known here; another word as it stands."""
    return SPLIT_WORDS.get(cell.strip().lower(), cell)


def _label_words(cells: pd.Series, positive: str, name: str) -> pd.Series:
    """The label of each row as a word that ``LABEL_WORDS`` knows; ``positive`` is the value that
    means positive, the only other one means negative.
    """
    words = cells.str.strip().str.lower()
    if not positive:
        return words
    others = sorted(set(words) - {positive, *MISSING})
    BadInput.raise_if(
        len(others) != 1,
        f"The label column of {name} does not have two values, of which one is “{positive[:30]}”.",
        "Choose another column.",
    )
    return words.replace({positive: "1", others[0]: "0"})


def _complete(
    table: pd.DataFrame, name: str, drop_incomplete: bool, need_labels: bool
) -> pd.DataFrame:
    """The rows with a text and, if labels are needed, a known label."""
    without_text = table["text"].map(clean_text).eq("")
    incomplete = without_text | (table["label"].isin(MISSING) & need_labels)
    if count := 0 if drop_incomplete else int(incomplete.sum()):
        first = int(incomplete.idxmax())
        others = f", and {count - 1:,} more {'row is' if count == 2 else 'rows are'} incomplete"
        raise BadInput(
            f"Row {first + 1} of {name} has no {'text' if without_text[first] else 'label'}"
            f"{others if count > 1 else ''}.",
            "Fill it in, or leave incomplete rows out.",
        )
    table = table[~incomplete]
    BadInput.raise_if(
        table.empty,
        f"No row of {name} has both a text and a label.",
        "Add what is missing.",
    )
    lengths = table["text"].str.len()
    BadInput.raise_if(
        lengths.max() > LIMITS.row_chars,
        f"Row {lengths.idxmax() + 1} of {name} has {lengths.max():,} characters; the limit is "
        f"{LIMITS.row_chars:,}.",
        "Shorten it.",
    )
    unknown = table["label"][~table["label"].isin([*LABEL_WORDS, *MISSING])]
    if need_labels and len(unknown):
        values = ", ".join(f"“{value[:30]}”" for value in unknown.unique()[:4])
        raise BadInput(
            f"Row {unknown.index[0] + 1} of {name}: unknown label {values}.",
            "Use 0 or negative, 1 or positive.",
        )
    return table


def _examples(table: pd.DataFrame) -> tuple[Example, ...]:
    extra = table[[column for column in EXTRA_NAMES if column in table]]
    if "id" not in extra or not extra["id"].is_unique:
        extra = extra.assign(id=[f"row-{position + 1}" for position in table.index])
    if "split" in extra:
        extra = extra.assign(split=extra["split"].map(split_word))
    rows = zip(table["text"], table["label"], extra.to_dict("records"), strict=True)
    return tuple(
        Example(
            text=text,
            label=LABEL_WORDS.get(word),
            contrastive=values["id"].startswith("handcrafted-"),
            **values,
        )
        for text, word, values in rows
    )
