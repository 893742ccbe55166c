"""The server that ``serve`` starts: Streamlit's own, behind layers that know who asks, answer to
the right name only, and compress its scripts.

Streamlit leaves all of that to a proxy in front of it. A class that meets at one address has none;
uncompressed, a first visit would bring nine megabytes to every phone. docs/security.md says what
each layer promises.
"""

from pathlib import Path

from starlette.middleware import Middleware
from streamlit.starlette import App

from bertsent.ui.allowed_hosts import AllowedHosts
from bertsent.ui.compressed_scripts import CompressedScripts
from bertsent.ui.host_page import HostPage
from bertsent.ui.rate_limits import RateLimits
from bertsent.ui.response_headers import ResponseHeaders
from bertsent.ui.room.rooms_on_phones import RoomsOnPhones
from bertsent.ui.visitors import Visitors, guard

# the first is the outermost
LAYERS = (
    ResponseHeaders,
    AllowedHosts,
    RateLimits,
    HostPage,
    Visitors,
    RoomsOnPhones,
    CompressedScripts,
)

guard()
# ``serve`` has changed to the folder of the app
app = App(Path("app.py").resolve(), middleware=[Middleware(layer) for layer in LAYERS])
