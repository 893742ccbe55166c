"""The server that ``serve`` starts: Streamlit's own, with its scripts compressed on their way.

Streamlit leaves compression to a proxy in front of it. A class that meets at one address has none,
and a first visit would bring nine megabytes to every phone.
"""

from pathlib import Path

from starlette.middleware import Middleware
from streamlit.starlette import App

from bertsent.ui.compressed_scripts import CompressedScripts

# ``serve`` has changed to the folder of the app
app = App(Path("app.py").resolve(), middleware=[Middleware(CompressedScripts)])
