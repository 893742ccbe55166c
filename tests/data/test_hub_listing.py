"""What is chosen from a Hub listing, and how a failure is told; nothing here needs a Hub."""

import os

import pandas as pd
import pytest

from bertsent.data import hub_listing, hub_worker
from bertsent.data.hub import HubDownload
from bertsent.errors import BadInput, NotAvailable


@pytest.mark.parametrize(
    ("files", "chosen"),
    [
        (["train.parquet", "test.parquet"], ["train.parquet"]),
        (
            ["data/train-00000-of-00001-0123abcd.parquet"],
            ["data/train-00000-of-00001-0123abcd.parquet"],
        ),
        (
            ["a/train/0000.parquet", "a/train/0001.parquet"],
            ["a/train/0000.parquet", "a/train/0001.parquet"],
        ),
        (
            ["data/train-00000-of-00001.parquet", "data/train_extra-00000-of-00001.parquet"],
            ["data/train-00000-of-00001.parquet"],
        ),
        (
            ["plain_text/train-00000-of-00001.parquet", "other/train-00000-of-00001.parquet"],
            ["plain_text/train-00000-of-00001.parquet"],
        ),
    ],
)
def test_the_training_split_is_told_from_the_rest(files, chosen):
    assert list(hub_listing.choose_train_files(dict.fromkeys(files, 5), "a/b")) == chosen


@pytest.mark.parametrize(
    ("files", "why"),
    [
        (["test.parquet", "train.csv"], "no training split"),
        (
            ["cola/train-00000-of-00001.parquet", "sst2/train-00000-of-00001.parquet"],
            "several training splits .cola/train, sst2/train.",
        ),
        (["../../train.parquet"], "no training split"),
    ],
)
def test_an_unclear_training_split_is_not_guessed(files, why):
    with pytest.raises(BadInput, match=why):
        hub_listing.choose_train_files(dict.fromkeys(files, 5), "a/b")


def test_too_many_rows_are_refused(tmp_path):
    shard = tmp_path / "train.parquet"
    pd.DataFrame({"text": ["good"] * 60_000, "label": 1}).to_parquet(shard)
    with pytest.raises(BadInput, match="120,000 rows; the limit is 100,000"):
        hub_worker.one_table([shard, shard], "a/b")


def test_a_full_disk_is_said_to_be_full(tmp_path):
    full = OSError(28, "No space left on device")
    assert "disk is full" in str(hub_listing.explain(full, "model", "a/b"))
    plan = hub_listing.DownloadPlan("model", "a/b", "a" * 40, {"model.safetensors": 2**60})
    with pytest.raises(NotAvailable, match="MB are free"):
        hub_worker.check_disk(plan, tmp_path)


def test_a_folder_that_vanishes_while_it_is_measured_counts_as_nothing(tmp_path, monkeypatch):
    """The library removed its own folder while the main thread looked into it, and now and then a
    finished download ended as "the process died".
    """
    download = hub_worker.DownloadThread(HubDownload("model", "a/b"))
    download.room = tmp_path
    (tmp_path / "gone").mkdir()
    (tmp_path / "weights").write_bytes(b"12345")
    scan = os.scandir

    def vanish(path):
        found = scan(path)
        (tmp_path / "gone").exists() and (tmp_path / "gone").rmdir()
        return found

    monkeypatch.setattr(os, "scandir", vanish)
    assert download.arrived() == 5
