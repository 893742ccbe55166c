"""The Content-Security-Policy of the pages: as tight as Streamlit and the charts bear.

Scripts come from this server, from Streamlit's own loader (``blob:``), or carry the nonce of the
lab; none is written into an attribute or an address, and none is made of text (``eval``).
"""

import base64
import hashlib
import hmac
import re
import secrets
from functools import lru_cache
from pathlib import Path

from streamlit.file_util import get_static_dir

from bertsent.ui.host_key import teacher_key

_OWN_KEY = secrets.token_urlsafe(16)  # of a process that cannot read its lab's
# what a visitor could open by itself: pictures and downloads
FILE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'; sandbox"
# Streamlit's own in framed HTML: it tells the page how high that is
_FRAME_SIZE = "'sha256-DDFiVuFZGZu7dauH2HVkuyGeSeHw5ZgKt70bMpVHIwk='"
_INLINE = re.compile(r"<script>(.*?)</script>", re.DOTALL)


def nonce() -> str:
    """What marks the scripts of this lab. All its copies use the same: a page of one is soon shown
    what another one sends.

    Whoever may open a page can read it there: it stops scripts that text turned into, not a
    visitor. The teacher key, from which it is made, does not follow from it.
    """
    try:
        key = teacher_key()
    except OSError:
        key = _OWN_KEY
    made = hmac.new(key.encode(), b"nonce of the pages", hashlib.sha256).digest()
    return base64.urlsafe_b64encode(made[:16]).decode().rstrip("=")


@lru_cache(maxsize=1)
def _known_scripts() -> str:
    page = Path(get_static_dir(), "index.html").read_text(encoding="utf-8")
    return " ".join(
        f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"
        for script in _INLINE.findall(page)
    )


def page_policy() -> str:
    """The policy of Streamlit's page and of all that is framed in it."""
    return "; ".join(
        (
            "default-src 'self'",
            f"script-src 'self' blob: 'nonce-{nonce()}' {_known_scripts()} {_FRAME_SIZE}",
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
