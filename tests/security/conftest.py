"""Two visitors of one lab, and requests as the layers in front of Streamlit meet them."""

import asyncio
import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from starlette.responses import PlainTextResponse
from starlette.types import Scope
from streamlit.runtime.context import ContextProxy

from bertsent.training.runs.run import Run
from bertsent.ui.visitors import HOST_HEADER, VISITOR_HEADER
from tests.ui.conftest import (  # noqa: F401 - fixtures
    crashed,
    finished,
    running,
    trained,
    visit,
    warm_server,
    without_shipped_model,
)

ANN, BEN = (hashlib.sha256(name).hexdigest() for name in (b"ann", b"ben"))


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Who looks at the page from now on: ``looks(BEN)``, ``looks(BEN, host=True)``."""

    def set_visitor(who: str, *, host: bool = False) -> None:
        told = {VISITOR_HEADER: who, HOST_HEADER: "1" if host else "0"}
        monkeypatch.setattr(ContextProxy, "headers", property(lambda self: told))

    return set_visitor


def owned(run: Run, owner: str) -> Run:
    (run.folder / "owner").write_text(owner)
    return run


def forged(element):
    """A widget as a browser without manners sees it: that it is disabled keeps it from nothing."""
    element.proto.disabled = False
    return element


@dataclass
class Answer:
    """What a layer answers, and the request as it reached Streamlit, if it did."""

    status: int = 0  # the close code of a WebSocket that was refused
    headers: list[tuple[str, str]] = field(default_factory=list)
    body: str = ""
    passed_on: Scope | None = None

    def header(self, name: str) -> str:
        return "\n".join(value for key, value in self.headers if key == name)

    def told(self, name: str) -> str:
        """A header of the request as Streamlit met it."""
        assert self.passed_on is not None
        return "\n".join(v.decode() for k, v in self.passed_on["headers"] if k.decode() == name)


def ask(
    layer: Callable,
    path: str = "/",
    *,
    kind: str = "http",
    method: str = "GET",
    client: str = "192.0.2.7",
    body: bytes = b"",
    query: str = "",
    **headers: str,
) -> Answer:
    """Send a request through a layer: one that stands already, or what makes one over an app."""
    answer = Answer()

    async def streamlit(scope: Scope, receive: Callable, send: Callable) -> None:
        answer.passed_on = scope
        if scope["type"] == "websocket":
            await send({"type": "websocket.accept"})
        else:
            await PlainTextResponse("passed on")(scope, receive, send)

    async def send(message: dict) -> None:
        answer.status = message.get("status", message.get("code", answer.status))
        answer.headers += [(k.decode(), v.decode()) for k, v in message.get("headers", [])]
        answer.body += message.get("body", b"").decode()

    async def receive() -> dict:
        return {"type": "http.request", "body": body, "more_body": False}

    named = {"host": "192.0.2.1:8501"} | {k.replace("_", "-"): v for k, v in headers.items()}
    scope = {
        "type": kind,
        "method": method,
        "scheme": "ws" if kind == "websocket" else "http",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": query.encode(),
        "headers": [(k.encode(), v.encode()) for k, v in named.items() if v],
        "client": (client, 50_000),
        "server": ("192.0.2.1", 8501),
    }
    if hasattr(layer, "_app"):
        layer._app = streamlit
    else:
        layer = layer(streamlit)
    asyncio.run(layer(scope, receive, send))
    return answer
