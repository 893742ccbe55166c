"""What a visitor reads while the server does not answer: after a restart, or in a bad Wi-Fi.

Streamlit marks the state of its connection on the page and tells a visitor to restart it in a
terminal. The sentence here is on every page from the beginning and is shown by the style sheet
alone, because nothing can be sent when it is needed.
"""

import streamlit as st

NOTICE = """<div class="connection" role="status" style="display: none">
<span class="connection_waits">The server of the lab does not answer. A run that trains goes on by
itself; this page comes back as soon as the server does.</span>
<span class="connection_lost">The connection to the lab has ended. A run that trains goes on by
itself; reload this page.</span>
</div>"""


def connection_notice() -> None:
    """Lay the sentence down; it shows itself when the connection is lost."""
    st.html(NOTICE)
