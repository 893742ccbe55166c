"""What a page in the browser is measured against: two bare Streamlit pages with a box and a Plotly
figure each.
"""

import plotly.express as px
import streamlit as st


def page() -> None:
    text = st.text_input("Review", "Great, another boring movie")
    with st.container(key="result_bare"):
        st.plotly_chart(px.bar(x=[len(text), 1], y=["a", "b"], orientation="h"))
    st.text(text)


def other() -> None:
    page()


st.navigation([st.Page(page, title="One"), st.Page(other, title="Two")], position="top").run()
