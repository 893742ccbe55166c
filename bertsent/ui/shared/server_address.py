"""The address of this lab as the visitor's browser has it, for files that lead back to it."""

from urllib.parse import urlsplit

import streamlit as st


def server_address() -> str:
    """Such as ``https://lab.example.org``; empty where the browser did not say."""
    parts = urlsplit(st.context.url or "")
    return f"{parts.scheme}://{parts.netloc}" if parts.scheme in ("http", "https") else ""
