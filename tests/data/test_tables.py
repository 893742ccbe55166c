"""Files that people bring: good ones in every format read the same, bad ones are refused in one
sentence that helps.
"""

import dataclasses
import gzip
import io
import json
import pickle
import tracemalloc
import zipfile

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bertsent.data import tables
from bertsent.data.cleaning import clean_text
from bertsent.data.splits import split
from bertsent.data.tables import read_bytes, read_file
from bertsent.errors import BadInput, NotAvailable
from bertsent.settings import LIMITS

GOOD = pd.DataFrame(
    {
        "id": ["r1", "r2", "r3"],
        "text": ['A "great", warm film', "Dull;\tand\nlong", "Über\u2028witzig 😀"],
        "label": [1, 0, 1],
        "phenomenon": ["plain", "", "quoted"],
        "pair": ["p1", "p1", ""],
        "split": ["train", "train", "test"],
    }
)
QUOTES = (
    "Put texts with commas, quotes or line breaks in double quotes, and double the quotes "
    "inside them."
)
NO_TEXT_FILE = (
    "r.csv is not a text file. Use one of .csv, .tsv, .jsonl, .parquet. The ending must match the "
    "content."
)
NO_PARQUET = "r.parquet is not a readable Parquet file. Save it again, for example with pandas."
NO_OBJECT = 'of r.jsonl is not a JSON object. Write one {"text": …, "label": …} per line.'
ONE_EACH = "Write one text and one label per row."
NAME_IT = "Rename the column with the reviews to “text”."
FILL = "Fill it in, or leave incomplete rows out."


def encoded(table, ending):
    if ending == ".parquet":
        return parquet(table)
    if ending == ".jsonl":
        return "\n".join(
            json.dumps(row, ensure_ascii=False) for row in table.to_dict("records")
        ).encode()
    return table.to_csv(index=False, sep="\t" if ending == ".tsv" else ",").encode()


def parquet(table):
    buffer = io.BytesIO()
    table = (
        table if isinstance(table, pa.Table) else pa.Table.from_pandas(table, preserve_index=False)
    )
    pq.write_table(table, buffer)
    return buffer.getvalue()


def zipped():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("reviews.csv", "text,label\ngood,1\n")
    return buffer.getvalue()


def refusal(data, name="r.csv", **options):
    with pytest.raises(BadInput) as error:
        read_bytes(data, name, **options)
    assert error.value.what and error.value.remedy, "says what happened and what to do"
    return str(error.value)


# Good files


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".jsonl", ".parquet"])
def test_all_four_formats_give_the_same_reviews(ending):
    reviews = read_bytes(encoded(GOOD, ending), f"r{ending}")
    assert reviews.name == f"r{ending}"
    assert [dataclasses.astuple(e)[:6] for e in reviews] == [
        tuple(row) for row in GOOD.assign(text=GOOD["text"].map(clean_text)).itertuples(index=False)
    ]
    assert reviews.sha256 == read_bytes(encoded(GOOD, ".csv"), "other.csv").sha256


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".jsonl", ".parquet"])
def test_a_file_on_disk_reads_like_its_bytes(ending, tmp_path):
    path = tmp_path / f"mine{ending}"
    path.write_bytes(encoded(GOOD, ending))
    assert read_file(path) == read_bytes(path.read_bytes(), path.name)


@pytest.mark.parametrize(
    ("word", "label"),
    [
        ("0", 0),
        ("0.0", 0),
        ("neg", 0),
        ("Negative", 0),
        ("False", 0),
        ("1", 1),
        ("1.0", 1),
        ("pos", 1),
        (" POSITIVE ", 1),
        ("true", 1),
    ],
)
def test_labels_in_words_and_numbers(word, label):
    assert read_bytes(f"text,label\ngood,{word}\n".encode(), "r.csv").labels == [label]


@pytest.mark.parametrize(
    "labels",
    [
        [True, False],
        [1.0, 0.0],
        pd.array([1, 0], dtype="Int8"),
        pd.Categorical(["pos", "neg"]),
        ["1", "0"],
    ],
)
@pytest.mark.parametrize("ending", [".jsonl", ".parquet"])
def test_labels_of_every_type(labels, ending):
    table = pd.DataFrame({"text": ["good", "bad"], "label": labels})
    assert read_bytes(encoded(table, ending), f"r{ending}").labels == [1, 0]


