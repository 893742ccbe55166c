"""The box for a file: the last good one stays in use, and a bad one says why it is not."""

from streamlit.testing.v1 import AppTest


def _page() -> None:
    import streamlit as st

    from bertsent.data.tables import read_bytes
    from bertsent.ui.shared.uploads import upload

    if st.toggle("Show", value=True, key="show"):
        reviews = upload("Reviews", read_bytes, key="box", incomplete="a text or a label")
        st.text("" if reviews is None else ",".join(reviews.texts))


def bring(app: AppTest, name: str, data: bytes) -> AppTest:
    return app.file_uploader(key="box").upload(name, data).run()


def test_the_last_good_file_stays_in_use() -> None:
    app = bring(AppTest.from_function(_page).run(), "good.csv", b"text,label\nfine,1\n")
    assert app.text[0].value == "fine" and not app.error and not app.caption
    app = bring(app, "bad.csv", b"text\nfine\n")
    assert app.text[0].value == "fine" and len(app.error) == 1 and "good" in app.caption[0].value
    app = app.toggle(key="show").set_value(False).run().toggle(key="show").set_value(True).run()
    assert app.text[0].value == "fine" and not app.error and "good" in app.caption[0].value


def test_incomplete_rows_are_left_out_when_asked() -> None:
    app = bring(AppTest.from_function(_page).run(), "r.csv", b"text,label\nfine,1\nbad,\n")
    assert app.text[0].value == "" and len(app.error) == 1
    app = app.checkbox(key="box_incomplete").check().run()
    assert app.text[0].value == "fine" and not app.error
