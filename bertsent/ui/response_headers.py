"""What every answer tells the browser: who may frame it, what it may load, and that its kind is not
to be guessed.
"""

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bertsent.ui.page_policy import FILE_POLICY, page_policy

_ALWAYS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",  # with "no-referrer" our own form has no origin
    "x-frame-options": "SAMEORIGIN",
    "cross-origin-opener-policy": "same-origin",
}
_FILES = ("/media/", "/component/", "/_stcore/")


class ResponseHeaders:
    """Middleware that adds the headers; a policy that an answer brings itself stays."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                message.setdefault("headers", [])
                _add(MutableHeaders(scope=message), scope["path"], message["status"])
            await send(message)

        await self._app(scope, receive, sending if scope["type"] == "http" else send)


def _add(headers: MutableHeaders, path: str, status: int) -> None:
    headers.update(_ALWAYS)
    # a browser that still has the page takes over the policy, whose nonce is a new server's
    unchanged = status == 304 and "/static/" not in path
    if any(place in path for place in _FILES):
        headers.setdefault("content-security-policy", FILE_POLICY)
    elif unchanged or headers.get("content-type", "").startswith("text/html"):
        headers.setdefault("content-security-policy", page_policy())
