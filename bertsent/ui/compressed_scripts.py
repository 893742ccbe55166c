"""Streamlit's scripts and styles as gzip, each compressed once for all visitors."""

import gzip
import re
import threading
from functools import lru_cache
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit.file_util import get_static_dir

LEVEL = 6  # 9 takes four times as long for one per cent less
_KINDS = {"js": "text/javascript", "css": "text/css"}
# Streamlit puts a hash of its content into the name of each file.
_NAMED = re.compile(r"/static/(?:js|css)/[\w-][\w.-]*\.(js|css)")
_FOREVER = "public, immutable, max-age=31536000"
_lock = threading.Lock()


class CompressedScripts:
    """Middleware that answers requests for scripts and styles, when the browser takes gzip; every
    other request goes on to ``app``.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        answer = await _answer(scope) if scope["type"] == "http" else None
        await (answer or self._app)(scope, receive, send)


async def _answer(scope: Scope) -> Response | None:
    named = _NAMED.fullmatch(scope["path"])
    wanted = Headers(scope=scope)
    if not named or scope["method"] != "GET" or "range" in wanted:
        return None
    if "gzip" not in wanted.get("accept-encoding", ""):
        return None
    body = await run_in_threadpool(compressed, scope["path"].removeprefix("/static/"))
    if body is None:
        return None
    headers = {
        "content-encoding": "gzip",
        "vary": "accept-encoding",
        "cache-control": _FOREVER,
        "x-content-type-options": "nosniff",
    }
    return Response(body, media_type=_KINDS[named[1]], headers=headers)


def compressed(name: str) -> bytes | None:
    """A file of Streamlit's static folder as gzip; None where there is no such file."""
    with _lock:  # a class opens the page in the same second
        return _compress(name)


@lru_cache(maxsize=512)
def _compress(name: str) -> bytes | None:
    file = Path(get_static_dir(), "static", name)
    return gzip.compress(file.read_bytes(), LEVEL) if file.is_file() else None
