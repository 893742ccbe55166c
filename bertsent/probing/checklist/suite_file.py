"""Somebody's CSV in, a ``Suite`` out, or one sentence that says what is wrong with it, in which
row, and what to do.

The columns are ``kind``, ``capability``, ``text`` and ``label``; ``base`` for INV, DIR and ORDER,
``direction`` for DIR; ``id``, ``source`` and ``pair`` are optional.
"""

from typing import cast

from bertsent.data.tables import LABEL_WORDS, read_cells
from bertsent.errors import BadInput
from bertsent.probing.checklist.suite import Suite, SuiteCase, TestType
from bertsent.settings import LIMITS

NEEDED = ("kind", "capability", "text", "label")
COLUMNS = (*NEEDED, "base", "direction", "id", "source", "pair")
MOST_CASES = 5_000
SCHEMA = {
    "kind": "MFT (find the label), INV (the change must leave the label), DIR (P must move one "
    "way) or ORDER (words shuffled)",
    "capability": "what is tested, in a word or two; there is a failure rate for each",
    "text": "the review, or the review after the change",
    "label": "0 or negative, 1 or positive: of the text (MFT) or of the base (all others)",
    "base": "the review before the change; empty for MFT",
    "direction": "DIR only: up or down, where P(positive) has to go",
    "id": "optional: your name for the row",
    "source": "optional: where it comes from; else the file and the row",
    "pair": "optional: the same word for both sides of a minimal pair",
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
        BadInput: what is wrong, with the row where it is, and what to do.
    """
    table = read_cells(data, name)
    names = list(table.columns)
    missing = next((column for column in NEEDED if column not in names), None)
    if missing:
        raise BadInput(
            f"{name} has no column “{missing}” (found: {', '.join(map(str, names[:8]))[:200]}).",
            f"A suite needs {', '.join(NEEDED)}.",
        )
    twice = next((column for column in COLUMNS if names.count(column) > 1), None)
    if twice is not None:
        raise BadInput(
            f"{name} has more than one column “{twice}”.", "Rename or delete all but one."
        )
    if not len(table):
        raise BadInput(f"{name} has a header but no rows.", "Add one test a row.")
    if len(table) > MOST_CASES:
        raise BadInput(
            f"{name} has {len(table):,} tests; the limit is {MOST_CASES:,}.", "Leave some out."
        )
    rows = table.reindex(columns=list(COLUMNS)).fillna("").map(str.strip).to_dict("records")
    cases = tuple(_case(row, number, name) for number, row in enumerate(rows, start=1))
    ids = [case.id for case in cases]
    if len(set(ids)) < len(ids):
        again = next(each for place, each in enumerate(ids) if each in ids[:place])
        raise BadInput(
            f"{name} has the id “{again[:40]}” twice.", "Give each row its own, or none."
        )
    return Suite(name, cases)


def _case(row: dict[str, str], number: int, name: str) -> SuiteCase:
    where = f"Row {number} of {name}"
    label = LABEL_WORDS.get(row["label"].lower())
    if label is None:
        raise BadInput(
            f"{where}: “{row['label'][:30]}” is not a label that is known.",
            "Use 0 or negative, 1 or positive.",
        )
    if max(len(row["text"]), len(row["base"])) > LIMITS.review_chars:
        raise BadInput(f"{where} has more than {LIMITS.review_chars:,} characters.", "Cut it.")
    try:
        return SuiteCase(
            id=row["id"] or f"row-{number}",
            kind=cast(TestType, row["kind"].upper()),
            capability=row["capability"],
            text=row["text"],
            label=label,
            source=row["source"] or f"{name}, row {number}",
            base=row["base"],
            direction=row["direction"].lower(),
            pair=row["pair"],
        )
    except BadInput as error:
        raise BadInput(f"{where}: {error.what}", error.remedy) from None
