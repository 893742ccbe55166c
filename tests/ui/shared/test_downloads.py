"""Files that people download: harmless to a spreadsheet, and one menu for every figure."""

import io

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from bertsent.ui.shared.downloads import safe_csv

EVIL = ["=1+1", "+1", "-1", "@sum", "\tx", "\rx"]


def cells(frame: pd.DataFrame) -> list[str]:
    read = pd.read_csv(io.BytesIO(safe_csv(frame)), dtype=str, keep_default_na=False)
    return [*read.columns, *read.to_numpy().ravel()]


@pytest.mark.parametrize("kind", [object, "string", "category"])
@pytest.mark.parametrize("evil", EVIL)
def test_no_cell_and_no_header_is_a_formula(kind: object, evil: str) -> None:
    """Headers and categorical columns were left as they were."""
    frame = pd.DataFrame({evil: pd.Series([evil, "fine"], dtype=kind), "n": [-1, 2]})
    found = cells(frame)
    assert found[0] == found[2] == "'" + evil.replace("\r", "\n")
    assert found[4] == "fine"
    assert [found[3], found[5]] == ["-1", "2"], "numbers stay numbers"


def test_numbers_dates_and_gaps_stay_what_they_are() -> None:
    frame = pd.DataFrame(
        {
            "number": [-0.1, np.nan],
            "when": pd.to_datetime(["2026-01-01", None]),
            "right": [True, False],
            "text": ["fine", None],
        }
    )
    assert safe_csv(frame) == frame.to_csv(index=False).encode()


def test_a_return_inside_a_cell_begins_no_row() -> None:
    """A cell with a bare carriage return was not quoted, so that its rest was a row of its own."""
    frame = pd.DataFrame({"text": ["fine\r=1+1", "so\r\n=2"]})
    assert pd.read_csv(io.BytesIO(safe_csv(frame)))["text"].tolist() == ["fine\n=1+1", "so\n=2"]


def test_the_frame_itself_is_left_alone() -> None:
    frame = pd.DataFrame({"=a": pd.Series(["=1"], dtype="category")})
    safe_csv(frame)
    assert list(frame.columns) == ["=a"] and frame["=a"].iloc[0] == "=1"


def test_two_columns_of_one_name_are_both_harmless() -> None:
    frame = pd.DataFrame([["=1", "=2"]], columns=["=a", "=a"])
    assert safe_csv(frame).decode().splitlines() == ["'=a,'=a", "'=1,'=2"]


def menus() -> None:
    import pandas as pd
    import plotly.graph_objects as go
    import streamlit as st

    from bertsent.ui.shared.downloads import UNSEEN_BAR, download_menu

    figure = go.Figure(go.Bar(y=[1, 2]))
    table = pd.DataFrame({"y": [1, 2]})
    st.plotly_chart(figure, key="bars", config=UNSEEN_BAR)
    download_menu("bars", figure, "bars", tables={"Bars": table})
    download_menu("drawn", lambda: [], "drawn", tables={"A": table, "B": table})
    download_menu("files", None, "files", files={"Model": ("model.zip", lambda: b"zip")})


def test_the_menu_offers_what_there_is() -> None:
    app = AppTest.from_function(menus).run()
    assert not app.exception
    assert [button.key for button in app.get("download_button")] == [
        *("bars_Bars", "bars_html"),
        *("drawn_A", "drawn_B", "drawn_png", "drawn_svg", "drawn_html"),
        "files_Model",
    ]
