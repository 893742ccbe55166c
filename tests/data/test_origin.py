"""Reviews carry where they came from, through splitting and into a run's configuration, so that a
run can be repeated without guessing by file name (an uploaded ``reviews.csv`` became the built-in
set, a host's ``imdb_sample.csv`` the IMDb of the Hub).
"""

import hashlib
import json

import pandas as pd
import pytest

from bertsent.data.examples import Origin
from bertsent.data.hub import dataset_path
from bertsent.data.paired_splits import paired_splits
from bertsent.data.sources import BUILTIN, load_reviews
from bertsent.data.splits import mix_contrastive, split
from bertsent.data.tables import read_bytes
from bertsent.training.config import RunConfig, TrainingConfig
from bertsent.training.runs.run import create_run

ROWS = "".join(
    f"{word} film number {i},{label}\n"
    for i in range(20)
    for label, word in enumerate(["bad", "good"])
)
FILE = f"text,label\n{ROWS}".encode()


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def test_an_upload_a_host_file_and_the_built_in_set_of_one_name_are_told_apart(tmp_path):
    path = tmp_path / "reviews.csv"
    path.write_bytes(FILE)
    upload, host, builtin = (
        read_bytes(FILE, "reviews.csv"),
        load_reviews(path),
        load_reviews("builtin"),
    )
    assert upload.name == host.name == builtin.name == "reviews.csv"
    assert upload.origin == Origin("upload", "reviews.csv", sha256(FILE))
    assert host.origin == Origin("file", "reviews.csv", sha256(FILE))
    assert builtin.origin == Origin("builtin", "builtin", sha256(BUILTIN.read_bytes()))


@pytest.mark.parametrize(
    ("asked", "name"), [("imdb", "stanfordnlp/imdb"), ("owner/films", "owner/films")]
)
def test_a_hub_set_carries_its_id(tmp_path, monkeypatch, asked, name):
    monkeypatch.setenv("BERTSENT_HOME", str(tmp_path))
    path = dataset_path(asked)
    path.parent.mkdir(parents=True)
    rows = {"text": [f"film {i}" for i in range(5_000)], "label": [0, 1] * 2_500}
    pd.DataFrame(rows).to_parquet(path)
    assert load_reviews(asked).origin == Origin("hub", name, sha256(path.read_bytes()))


def test_splitting_mixing_and_pairing_keep_the_origin():
    reviews = load_reviews(read_bytes(FILE, "mine.csv"))
    halves = mix_contrastive(split(reviews), 0.2)
    pair = paired_splits(load_reviews(reviews, contrastive=False))
    for part in (halves.train, halves.validation, pair.without.train, pair.having.train):
        assert part.origin == reviews.origin
    assert paired_splits("toy").without.train.origin.kind == "builtin"


def test_a_run_notes_the_origin_and_a_run_without_one_is_still_read(tmp_path, monkeypatch):
    monkeypatch.setenv("BERTSENT_HOME", str(tmp_path))
    splits = split(read_bytes(FILE, "mine.csv"))
    run = create_run(splits, TrainingConfig(), source="mine.csv")
    path = run.folder / "config.json"
    assert RunConfig.load(path).data.origin == Origin("upload", "mine.csv", sha256(FILE))
    old = json.loads(path.read_text())
    del old["data"]["origin"]
    path.write_text(json.dumps(old))
    assert RunConfig.load(path).data.origin == Origin()
