"""Who asks: every browser gets a secret, and pages learn its SHA-256 and whether it is the host's.

Streamlit hands the headers of a WebSocket to the page (``st.context.headers``). This layer writes
two of its own there and takes away what a browser sent under their names. Only here is the secret
itself read; it is never kept or logged.
"""

import hashlib
import os
import re
import secrets

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bertsent.ui.allowed_hosts import LOCAL_NAME, as_address, configured_names, host_name
from bertsent.ui.host_key import is_host_token

SECRET, HOST_TOKEN = "bertsent_visitor", "bertsent_host"  # cookies
GIVEN_BACK = "no"  # what the second one holds when the host wants to be a visitor
VISITOR_HEADER, HOST_HEADER = "x-bertsent-visitor", "x-bertsent-host"
BY_ADDRESS = "BERTSENT_HOST_BY_ADDRESS"  # "0": not even this machine is the host without the key
YEAR = 365 * 24 * 3600
_guarded: list[bool] = []  # whether this process serves through the layers
_SECRET = re.compile(r"[0-9a-f]{32}")  # 128 bits
# a page asks for it just before it opens its WebSocket
_BEFORE = "/_stcore/host-config"
# what only a script of our own pages can send: browsers ask first whether one of elsewhere may
OWN_SCRIPT = "x-bertsent-script"
_FORWARDED = ("forwarded", "via", "x-real-ip", "cf-connecting-ip", "true-client-ip")


def guard() -> None:
    """Say that this process serves through the layers: who is unknown has no rights from now on."""
    _guarded.append(True)


def is_guarded() -> bool:
    """Whether this process serves through the layers."""
    return bool(_guarded)


class Visitors:
    """Middleware that tells the page who asks, and gives a browser its secret when it has none.

    The secret is not given with the page itself: there a browser that comes by a link of elsewhere
    keeps its cookies back (``SameSite=Strict``), and would lose the one that it has. Where the
    request before the WebSocket brought none, the WebSocket's own answer does, and the page already
    knows it. A page that opens none gets its secret with what its script asks for.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            return await self._app(scope, receive, send)
        secret = cookies(scope).get(SECRET, "")
        if not has_secret(scope):
            secret = secrets.token_hex(16)
            if _may_give(scope):
                send = _with_cookie(send, cookie(scope, SECRET, secret))
        facts = {
            VISITOR_HEADER: hashlib.sha256(secret.encode()).hexdigest(),
            HOST_HEADER: "1" if is_host(scope) else "0",
        }
        kept = [(n, v) for n, v in scope["headers"] if n.decode("latin-1").lower() not in facts]
        ours = [(name.encode(), value.encode()) for name, value in facts.items()]
        await self._app({**scope, "headers": [*kept, *ours]}, receive, send)


def _may_give(scope: Scope) -> bool:
    asked_by_script = OWN_SCRIPT in Headers(scope=scope)
    return scope["type"] == "websocket" or scope["path"].endswith(_BEFORE) or asked_by_script


def has_secret(scope: Scope) -> bool:
    """Whether the browser brought its secret: one that did not would be somebody else each time."""
    return bool(_SECRET.fullmatch(cookies(scope).get(SECRET, "")))


def cookies(scope: Scope) -> dict[str, str]:
    """The cookies of a request."""
    return cookie_parser("; ".join(Headers(scope=scope).getlist("cookie")))


def cookie(scope: Scope, name: str, value: str) -> str:
    """The header that has a browser keep a cookie for a year, out of reach of scripts and of pages
    of elsewhere.
    """
    secure = "; Secure" if scope["scheme"] in ("https", "wss") else ""
    return f"{name}={value}; Max-Age={YEAR}; Path=/; HttpOnly; SameSite=Strict{secure}"


def _with_cookie(send: Send, header: str) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] in ("http.response.start", "websocket.accept"):
            message.setdefault("headers", [])
            MutableHeaders(scope=message).append("set-cookie", header)
        await send(message)

    return sending


def is_host(scope: Scope) -> bool:
    """Whether the host asks: with the token of the teacher key, or from this very machine, unless
    that was given back.
    """
    token = cookies(scope).get(HOST_TOKEN, "")
    if token == GIVEN_BACK:
        return False
    return is_host_token(token) or is_this_machine(scope)


def is_this_machine(scope: Scope) -> bool:
    """Whether somebody at this very machine asks, and nobody else through a proxy on it.

    Behind a proxy everybody has this machine's address. Proxies betray themselves by their headers
    or by another name than ``localhost``; one that hides both is told by ``BERTSENT_HOSTS``, which
    it needs, or by ``BERTSENT_HOST_BY_ADDRESS=0``.
    """
    headers, client = Headers(scope=scope), scope.get("client")
    if os.environ.get(BY_ADDRESS) == "0" or configured_names() or not client:
        return False
    if any(name in _FORWARDED or name.startswith("x-forwarded-") for name in headers):
        return False
    names = [client[0], host_name(headers.get("host", ""))]
    if origin := headers.get("origin"):
        names.append(host_name(origin.partition("://")[2]))
    return _is_loopback(names[0]) and all(n == LOCAL_NAME or _is_loopback(n) for n in names[1:])


def _is_loopback(name: str) -> bool:
    address = as_address(name)
    return address is not None and address.is_loopback
