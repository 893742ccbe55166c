"""Which names this server answers to, and which pages may talk to it.

A page of elsewhere can have its own name point at this machine (DNS rebinding): the browser then
takes the lab for a part of that page. It still sends the name in ``Host``, and such an attack needs
a name, so addresses in figures are always answered.
"""

import ipaddress
import os
import socket
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

VARIABLE = "BERTSENT_HOSTS"
LOCAL_NAME = "localhost"
_READING = ("GET", "HEAD", "OPTIONS")
_POLICY_VIOLATION = 1008  # close code of a WebSocket


class AllowedHosts:
    """Middleware that refuses requests for another name, and WebSockets and changes that a page of
    another origin asks for.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        reason = _reason(scope) if scope["type"] in ("http", "websocket") else ""
        if not reason:
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": _POLICY_VIOLATION})
        else:
            await PlainTextResponse(reason, status_code=421)(scope, receive, send)


def _reason(scope: Scope) -> str:
    """Why a request is refused; empty where it is not."""
    headers = Headers(scope=scope)
    hosts, origins = headers.getlist("host"), headers.getlist("origin")
    name = host_name(hosts[0]) if len(hosts) == 1 else ""
    if not is_allowed_name(name):
        return (
            f"This lab does not answer to the name {name[:100]!a}. Open it by its address in "
            f"figures, or start it with {VARIABLE} set to its names.\n"
        )
    reads = scope["type"] == "http" and scope["method"] in _READING
    if not reads and origins and not all(_is_own(origin, hosts[0]) for origin in origins):
        return "This lab takes changes from its own pages only.\n"
    return ""


def _is_own(origin: str, host: str) -> bool:
    """Whether a page of that origin is one of ours: under the same name and port, or under one of
    the configured names.
    """
    try:
        place = urlsplit(origin)
        usual = {"http": 80, "https": 443}.get(place.scheme, 0)
        own = urlsplit(f"//{host}")
        same = (place.hostname, place.port or usual) == (own.hostname, own.port or usual)
        return bool(usual) and (same or is_configured(place.hostname or ""))
    except ValueError:
        return False


def host_name(host: str) -> str:
    """The name in a ``Host`` header without its port, in lower case; empty where it is none."""
    try:
        parts = urlsplit(f"//{host}")
        _ = parts.port  # raises for what is no number
    except ValueError:
        return ""
    plain = not (parts.username or parts.password or parts.path or parts.query or parts.fragment)
    return (parts.hostname or "").rstrip(".") if plain else ""


def is_allowed_name(name: str) -> bool:
    """Whether this server answers to that name."""
    if as_address(name) or name == LOCAL_NAME or name.endswith(f".{LOCAL_NAME}"):
        return True
    own = socket.gethostname().lower()
    mine = {own, own.partition(".")[0], f"{own.partition('.')[0]}.local"}
    return bool(name) and (name in mine or is_configured(name))


def is_configured(name: str) -> bool:
    """Whether ``BERTSENT_HOSTS`` has that name; ``*.example.org`` stands for all below it."""
    for each in configured_names():
        if name == each or (each.startswith("*.") and name.endswith(each[1:])):
            return True
    return False


def configured_names() -> list[str]:
    """The names of ``BERTSENT_HOSTS``, which commas or spaces part."""
    return os.environ.get(VARIABLE, "").lower().replace(",", " ").split()


def as_address(name: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """The address that is written there; an IPv4 one inside of IPv6 becomes plain IPv4."""
    try:
        found = ipaddress.ip_address(name.strip("[]").partition("%")[0])
    except ValueError:
        return None
    return getattr(found, "ipv4_mapped", None) or found
