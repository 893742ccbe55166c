"""Somebody's CSV in, a ``Suite`` out, or one sentence that says what is wrong with it, in which
row, and how to mend it.

The columns are ``kind``, ``capability``, ``text`` and ``label``; ``base`` for INV, DIR and ORDER,
``direction`` for DIR; ``id``, ``source``
and ``pair`` if wished.
"""

import pandas as pd

from bertsent.data.tables import LABEL_WORDS, read_cells
from bertsent.errors import BadInput
from bertsent.probing.checklist.suite import TEST_TYPES, Suite, SuiteCase
from bertsent.settings import LIMITS

NEEDED, WELCOME = (
    ("kind", "capability", "text", "label"),
    ("base", "direction", "id", "source", "pair"),
)
MOST_ITEMS = 5_000
SCHEMA = {
    "kind": "MFT (find the label), INV (the change must leave the label), DIR (P must move one "
    "way) or ORDER (words shuffled)",
    "capability": "what is tested, in a word or two; rates are shown for each",
    "text": "the review, or the review after the change",
    "label": "0 or negative, 1 or positive: of the text (MFT) or of the base (all others)",
    "base": "the review before the change; empty for MFT",
    "direction": "DIR only: up or down, where P(positive) has to go",
    "id": "if wished: your name for the row",
    "source": "if wished: where it comes from; else the file and the row",
    "pair": "if wished: the same word for both sides of a minimal pair",
}
EXAMPLE = """kind,capability,text,label,base,direction
MFT,irony,"Great, another boring movie",negative,,
MFT,negation,This is not a bad film,positive,,
INV,typo,A wonderfull film,positive,A wonderful film,
DIR,praise added,A decent film. I loved it.,positive,A decent film.,up
"""


def read_suite(data: bytes, name: str) -> Suite:
    """Turn the bytes of a CSV or TSV file into a suite.

    Raises:
        BadInput: what is wrong, with the row where it is, and how to mend it.
    """
    table = read_cells(data, name)
    missing = [column for column in NEEDED if column not in table]
    if missing:
        found = ", ".join(map(str, table.columns[:8]))
        raise BadInput(
            f"{name} has no column “{missing[0]}” (found: {found}).",
            f"A suite needs {', '.join(NEEDED)}.",
        )
    twice = next(
        (column for column in (*NEEDED, *WELCOME) if list(table.columns).count(column) > 1), None
    )
    if twice is not None:
        raise BadInput(
            f"{name} has more than one column “{twice}”.", "Rename or delete all but one."
        )
    if not len(table):
        raise BadInput(f"{name} has a header but no rows.", "Add one test a row.")
    if len(table) > MOST_ITEMS:
        raise BadInput(
            f"{name} has {len(table):,} tests; the limit is {MOST_ITEMS:,}.", "Leave some out."
        )
    rows = table.reindex(columns=[*NEEDED, *WELCOME]).fillna("").map(str.strip).to_dict("records")
    items = tuple(_item(row, number, name) for number, row in enumerate(rows, start=1))
    ids = pd.Series([item.id for item in items])
    if ids.duplicated().any():
        raise BadInput(
            f"{name} has the id “{ids[ids.duplicated()].iloc[0][:40]}” twice.",
            "Give each row its own, or none.",
        )
    return Suite(name, items)


def _item(row: dict[str, str], number: int, name: str) -> SuiteCase:
    label = LABEL_WORDS.get(row["label"].lower())
    if label is None:
        raise BadInput(
            f"Row {number} of {name}: “{row['label'][:30]}” is not a label that is known.",
            "Use 0 or negative, 1 or positive.",
        )
    for column in ("text", "base"):
        if len(row[column]) > LIMITS.review_chars:
            raise BadInput(
                f"Row {number} of {name} has more than {LIMITS.review_chars:,} characters.",
                "Cut it.",
            )
    kind, base = row["kind"].upper(), row["base"]
    if kind not in TEST_TYPES:
        raise BadInput(
            f"Row {number} of {name}: “{row['kind'][:30]}” is no kind of test.",
            f"Use {', '.join(TEST_TYPES)}.",
        )
    source = row["source"] or f"{name}, row {number}"
    try:
        return SuiteCase(
            row["id"] or f"row-{number}",
            kind,
            row["capability"],
            row["text"],
            label,
            source,
            base,
            row["direction"].lower(),
            row["pair"],
        )
    except BadInput as error:
        raise BadInput(f"Row {number} of {name}: {error.what}", error.remedy) from None
