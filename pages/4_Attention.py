import streamlit as st
from bertsent.ui.frame import ATTENTION, frame

with frame(ATTENTION, "x"):
    st.write("todo")
