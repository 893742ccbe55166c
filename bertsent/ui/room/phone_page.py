"""The page itself: one HTML, one style sheet and one script, read once and sent compressed."""

import gzip
import hashlib
from functools import lru_cache
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from bertsent.settings import ASSETS

_FOLDER = Path(__file__).parent
_KINDS = {"phone.css": "text/css", "phone.js": "text/javascript", "icon.svg": "image/svg+xml"}
_FOREVER = "public, immutable, max-age=31536000"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'none'; base-uri 'none'; frame-ancestors 'self'"
)


def page(request: Request) -> Response:
    """The page of every room: which one it is, its script reads from the address."""
    return _answer(
        request,
        _page(),
        "text/html",
        {"content-security-policy": POLICY, "cache-control": "no-store"},
    )


def file(request: Request) -> Response:
    """What the page loads; the address holds a hash of it."""
    name = request.path_params["name"]
    if name not in _KINDS:
        return Response(status_code=404)
    return _answer(request, _read(name), _KINDS[name], {"cache-control": _FOREVER})


@lru_cache(maxsize=8)
def _read(name: str) -> bytes:
    folder = ASSETS if name == "icon.svg" else _FOLDER
    return (folder / name).read_bytes()


@lru_cache(maxsize=1)
def _page() -> bytes:
    text = _read("phone.html").decode()
    for name in _KINDS:
        version = hashlib.sha256(_read(name)).hexdigest()[:12]
        text = text.replace(f"/{name}", f"/{name}?{version}")
    return text.encode()


def _answer(request: Request, body: bytes, kind: str, headers: dict[str, str]) -> Response:
    headers = {**headers, "vary": "accept-encoding"}
    if "gzip" in request.headers.get("accept-encoding", ""):
        body, headers = _compressed(body), {**headers, "content-encoding": "gzip"}
    return Response(body, media_type=kind, headers=headers)


@lru_cache(maxsize=8)
def _compressed(body: bytes) -> bytes:
    return gzip.compress(body)
