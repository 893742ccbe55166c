import streamlit as st
from bertsent.ui.frame import MAP, frame

with frame(MAP, "x"):
    st.write("todo")