@pytest.mark.parametrize(
    "data",
    [
        b"text,label\ngood,1\nbad,0\n",
        b"\xef\xbb\xbftext,label\ngood,1\nbad,0\n",  # as spreadsheets save UTF-8
        b"text;label\ngood;1\nbad;0\n",  # as German spreadsheets do
        b"text\tlabel\ngood\t1\nbad\t0\n",
        b"text,label\r\ngood,1\r\nbad,0\r\n",
        b"text,label\rgood,1\rbad,0\r",
        b"\n\ntext,label\n\ngood,1\n\nbad,0\n\n",
        b'"text","label"\n"good","1"\n"bad","0"',
        b" Text , LABEL \ngood,1\nbad,0\n",
        b"Review,Sentiment\ngood,positive\nbad,negative\n",
        b"label,stars,text,\n1,5,good,\n0,1,bad,\n",
    ],
)
def test_csv_as_different_programs_write_it(data):
    reviews = read_bytes(data, "r.csv")
    assert list(zip(reviews.texts, reviews.labels, strict=True)) == [("good", 1), ("bad", 0)]


def test_numbers_are_texts_too():
    for ending in (".csv", ".jsonl", ".parquet"):
        table = pd.DataFrame({"text": [5, 12], "label": [0, 1]})
        assert read_bytes(encoded(table, ending), f"r{ending}").texts == ["5", "12"]


def test_words_that_look_like_missing_values_are_still_texts():
    assert read_bytes(b"text,label\nNaN,1\nnull,0\n", "r.csv").texts == ["NaN", "null"]


def test_labels_are_not_needed_where_nothing_is_learned():
    assert read_bytes(b"text\nhello\n", "r.csv", need_labels=False).labels == [None]
    assert read_bytes(b"text,label\nhello,\nbye,1\n", "r.csv", need_labels=False).labels == [
        None,
        1,
    ]


def test_incomplete_rows_are_left_out_on_request_and_keep_their_numbers():
    reviews = read_bytes(b"text,label\n,1\ngood,1\nbad,\nbad,0\n", "r.csv", drop_incomplete=True)
    assert [(e.id, e.text, e.label) for e in reviews] == [("row-2", "good", 1), ("row-4", "bad", 0)]
    assert (
        refusal(b"text,label\n,\nbad,\n", drop_incomplete=True)
        == "No row of r.csv has both a text and a label. Add what is missing."
    )


def test_ids_that_do_not_tell_rows_apart_are_replaced():
    assert [e.id for e in read_bytes(b"id,text,label\nx,a,1\nx,b,0\n", "r.csv")] == [
        "row-1",
        "row-2",
    ]


def test_half_surrogates_from_json_do_not_reach_the_tokenizer():
    """JSON may hold half of an emoji; the tokenizer and every file writer raised
    ``UnicodeEncodeError`` on it.
    """
    assert read_bytes(b'{"text": "good \\ud83d film", "label": 1}', "r.jsonl").texts == [
        "good ? film"
    ]


def test_parquet_with_bytes_instead_of_text():
    """Older tools write text columns without saying that they are text; they read as "b'good'"."""
    assert read_bytes(
        parquet(pd.DataFrame({"text": ["gut, ähm".encode()], "label": [1]})), "r.parquet"
    ).texts == ["gut, ähm"]


def test_only_what_is_needed_is_taken_from_wide_files():
    wide = {f"column {n}": [[n]] for n in range(2_000)}
    data = parquet(pa.table({**wide, "text": ["good"], "label": [1]}))
    assert read_bytes(data, "r.parquet").texts == ["good"]
    row = json.dumps({**{k: v[0] for k, v in wide.items()}, "text": "good", "label": 1}).encode()
    assert read_bytes(row, "r.jsonl").texts == ["good"]


