"""How tests of the Probe page drive it."""

from collections.abc import Callable

import pandas as pd
from streamlit.testing.v1 import AppTest

PAGE = "3_Probe"
Visit = Callable[..., AppTest]

COLUMNS = {
    "suite_table": {"model", "capability", "failure"},
    "subgroup_rows": {"attribute", "widest", "flips"},
    "subgroup_flips": {"text", "group", "reference"},
    "batch_table": {"p_positive", "tokens", "cut"},
    "batch_slices": {"slice", "accuracy", "from"},
}


def tables(app: AppTest, which: str) -> list[pd.DataFrame]:
    return [f.value for f in app.dataframe if COLUMNS[which] <= set(f.value.columns)]


def table(app: AppTest, which: str) -> pd.DataFrame:
    return tables(app, which)[0]


def press(app: AppTest, key: str) -> AppTest:
    return next(b for b in app.button if b.key == key).click().run()
