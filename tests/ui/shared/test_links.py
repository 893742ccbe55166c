"""Links: what they carry, that forged ones break nothing, and that those made before still open."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from bertsent.training.runs.run import Run

Visit = Callable[..., AppTest]
NUMBERS = ("map_clusters", "step", "landscape-seed", "draft-seed")
CHOICES = (
    *("model", "run", "probe", "look", "finding", "map_set", "map_view", "map_method", "map_layer"),
    *("map_dims", "map_pooling", "map_colour", "map_count", "map_drop", "map_paper", "layer"),
    *("head", "hide", "tokens", "measure", "from", "units", "rescale", "travel_view", "arcs_most"),
    *("duel_look", "suite_kind", "timing_reviews", "why_by", "why_attention", "extremes_n"),
    *("calibration_t", "calibration_rate", "boundary_kind", "view", "runs"),
    *("meaning", "words", "words_by", "words_layer", "words_pooling"),
)
PAGES = ("1_Home", "2_Fine-tune", "3_Probe", "4_Attention", "5_Words", "6_Map", "8_Lessons")


def numbered() -> None:
    import streamlit as st

    from bertsent.ui.shared.links import linked_number

    st.markdown(str(linked_number("Clusters", 2, 10, 3, key="clusters")))


def opened(**query: str) -> AppTest:
    app = AppTest.from_function(numbered)
    for key, value in query.items():
        app.query_params[key] = value
    return app.run()


@pytest.mark.parametrize(
    ("linked", "number"),
    [("7", 7), ("inf", 3), ("-inf", 3), ("nan", 3), ("1e999", 3), ("99", 3), ("", 3)]
    + [("9" * 6_000, 3), ("2.5", 3), ("<script>", 3)],
)
def test_a_number_of_a_link_is_used_where_it_can_be(linked: str, number: int) -> None:
    """A forged ``inf`` raised on every page of the session, in Streamlit itself."""
    app = opened(clusters=linked)
    assert not app.error and not app.exception and app.markdown[0].value == str(number)


def test_a_number_goes_into_the_link_and_the_usual_one_does_not() -> None:
    app = opened()
    app.number_input(key="clusters").set_value(5).run()
    assert app.query_params["clusters"] == "5" and app.markdown[0].value == "5"
    app.number_input(key="clusters").set_value(3).run()
    assert "clusters" not in app.query_params


@pytest.mark.parametrize("forged", ["inf", "nan", "-1", "1e999", "<script>alert(1)</script>"])
def test_a_forged_link_breaks_no_page(finished: Run, visit: Visit, forged: str) -> None:
    query = dict.fromkeys((*NUMBERS, *CHOICES), forged)
    app = visit("1_Home", **query)
    for page in PAGES:
        for key, value in query.items():
            app.query_params[key] = value
        app.switch_page(f"pages/{page}.py").run()
        assert not app.error and not app.exception, (page, [e.value for e in app.error])


def value_of(app: AppTest, key: str) -> object:
    kinds = ("selectbox", "button_group", "toggle", "number_input", "select_slider", "text_input")
    found = [box for kind in kinds for box in app.get(kind) if box.key == key]
    return found[0].value


@pytest.mark.parametrize(
    ("page", "query", "key"),
    [
        ("3_Probe", {"probe": "Why"}, "probe"),
        ("3_Probe", {"probe": "Pairs"}, "probe"),
        ("4_Attention", {"look": "Measures"}, "look"),
        ("4_Attention", {"look": "Query × key"}, "look"),
        ("6_Map", {"map_clusters": "5"}, "map_clusters"),
        ("6_Map", {"map_colour": "Cluster"}, "map_colour"),
    ],
)
def test_a_link_made_before_opens_the_same(
    finished: Run, visit: Visit, page: str, query: dict[str, str], key: str
) -> None:
    app = visit(page, **query, text="Not a bad film", model=finished.id)
    shown = app.session_state[key] if key == "probe" else value_of(app, key)
    assert str(shown).casefold() == query[key].casefold() and not app.error
    assert value_of(app, "review_box") == "Not a bad film"
    assert value_of(app, "model-box") == finished.id