# Bad files


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "r.csv is empty. Choose a file with a header and one review per row."),
        (b" \n\r\n", "r.csv is empty. Choose a file with a header and one review per row."),
        (b"text,label\n", "r.csv has a header but no rows. Add one review per row."),
        (
            b"comment_id,stars\n1,5\n",
            "r.csv has no text column (found: comment_id, stars). Rename the column with the "
            "reviews to “text”.",
        ),
        (
            b"text\ngood\n",
            "r.csv has no label column (found: text). Name it “label”, with 0 or negative, 1 or "
            "positive.",
        ),
        (b"text,label\ngood,1\n,0\n", f"Row 2 of r.csv has no text. {FILL}"),
        (b"text,label\ngood,1\n   ,0\n", f"Row 2 of r.csv has no text. {FILL}"),
        (b"text,label\ngood,1\nbad,\n", f"Row 2 of r.csv has no label. {FILL}"),
        (
            b"text,label\ngood,1\nbad,NaN\nx,\n",
            f"Row 2 of r.csv has no label, and 1 more row is incomplete. {FILL}",
        ),
        (
            b"text,label\ngood,1\nbad\n,0\nx,N/A\n",
            f"Row 2 of r.csv has no label, and 2 more rows are incomplete. {FILL}",
        ),
        (
            b"text,label\ngood,1\nbad,4 stars\n",
            "Row 2 of r.csv: unknown label “4 stars”. Use 0 or negative, 1 or positive.",
        ),
        (
            b"text,label\ngood,2\nbad,-1\n",
            "Row 1 of r.csv: unknown label “2”, “-1”. Use 0 or negative, 1 or positive.",
        ),
        (
            b"text,label\ngood,1\nbad, film,0\n",
            f"Line 3 of r.csv has 3 cells, but the header has 2. {QUOTES}",
        ),
        (
            b'text,label\ngood,1\n"bad film,0\nx,1\n',
            f"r.csv opens a quote in row 2 and never closes it. {QUOTES}",
        ),
        (
            b"text,text,label\na,b,1\n",
            "r.csv has more than one column “text” (found: text, text, label). Rename or delete "
            "all but one.",
        ),
        (
            b"text,Label,label\na,1,0\n",
            "r.csv has more than one column “label” (found: text, label, label). Rename or delete "
            "all but one.",
        ),
        (
            "text,label\nok,1\n".encode("utf-16"),
            "r.csv is in UTF-16. Save it as UTF-8 (in a spreadsheet: “CSV UTF-8”).",
        ),
        ("text,label\nok,1\n".encode("utf-16-be"), NO_TEXT_FILE),
        (
            "text,label\nok,1\ncafé,1\n".encode("latin-1"),
            "r.csv is not UTF-8 (line 3). Save it as UTF-8 (in a spreadsheet: “CSV UTF-8”).",
        ),
        (b"text,label\ngo\x00od,1\n", NO_TEXT_FILE),
        (
            b"text,label\n" + b"good film,1\n" * 6_000 + b"b\x00d,0\n",
            NO_TEXT_FILE,
        ),  # beyond the first 64 KiB
        (zipped(), NO_TEXT_FILE),
        (gzip.compress(b"text,label\ngood,1\n"), NO_TEXT_FILE),
        (parquet(GOOD), NO_TEXT_FILE),
        *(
            (pickle.dumps(GOOD.to_dict(), protocol=p), NO_TEXT_FILE)
            for p in range(1, pickle.HIGHEST_PROTOCOL + 1)
        ),
        (
            b",".join(b"c%d" % n for n in range(10_000)) + b"\n1\n",
            "r.csv has more than 1,000 columns. Keep only the text and the label.",
        ),
        (
            b"text,label\n" + b"x" * 100_001 + b",1\n",
            "Row 1 of r.csv has 100,001 characters; the limit is 100,000. Shorten it.",
        ),
    ],
    ids=lambda value: (
        "bytes" if isinstance(value, bytes) else None
    ),  # an archive holds the second in which it was made
)
def test_bad_csv(data, sentence):
    assert refusal(data) == sentence


def test_a_comma_too_many_in_every_row_is_noticed():
    """pandas took the first cell of each row for an index: “good” was lost and “ film” learned,
    without a word.
    """
    assert (
        refusal(b"text,label\ngood, film,1\nbad, film,0\n")
        == f"Line 2 of r.csv has 3 cells, but the header has 2. {QUOTES}"
    )
    assert refusal(b"\n\ntext,label\ngood, film,1\n").startswith("Line 4 of r.csv has 3 cells"), (
        "as an editor counts"
    )
    assert (
        refusal(b"text\nhello, you\n", need_labels=False)
        == f"Line 2 of r.csv has 2 cells, but the header has 1. {QUOTES}"
    )


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b'{"text": "good", "label": 1}\n\n{"text": "bad", label: 0}\n', f"Line 3 {NO_OBJECT}"),
        (b'{"text": "good", "label": 1}\n["bad", 0]\n', f"Line 2 {NO_OBJECT}"),
        (b'[\n{"text": "good", "label": 1}]\n', f"Line 1 {NO_OBJECT}"),
        (b'{"text": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", f"Line 1 {NO_OBJECT}"),
        (b'{"a": ' * 100_000 + b"1" + b"}" * 100_000, f"Line 1 {NO_OBJECT}"),
        (b'{"text": ' + b"1" * 5_000 + b"}", f"Line 1 {NO_OBJECT}"),
        (
            b'{"text": ["good"], "label": 1}',
            f"Row 1 of r.jsonl contains a list or an object. {ONE_EACH}",
        ),
        (b'{"text": "good", "label": null}', f"Row 1 of r.jsonl has no label. {FILL}"),
        (b'{"text": "good", "label": NaN}', f"Row 1 of r.jsonl has no label. {FILL}"),
        (b'{"text": "good", "label": 1}\n{"label": 1}', f"Row 2 of r.jsonl has no text. {FILL}"),
        (
            b'{"words": "good", "stars": 1}',
            "r.jsonl has no text column (found: words, stars). Rename the column with the "
            "reviews to “text”.",
        ),
        (
            b'{"text": "caf\xe9", "label": 1}',
            "r.jsonl is not UTF-8 (line 1). Save it as UTF-8 (in a spreadsheet: “CSV UTF-8”).",
        ),
    ],
)
def test_bad_json_lines(data, sentence):
    assert refusal(data, "r.jsonl") == sentence


