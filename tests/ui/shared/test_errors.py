"""Every failure has a number on screen, and a traceback in the log under that number."""

import logging
import re
from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest


def outside() -> None:
    from bertsent.ui.shared.errors import handle_uncaught_errors

    handle_uncaught_errors()
    raise RuntimeError("boom")


def fragment() -> None:
    import streamlit as st

    from bertsent.ui.shared.errors import handle_uncaught_errors

    handle_uncaught_errors()

    @st.fragment
    def part() -> None:
        raise RuntimeError("boom")

    part()
    st.markdown("the rest")


def callback() -> None:
    import streamlit as st

    from bertsent.ui.shared.errors import handle_uncaught_errors

    handle_uncaught_errors()
    st.button("press", on_click=lambda: 1 / 0)


def framed() -> None:
    import streamlit as st

    from bertsent.ui.shared.errors import show_errors

    with show_errors():
        raise RuntimeError("boom")
    st.markdown("the rest")


@pytest.mark.parametrize("page", [outside, fragment, callback, framed])
def test_every_failure_has_a_number_on_screen_and_in_the_log(
    page: Callable[[], None], caplog: pytest.LogCaptureFixture
) -> None:
    """Errors of fragments, callbacks and outside of the frame reached the visitor as Streamlit's
    own box without a number, and their tracebacks were thrown away.
    """
    caplog.set_level(logging.ERROR, "bertsent")
    app = AppTest.from_function(page).run()
    if page is callback:
        app.button[0].click().run()
    assert not app.exception
    (shown,) = app.error
    (record,) = [record for record in caplog.records if record.name == "bertsent"]
    assert record.exc_info[0] in (RuntimeError, ZeroDivisionError)
    assert re.search(r"error ([0-9a-f]{6})", shown.value)[1] == record.args[0]


def foreseen() -> None:
    from bertsent.errors import BadInput
    from bertsent.ui.shared.errors import show_errors

    with show_errors():
        raise BadInput("No *reviews*.", "Upload some.")


def test_a_foreseen_error_is_its_sentence_and_no_markdown(
    caplog: pytest.LogCaptureFixture,
) -> None:
    app = AppTest.from_function(foreseen).run()
    assert app.error[0].value == r"No \*reviews\*\. Upload some\."
    assert not [record for record in caplog.records if record.name == "bertsent"]
