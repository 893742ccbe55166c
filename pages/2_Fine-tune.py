import streamlit as st
from bertsent.ui.frame import FINE_TUNE, frame

with frame(FINE_TUNE, "x"):
    st.write("todo")