def corrupted():
    data = bytearray(
        parquet(
            pd.DataFrame({"text": [f"review {n} " * 20 for n in range(500)], "label": [1] * 500})
        )
    )
    data[100:400] = bytes(byte ^ 0x5A for byte in data[100:400])
    return bytes(data)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (parquet(GOOD)[:-40], NO_PARQUET),
        (parquet(GOOD)[:40], NO_PARQUET),
        (b"text,label\ngood,1\n", NO_PARQUET),
        (corrupted(), NO_PARQUET),
        (parquet(GOOD[:0]), "r.parquet has a header but no rows. Add one review per row."),
        (
            parquet(pd.DataFrame({"x": ["a"], "stars": [[1]]})),
            f"r.parquet has no text column (found: x, stars). {NAME_IT}",
        ),
        (
            parquet(pd.DataFrame({"text": ["good", None], "label": [1, 0]})),
            f"Row 2 of r.parquet has no text. {FILL}",
        ),
        (
            parquet(pd.DataFrame({"text": ["good", "bad"], "label": [1, None]})),
            f"Row 2 of r.parquet has no label. {FILL}",
        ),
        (
            parquet(pd.DataFrame({"text": [["good"]], "label": [1]})),
            f"The column “text” of r.parquet contains lists or binary data. {ONE_EACH}",
        ),
        (
            parquet(
                pa.Table.from_arrays(
                    [pa.array(["a"]), pa.array(["b"]), pa.array([1])],
                    names=["text", "text", "label"],
                )
            ),
            "r.parquet has more than one column “text” (found: text, text, label). Rename or "
            "delete all but one.",
        ),
    ],
)
def test_bad_parquet(data, sentence):
    assert refusal(data, "r.parquet") == sentence


@pytest.mark.parametrize("labels", ["1111111111", "0000000000"])
def test_one_class_cannot_be_learned_from(labels):
    rows = "".join(f"review {n},{label}\n" for n, label in enumerate(labels))
    with pytest.raises(BadInput) as error:
        split(read_bytes(f"text,label\n{rows}".encode(), "r.csv"))
    only = "positive" if labels[0] == "1" else "negative"
    assert str(error.value) == f"All 10 reviews of r.csv are {only}. Training needs both classes."


# Files that are too much


def test_too_many_bytes(tmp_path):
    size = LIMITS.upload_bytes + 1
    sentence = "r.csv has 50.0 MB; the limit is 50 MB. Use a sample of its rows."
    assert refusal(b"x" * size) == sentence
    path = tmp_path / "r.csv"
    with path.open("wb") as file:
        file.truncate(size)
    with pytest.raises(BadInput) as error:
        read_file(path)
    assert str(error.value) == sentence


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".parquet"])
def test_too_many_rows(ending):
    rows = LIMITS.rows + 1
    data = {
        ".csv": lambda: b"text,label\n" + b"a,1\n" * rows,
        ".jsonl": lambda: b'{"text":"a","label":1}\n' * rows,
        ".parquet": lambda: parquet(
            pa.table({"text": pa.array(["a"] * rows), "label": pa.array([1] * rows)})
        ),
    }[ending]()
    assert (
        refusal(data, f"r{ending}")
        == f"r{ending} has more than 100,000 rows, the limit. Use a sample of its rows."
    )


