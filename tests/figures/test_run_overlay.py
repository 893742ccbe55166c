"""Runs in one figure: every point is an event's, each run looks unlike the others, and what is
taken away needs no network.
"""

import json

import numpy as np
import pandas as pd
import pytest

from bertsent.figures.pictures import picture
from bertsent.figures.run_overlay import LOOKS, POINTS, overlay_runs

SPITEFUL = "</script><script>alert(1)</script> & <b>bold</b>"


def steps(name, count, rate=60.0):
    step = np.arange(1, count + 1)
    frame = pd.DataFrame(
        {
            "run": name,
            "step": step,
            "epoch": step / 10,
            "seconds": step * 0.5,
            "loss": np.exp(-step / rate),
        }
    )
    return frame.assign(accuracy=0.5 + step / (4 * count))


def checks(name, *at):
    rows = [
        {
            "run": name,
            "step": s,
            "epoch": s / 10,
            "seconds": s / 2,
            "loss": 1 / (1 + s),
            "accuracy": 0.5,
            "macro_f1": 0.4,
        }
        for s in at
    ]
    return pd.DataFrame(rows)


def both(function, *names_and_options):
    return pd.concat([function(*each) for each in names_and_options], ignore_index=True)


def data(chart):
    (rows,) = chart.to_dict()["datasets"].values()
    return pd.DataFrame(rows)


@pytest.mark.parametrize("over", ["step", "epoch", "seconds"])
def test_every_point_is_the_events_own(over):
    trained, validated = (
        both(steps, ("a", 30), ("b", 50, 20.0)),
        both(checks, ("a", 0, 30), ("b", 0, 25, 50)),
    )
    drawn = overlay_runs(trained, validated, ["a", "b"], over=over)
    columns = ["run", "step", "epoch", "seconds", "loss", "accuracy"]
    pd.testing.assert_frame_equal(data(drawn.loss)[columns], trained[columns], check_dtype=False)
    for chart in (drawn.validation_loss, drawn.accuracy):
        pd.testing.assert_frame_equal(
            data(chart)[[*columns, "macro_f1"]],
            validated[[*columns, "macro_f1"]],
            check_dtype=False,
        )
    for chart in drawn:
        assert all(layer["encoding"]["x"]["field"] == over for layer in chart.to_dict()["layer"])
        tip = {t["field"] for t in chart.to_dict()["layer"][1]["encoding"]["tooltip"]}
        assert {"run", "step", "loss"} <= tip


def test_the_line_is_the_exponential_mean_of_its_own_run():
    trained = both(steps, ("a", 30), ("b", 50, 20.0))
    drawn = data(overlay_runs(trained, checks("a", 0), ["a", "b"]).loss)
    for name, half in (("a", 2.0), ("b", 2.0)):
        loss = trained["loss"][trained["run"] == name]
        np.testing.assert_allclose(
            drawn["smooth"][drawn["run"] == name], loss.ewm(halflife=half).mean()
        )


def test_a_value_that_is_no_number_is_a_gap():
    trained = steps("a", 3).assign(loss=[0.5, np.inf, None])
    assert data(overlay_runs(trained, checks("a", 0), ["a"]).loss)["loss"].isna().tolist() == [
        False,
        True,
        True,
    ]


def test_many_long_runs_share_the_points():
    names = [f"run-{i}" for i in range(10)]
    drawn = data(
        overlay_runs(
            both(steps, *((name, 1_000) for name in names)),
            both(checks, *((name, 0) for name in names)),
            names,
        ).loss
    )
    assert len(drawn) <= POINTS * 1.1 and set(drawn["run"]) == set(names)


def test_each_run_has_a_look_of_its_own():
    names = [f"run-{i}" for i in range(LOOKS)]
    line = overlay_runs(
        both(steps, *((n, 2) for n in names)), both(checks, *((n, 0) for n in names)), names
    ).loss.to_dict()["layer"][0]
    colour, dash = (line["encoding"][channel]["scale"] for channel in ("color", "strokeDash"))
    assert colour["domain"] == dash["domain"] == names
    looks = list(zip(colour["range"], map(tuple, dash["range"]), strict=True))
    assert len(set(looks)) == LOOKS == 36
    assert len({c for c, _ in looks[:6]}) == len({d for _, d in looks[:6]}) == 6


def test_no_run_and_a_run_of_nothing_are_drawn():
    nothing = steps("a", 0), checks("a", 0).iloc[:0]
    for names in ([], ["a"]):
        for chart in overlay_runs(*nothing, names):
            chart.to_dict()


@pytest.fixture(scope="module")
def charts():
    return overlay_runs(
        both(steps, (SPITEFUL, 20), ("b", 20)),
        both(checks, (SPITEFUL, 0, 20), ("b", 0, 20)),
        [SPITEFUL, "b"],
    )


def test_a_png_and_an_svg_are_made_without_a_browser(charts):
    png, svg = picture(charts, "png"), picture(charts, "svg").decode()
    assert png.startswith(b"\x89PNG") and int.from_bytes(png[16:20]) > 1_800
    assert (
        svg.startswith("<svg")
        and "&lt;b&gt;bold" in svg
        and "<script" not in svg
        and "Validation accuracy" in svg
    )


def test_the_page_carries_its_scripts_and_what_people_wrote_stays_text(charts):
    page = picture(charts, "html").decode()
    assert "<script src" not in page and "<link" not in page and "alert(1)</script>" not in page
    assert page.count("</script>") == 2
    start = page.index('vegaEmbed("#curves", ') + len('vegaEmbed("#curves", ')
    spec, _ = json.JSONDecoder().raw_decode(page[start:])
    found = pd.concat([pd.DataFrame(rows) for rows in spec["datasets"].values()])
    assert set(found["run"]) == {SPITEFUL, "b"} and len(spec["vconcat"]) == 3
