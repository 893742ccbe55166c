"""The least that a Streamlit page can do with a typed review: a box, and the text below it."""

import streamlit as st

st.title("Plain")
st.text(st.text_input("Review", "Great, another boring movie"))