def test_as_many_rows_as_allowed(monkeypatch):
    monkeypatch.setattr(tables, "LIMITS", dataclasses.replace(LIMITS, rows=3))
    assert len(read_bytes(b"text,label\na,1\nb,0\nc,1\n", "r.csv")) == 3
    assert "more than 3 rows" in refusal(b"text,label\na,1\nb,0\nc,1\nd,0\n")
    assert len(read_bytes(b'{"text":"a","label":1}\n' * 3, "r.jsonl")) == 3
    assert "more than 3 rows" in refusal(b'{"text":"a","label":1}\n' * 4, "r.jsonl")


def test_small_files_that_would_unpack_to_gigabytes_are_refused_before_they_do():
    """5 KB of Parquet held 9 GB of text, and a JSON file with a new key in each row made a table of
    rows times rows.
    """
    repeated = pa.DictionaryArray.from_arrays(
        pa.array([0] * 50_000, pa.int32()), pa.array(["x" * 90_000])
    )
    bomb = parquet(pa.table({"text": repeated, "label": pa.array([1] * 50_000)}))
    keys = b"\n".join(b'{"key%d":1}' % n for n in range(20_000))
    assert len(bomb) < 100_000
    arrow = pa.default_memory_pool().max_memory()
    tracemalloc.start()
    assert (
        refusal(bomb, "r.parquet")
        == "r.parquet unpacks to more than 200 MB. Use a sample of its rows."
    )
    assert refusal(keys, "r.jsonl").startswith("r.jsonl has no text column (found: key0).")
    assert (
        refusal(b"," * 2_000_000)
        == "r.csv has more than 1,000 columns. Keep only the text and the label."
    )
    assert tracemalloc.get_traced_memory()[1] < 60e6
    tracemalloc.stop()
    assert pa.default_memory_pool().max_memory() - arrow < 60e6


# Names


@pytest.mark.parametrize(
    "name",
    [
        "../../evil.csv",
        "C:\\x.csv",
        "CON.csv",
        "/etc/passwd.csv",
        "a\x00b.csv",
        "n" * 300 + ".csv",
        "<b>x</b>.csv",
    ],
)
def test_a_name_is_shown_and_never_used_as_a_path(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(
        "pathlib.Path.open", lambda *_: pytest.fail("opened a path that somebody else named")
    )
    monkeypatch.setattr(
        "pathlib.Path.stat", lambda *_: pytest.fail("looked at a path that somebody else named")
    )
    reviews = read_bytes(b"text,label\ngood,1\n", name)
    assert (reviews.name, reviews.texts) == (name, ["good"])
    assert refusal(b"a,b\n1,2\n", name).startswith(f"{name} has no text column")


@pytest.mark.parametrize(
    "name", ["reviews", "reviews.xlsx", "model.bin", "x.csv.zip", ".csv", "x.pkl"]
)
def test_other_endings_are_refused_unread(name):
    expected = f"{name} is not in a supported format. Use one of .csv, .tsv, .jsonl, .parquet."
    assert refusal(b"text,label\ngood,1\n", name) == expected


def test_files_that_are_not_there(tmp_path):
    """A name of 300 characters is an ``OSError`` of its own, which came through as it was."""
    for path in (tmp_path / "none.csv", tmp_path, tmp_path / ("n" * 300 + ".csv")):
        with pytest.raises(NotAvailable, match="^There is no file .* Check the path.$"):
            read_file(path)


def test_column_names_are_shortened_in_messages():
    assert len(refusal(b"x" * 1_000_000 + b",y\n1,2\n")) < 200


def test_labels_that_nobody_needs_may_be_anything() -> None:
    reviews = read_bytes(b"text,label\nfine,4 stars\n", "x.csv", need_labels=False)
    assert reviews.labels == [None]


@pytest.mark.parametrize(
    "error", [MemoryError(), ValueError("Error tokenizing data. C error: out of memory")]
)
@pytest.mark.parametrize("read", [read_bytes, tables.read_cells])
def test_a_table_that_does_not_fit_into_memory_says_so(read, error, monkeypatch):
    """The first was an uncaught error, the second "cannot be read as a table"."""

    def full(*_, **__):
        raise error

    monkeypatch.setattr(pd, "read_csv", full)
    with pytest.raises(BadInput, match="r.csv needs more memory than this machine has free"):
        read(b"text,label\ngood,1\n", "r.csv")


def test_a_quote_in_the_header_is_found_there():
    with pytest.raises(BadInput, match="opens a quote in its header and never closes it"):
        read_bytes(b'text,"label\ngood,1\n', "r.csv")
