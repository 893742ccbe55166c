"""How often one client may ask for what costs something: generous enough that a class behind one
address notices nothing, and bounded in memory.
"""

import threading
import time
from collections import OrderedDict
from dataclasses import dataclass

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from bertsent.ui.allowed_hosts import as_address
from bertsent.ui.visitors import SECRET, cookies

_KEPT = 4096  # clients that are remembered
_UPLOAD = "/_stcore/upload_file"
_TRY_AGAIN_LATER = 1013  # close code of a WebSocket


@dataclass
class _Bucket:
    tokens: float
    filled: float  # when, on a clock that only goes forward


class TokenBuckets:
    """One bucket a client: it holds ``most`` tokens, gets ``a_second`` back, and each request takes
    one. The clients that have not asked for longest are forgotten. Safe to call from many threads.
    """

    def __init__(self, most: float, a_second: float) -> None:
        self._most, self._a_second = most, a_second
        self._lock = threading.Lock()
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()

    def take(self, client: str, now: float | None = None) -> bool:
        """Take a token; False when there is none."""
        with self._lock:
            bucket = self._bucket(client, now)
            if bucket.tokens < 1:
                return False
            bucket.tokens -= 1
            return True

    def has(self, client: str, now: float | None = None) -> bool:
        """Whether there is a token to take."""
        with self._lock:
            return client not in self._buckets or self._bucket(client, now).tokens >= 1

    def _bucket(self, client: str, now: float | None) -> _Bucket:
        now = time.monotonic() if now is None else now
        bucket = self._buckets.setdefault(client, _Bucket(self._most, now))
        self._buckets.move_to_end(client)
        while len(self._buckets) > _KEPT:
            self._buckets.popitem(last=False)
        gained = (now - bucket.filled) * self._a_second
        bucket.tokens, bucket.filled = min(self._most, bucket.tokens + gained), now
        return bucket


class RateLimits:
    """Middleware that refuses WebSockets and uploads beyond the rate: by browser, and by address
    because a browser can forget who it is.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        # a visit takes one WebSocket; behind one address a whole class comes in the same second
        self._visits = {"browser": TokenBuckets(60, 0.5), "address": TokenBuckets(600, 20)}
        self._uploads = {"browser": TokenBuckets(30, 0.2), "address": TokenBuckets(300, 2)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket" and not _take(self._visits, scope):
            await send({"type": "websocket.close", "code": _TRY_AGAIN_LATER})
        elif _uploads(scope) and not _take(self._uploads, scope):
            await too_many(scope, receive, send)
        else:
            await self._app(scope, receive, send)


too_many = PlainTextResponse(
    "Too many requests from this address. Wait a minute.\n",
    status_code=429,
    headers={"retry-after": "60"},
)


def _uploads(scope: Scope) -> bool:
    return scope["type"] == "http" and scope["method"] == "PUT" and _UPLOAD in scope["path"]


def _take(buckets: dict[str, TokenBuckets], scope: Scope) -> bool:
    browser = cookies(scope).get(SECRET, "")[:32]
    by_browser = not browser or buckets["browser"].take(browser)
    return by_browser and buckets["address"].take(client_address(scope))


def client_address(scope: Scope) -> str:
    """The address of a client; behind a proxy on this machine the one that the proxy has seen.
    Addresses of one IPv6 network count as one.
    """
    peer = (scope.get("client") or ("",))[0]
    address = as_address(peer)
    seen = Headers(scope=scope).getlist("x-forwarded-for")
    if seen and address is not None and address.is_loopback:
        address = as_address(seen[-1].rpartition(",")[2].strip()) or address
    if address is not None and address.version == 6:
        return address.exploded[:19]  # the first 64 bits
    return str(address or peer)
