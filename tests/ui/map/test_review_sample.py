"""Which reviews a map shows."""

import os

import pandas as pd

from bertsent.data.hub import dataset_path
from bertsent.ui.map.review_sample import _HUB, _pool


def test_a_data_set_downloaded_anew_is_read_anew(monkeypatch, tmp_path) -> None:
    """The reviews of a Hub data set were kept by its name alone: after another download the map
    still showed the old ones.
    """
    monkeypatch.setenv("BERTSENT_HOME", str(tmp_path))
    path = dataset_path("somebody/reviews")
    path.parent.mkdir(parents=True)
    for number, text in enumerate(("the first download", "the second download")):
        pd.DataFrame({"text": [text], "label": [1]}).to_parquet(path)
        os.utime(path, (1_000 + number, 1_000 + number))
        assert _pool(f"{_HUB}somebody/reviews", None).reviews.texts == [text]
