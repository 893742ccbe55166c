"""What the server sends of Streamlit's scripts: the same bytes, compressed, and nothing else."""

import asyncio
import gzip
from pathlib import Path

import pytest
from starlette.responses import PlainTextResponse
from streamlit.file_util import get_static_dir

from bertsent.ui.compressed_scripts import CompressedScripts, compressed

SCRIPT = next(Path(get_static_dir(), "static", "js").glob("index.*.js"))
PATH = f"/static/js/{SCRIPT.name}"


def get(path: str, *, method: str = "GET", **headers: str) -> tuple[dict[str, str], bytes]:
    """What the middleware answers; "passed on" where it leaves the request to Streamlit."""
    sent: list[dict[str, object]] = []

    async def send(message: dict[str, object]) -> None:
        sent.append(message)

    async def receive() -> dict[str, object]:
        return {"type": "http.request"}

    raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "method": method, "path": path, "headers": raw}
    asyncio.run(CompressedScripts(PlainTextResponse("passed on"))(scope, receive, send))
    head = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return head, b"".join(message.get("body", b"") for message in sent[1:])


def test_a_script_arrives_compressed_and_whole() -> None:
    head, body = get(PATH, accept_encoding="gzip, deflate, br")
    assert head["content-encoding"] == "gzip" and head["content-type"].startswith("text/javascript")
    assert "immutable" in head["cache-control"] and head["vary"] == "accept-encoding"
    assert gzip.decompress(body) == SCRIPT.read_bytes() and len(body) < SCRIPT.stat().st_size / 2


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        (PATH, {}),
        (PATH, {"accept_encoding": "br"}),
        (PATH, {"accept_encoding": "gzip", "range": "bytes=0-9"}),
        ("/static/js/absent.js", {"accept_encoding": "gzip"}),
        ("/static/js/../../index.html", {"accept_encoding": "gzip"}),
        ("/static/js/..%2f..%2fsecret.js", {"accept_encoding": "gzip"}),
        ("/static/js//etc/passwd.js", {"accept_encoding": "gzip"}),
        ("/static/media/font.woff2", {"accept_encoding": "gzip"}),
        ("/", {"accept_encoding": "gzip"}),
    ],
)
def test_everything_else_is_left_to_streamlit(path: str, headers: dict[str, str]) -> None:
    assert get(path, **headers)[1] == b"passed on"


def test_only_what_is_read_is_answered() -> None:
    assert get(PATH, method="POST", accept_encoding="gzip")[1] == b"passed on"
    assert compressed("js/absent.js") is None
