import streamlit as st
from bertsent.ui.frame import HOME, frame
with frame(HOME, "x"):
    st.write("home")
