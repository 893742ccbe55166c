"""Presenter mode: one result after the other, over tabs and pages, kept in the link."""

from streamlit.testing.v1 import AppTest


def page() -> None:
    import streamlit as st

    from bertsent.ui.shared import result
    from bertsent.ui.shared.presenter import present_button, present_results
    from bertsent.ui.shared.results import forget_results
    from bertsent.ui.shared.tabs import Tab, choose_tab, forget_tabs

    def two() -> None:
        for name in ("left", "right"):
            with result(name):
                st.markdown(name)

    def one() -> None:
        result("only").markdown("only")

    forget_results()
    forget_tabs()
    present_button()
    choose_tab((Tab("Two", "?", two), Tab("One", "?", one)), "tab", st.container()).show()
    present_results(st.container())


def where(app: AppTest) -> tuple[str, str]:
    """The tab, and which of its results is shown."""
    return app.session_state["tab"], [c.value for c in app.caption if " of " in c.value][0]


def click(app: AppTest, key: str) -> AppTest:
    return app.button(key=f"present_{key}").click().run()


def test_next_and_back_walk_through_results_and_then_tabs() -> None:
    app = click(AppTest.from_function(page).run(), "on")
    assert app.query_params["present"] == "1"
    seen = [where(app)]
    for _ in range(2):
        seen.append(where(click(app, "next")))
    assert seen == [("Two", "1 of 2"), ("Two", "2 of 2"), ("One", "1 of 1")]
    assert where(click(app, "back")) == ("Two", "2 of 2")
    app = click(app, "off")
    assert "present" not in app.query_params and not [c for c in app.caption if " of " in c.value]


def test_a_link_presents() -> None:
    app = AppTest.from_function(page)
    app.query_params["present"] = "1"
    assert where(app.run()) == ("Two", "1 of 2")
