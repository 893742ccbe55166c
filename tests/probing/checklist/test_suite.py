"""A suite of one's own as CSV: read as it is meant, refused with the row and the way out."""

import numpy as np
import pytest

from bertsent.errors import BadInput
from bertsent.probing.checklist.suite import EXAMPLE, SCHEMA, read_suite

HEAD = "kind,capability,text,label,base,direction,id,source,pair\n"


def test_the_example_that_is_shown_works_and_the_schema_names_its_columns():
    suite = read_suite(EXAMPLE.encode(), "mine.csv")
    assert [i.kind for i in suite] == ["MFT", "MFT", "INV", "DIR"] and [i.label for i in suite] == [
        0,
        1,
        1,
        1,
    ]
    assert suite.cases[0].source == "mine.csv, row 1" and suite.cases[3].direction == "up"
    assert set(EXAMPLE.splitlines()[0].split(",")) <= set(SCHEMA)


def test_everything_that_may_be_said_is_kept():
    item = read_suite((HEAD + "mft,c,good,Positive,,,a,a book,p").encode(), "s.csv").cases[0]
    assert (item.kind, item.id, item.source, item.pair) == ("MFT", "a", "a book", "p")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty"),
        ("kind,text\nMFT,a\n", "has no column “capability”"),
        (HEAD, "has a header but no rows"),
        (
            HEAD + "XYZ,c,good,1,,,,,",
            "Row 1 of s.csv: “XYZ” is not a kind of test. Use MFT, INV, DIR, ORDER.",
        ),
        (
            HEAD + "MFT,c,good,1,,,,,\nMFT,c,good,maybe,,,,,",
            "Row 2 of s.csv: “maybe” is not a label",
        ),
        (HEAD + "MFT,c,,1,,,,,", "Row 1 of s.csv: The text, the capability or the source is empty"),
        (HEAD + "MFT,c,good,1,base,,,,", "Row 1 of s.csv: A test of kind MFT has a base"),
        (HEAD + "INV,c,good,1,,,,,", "A test of kind INV has no base"),
        (HEAD + "DIR,c,good,1,base,sideways,,,", "direction “sideways”"),
        (HEAD + "DIR,c,good,1,base,,,,", "DIR needs up or down"),
        (HEAD + "MFT,c,good,1,,,a,,\nMFT,c,bad,0,,,a,,", "has the id “a” twice"),
        (HEAD + f"MFT,c,{'x' * 5001},1,,,,,", "more than 5,000 characters"),
        ("kind,capability,text,label,text\nMFT,c,a,1,b\n", "more than one column “text”"),
        (HEAD + "MFT,c,good,1,,,,,,,,\n", "has 12 cells"),
        (HEAD + "MFT,c,<br /><p>,1,,,,,", "Row 1 of s.csv: The text, the capability or the source"),
        ("\x00\x01\x02\xff" * 50, "s.csv"),
        ('kind,capability,text,label\n"MFT,c,never closed,1\n', "s.csv"),
        (f"{'x' * 100_000}\n1\n", "has no column “kind”"),
        (HEAD + "MFT,c,good," + "9" * 5_000 + ",,,,,", "is not a label"),
    ],
)
def test_what_is_wrong_is_said_with_its_row(text, said):
    with pytest.raises(BadInput) as told:
        read_suite(text.encode(), "s.csv")
    assert said in str(told.value) and told.value.remedy


def test_too_many_and_other_files_are_refused():
    with pytest.raises(BadInput, match="the limit is 5,000"):
        read_suite((HEAD + "MFT,c,good,1,,,,,\n" * 5_001).encode(), "s.csv")
    with pytest.raises(BadInput, match="supported format"):
        read_suite(b"{}", "s.json")


@pytest.mark.parametrize("size", [1, 7, 300, 5_000])
def test_rubbish_is_refused_in_one_short_sentence(size):
    """Bytes that are no table came back as pages of a parser's own words."""
    random = np.random.default_rng(size)
    for name in ("r.csv", "r.tsv", "r.xlsx"):
        with pytest.raises(BadInput) as told:
            read_suite(random.bytes(size), name)
        assert len(str(told.value)) < 400 and "Traceback" not in str(told.value)


def test_the_texts_of_a_suite_are_clean():
    """Scorecards asked about markup that the page did not show."""
    case = read_suite(b"kind,capability,text,label\nMFT,c,a<br />b,1\n", "s.csv").cases[0]
    assert case.text == "a b"
