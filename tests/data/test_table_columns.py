"""Which columns of somebody's file are read, in every format."""

import io
from collections.abc import Callable

import pandas as pd
import pytest

from bertsent.data.facts import review_facts
from bertsent.data.table_columns import Columns
from bertsent.data.tables import column_names, read_bytes
from bertsent.errors import BadInput

TABLE = pd.DataFrame(
    {
        "Text": ["wrong one", "wrong two", "wrong three"],
        "Body ": ["a fine film", "a dull film", "no fun"],
        "Verdict": ["Good", "bad", "bad"],
        "label": ["0", "1", "1"],
    }
)


def parquet(table: pd.DataFrame) -> bytes:
    file = io.BytesIO()
    table.to_parquet(file)
    return file.getvalue()


FORMATS: dict[str, Callable[[pd.DataFrame], bytes]] = {
    "x.csv": lambda table: table.to_csv(index=False).encode(),
    "x.tsv": lambda table: table.to_csv(index=False, sep="\t").encode(),
    "x.jsonl": lambda table: table.to_json(orient="records", lines=True).encode(),
    "x.parquet": parquet,
}


@pytest.mark.parametrize("name", FORMATS)
def test_chosen_columns_are_those_that_are_read(name: str) -> None:
    data = FORMATS[name](TABLE)
    assert column_names(data, name) == ["text", "body", "verdict", "label"]
    usual = read_bytes(data, name)
    assert (usual.texts, usual.labels) == (TABLE["Text"].tolist(), [0, 1, 1])
    chosen = read_bytes(data, name, columns=Columns("body", "verdict", "good"))
    assert (chosen.texts, chosen.labels) == (TABLE["Body "].tolist(), [1, 0, 0])
    swapped = read_bytes(data, name, columns=Columns("body", "label", "0"))
    assert swapped.labels == [1, 0, 0]


def test_a_value_that_means_positive_needs_exactly_one_other() -> None:
    data = FORMATS["x.csv"](TABLE.assign(Verdict=["good", "bad", "so so"]))
    with pytest.raises(BadInput, match="does not have two values"):
        read_bytes(data, "x.csv", columns=Columns("body", "verdict", "good"))
    with pytest.raises(BadInput, match="no text column"):
        read_bytes(data, "x.csv", columns=Columns("gone", "label"))


def test_a_damaged_file_says_so_before_its_columns_are_shown() -> None:
    for name, data in (("x.parquet", b"PAR1 nothing"), ("x.jsonl", b"[1]"), ("x.csv", b"")):
        with pytest.raises(BadInput):
            column_names(data, name)


def test_facts_are_counted_by_hand() -> None:
    rows = [("A fine film", 1), ("a fine  film!", 0), ("dull", 0), ("no fun at all here", 0)]
    data = pd.DataFrame(rows, columns=["text", "label"]).to_csv(index=False).encode()
    found = review_facts(read_bytes(data, "x.csv"))
    assert (found.rows, found.positive, found.negative) == (4, 1, 3)
    assert (found.shortest, found.median, found.longest) == (1, 3, 5)
    assert (found.repeated, found.contradicting) == (1, 1)
    assert "1 positive (25.0 %)" in found.sentence()
