"""What a page in the browser is measured against: two bare Streamlit pages with a box and a Plotly
figure each.
"""

import plotly.express as px
import streamlit as st


def page(name: str) -> None:
    text = st.text_input("Review", "Great, another boring movie")
    with st.container(key=f"result_{name}"):
        st.plotly_chart(px.bar(x=[len(text), 1], y=["a", "b"], orientation="h"))
    st.text(text)


def one() -> None:
    page("one")


def two() -> None:
    page("two")


st.navigation([st.Page(one, title="One"), st.Page(two, title="Two")], position="top").run()
