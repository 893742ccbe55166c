"""Pages: what a click costs on the Probe page, and what each page costs to load, without a browser
(``AppTest``).
"""

import statistics
import tempfile
from pathlib import Path

from tests.benchmarks.child_process import run_in_child
from tests.benchmarks.reviews import typed_reviews
from tests.benchmarks.rows import Row
from tests.benchmarks.temporary_home import finished_run
from tests.benchmarks.timing import interleaved, seconds

PATIENCE = 300  # seconds that AppTest waits for one run of a page


def rows(quick: bool) -> list[Row]:
    """The Probe page's rerun against a plain page's, then every page's load."""
    times = 5 if quick else 30
    found = run_in_child("page", "measure_rerun", run=finished_run().id, times=times)
    how = (
        f"AppTest, median of {times} in turns with a plain page: one box, "
        "transformers.pipeline, "
        "one bar chart"
    )
    return [
        Row(
            "Probe page, new review",
            "ms",
            found["ours_new"] * 1000,
            found["peer_new"] * 1000,
            f"another typed review each time; {how}",
        ),
        Row(
            "Probe page, rerun",
            "ms",
            found["ours_same"] * 1000,
            found["peer_same"] * 1000,
            f"nothing changed; {how}",
        ),
        *_loads(times),
    ]


def _loads(times: int) -> list[Row]:
    loads = run_in_child("page", "measure_loads", times=times)
    names = [name for name in loads if name != "peak_mib"]
    how = f"its whole script in a new session of a warm server (AppTest), median of {times}"
    return [Row(f"  load of {name}", "ms", loads[name] * 1000, None, how) for name in names]


def measure_rerun(run: str, times: int) -> dict[str, float]:
    """Seconds of a rerun with a new review and with the same one, ours and the plain page's."""
    from streamlit.testing.v1 import AppTest

    from bertsent.training.runs.run import find_run
    from bertsent.training.runs.run_export import export_run
    from bertsent.ui.shared.frame import PROBE
    from tests.benchmarks.plain_page import page

    texts = typed_reviews(times + 3)
    with tempfile.TemporaryDirectory() as scratch:
        folder = export_run(find_run(run), Path(scratch) / "model")
        ours = sound(_app().switch_page(PROBE.file).run())
        plain = sound(
            AppTest.from_function(
                page, default_timeout=PATIENCE, kwargs={"folder": str(folder)}
            ).run()
        )
        new = interleaved(
            {"ours": lambda i: _type(ours, texts[i]), "peer": lambda i: _type(plain, texts[i])},
            times,
            warm_up=3,
        )
        same = interleaved(
            {"ours": lambda _: sound(ours.run()), "peer": lambda _: sound(plain.run())},
            times,
            warm_up=1,
        )
    return {
        **{f"{who}_new": value for who, value in new.items()},
        **{f"{who}_same": value for who, value in same.items()},
    }


def measure_loads(times: int) -> dict[str, float]:
    """Median seconds of each page's first run in a new session, once everything is imported and
    cached.
    """
    from bertsent.ui.shared.frame import PAGES

    found = {}
    for entry in PAGES:
        sound(_app().switch_page(entry.file).run())
        found[entry.title] = statistics.median(seconds(_session(entry.file)) for _ in range(times))
    return found


def _session(file: str):  # a function that loads the page
    app = _app().switch_page(file)
    return lambda: sound(app.run())


def _app():  # an AppTest
    from streamlit.testing.v1 import AppTest

    from bertsent.settings import PROJECT

    return AppTest.from_file(str(PROJECT / "app.py"), default_timeout=PATIENCE)


def _type(app, text: str) -> None:  # an AppTest
    app.text_input(key="review_box").set_value(text)
    sound(app.run())


def sound(app):  # an AppTest
    """The page, when it shows what it should.

    Raises:
        RuntimeError: it shows an error.
    """
    wrong = [*(e.value for e in app.error), *(e.message for e in app.exception)]
    if wrong:
        raise RuntimeError(f"The page shows an error: {wrong[0]}")
    return app
