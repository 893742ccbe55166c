"""The Content-Security-Policy of the pages: as tight as Streamlit and the charts bear.

Scripts come from this server, from Streamlit's own loader (``blob:``), or carry the nonce of the
server; none is written into an attribute or an address, and none is made of text (``eval``).
"""

import base64
import hashlib
import re
import secrets
from functools import lru_cache
from pathlib import Path

from streamlit.file_util import get_static_dir

# whoever may open a page can read it there: it stops scripts that text turned into, not a visitor
NONCE = secrets.token_urlsafe(16)
# what a visitor could open by itself: pictures and downloads
FILE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'; sandbox"
# Streamlit's own in framed HTML: it tells the page how high that is
_FRAME_SIZE = "'sha256-DDFiVuFZGZu7dauH2HVkuyGeSeHw5ZgKt70bMpVHIwk='"
_INLINE = re.compile(r"<script>(.*?)</script>", re.DOTALL)


@lru_cache(maxsize=1)
def page_policy() -> str:
    """The policy of Streamlit's page and of all that is framed in it."""
    page = Path(get_static_dir(), "index.html").read_text(encoding="utf-8")
    known = " ".join(
        f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"
        for script in _INLINE.findall(page)
    )
    return "; ".join(
        (
            "default-src 'self'",
            f"script-src 'self' blob: 'nonce-{NONCE}' {known} {_FRAME_SIZE}",
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self' data:",
            "connect-src 'self'",
            "worker-src 'self' blob:",
            "object-src 'none'",
            "base-uri 'self'",
            "form-action 'self'",
            "frame-ancestors 'self'",
        )
    )
