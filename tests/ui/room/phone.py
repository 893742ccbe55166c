"""A phone without a screen: what the page's script asks for, over a real connection."""

import http.client
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from bertsent.ui.visitors import OWN_SCRIPT

JSON = {OWN_SCRIPT: "1", "content-type": "application/json"}


class Phone:
    """One browser; ``address`` is what a proxy on the server's machine says of it."""

    def __init__(self, port: int, code: str, *, address: str = "", cookie: str = "") -> None:
        self.port, self.code, self.cookie = port, code, cookie
        self.address = address

    def connection(self) -> http.client.HTTPConnection:
        """A line to the server, not yet open."""
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)

    def ask(
        self, path: str, body: object = None, *, headers: dict[str, str] | None = None
    ) -> tuple[int, dict[str, Any]]:
        """Status and content of an answer; a cookie that comes with it is kept."""
        sent = JSON if headers is None else headers
        line = self.connection()
        data = body if isinstance(body, bytes) else body is not None and json.dumps(body).encode()
        line.request(
            "POST" if data else "GET",
            f"/room/{self.code}/{path}",
            data or None,
            sent | self._who(),
        )
        answer = line.getresponse()
        if given := answer.getheader("set-cookie"):
            self.cookie = given.partition(";")[0]
        content = answer.read()
        line.close()
        return answer.status, json.loads(content) if content[:1] == b"{" else {}

    def _who(self) -> dict[str, str]:
        named = {"cookie": self.cookie, "x-forwarded-for": self.address}
        return {name: value for name, value in named.items() if value}

    def join(self, nickname: str = "", password: str = "") -> "Phone":
        """Open the page and come in."""
        self.ask("state")
        status, content = self.ask("join", {"nickname": nickname, "password": password})
        assert status == 200, content
        return self

    def room(self) -> dict[str, Any]:
        """The room as this phone is told it."""
        status, content = self.ask("state")
        assert status == 200, content
        return content["room"]

    def vote(self, question: str, choice: int = 0, confidence: float = 0.5, waited: float = 0):
        """Status and content of the answer to a vote."""
        body = {
            "question": question,
            "choice": choice,
            "confidence": confidence,
            "waited": waited,
        }
        return self.ask("vote", body)

    @contextmanager
    def listen(self) -> Iterator[Iterator[dict[str, Any]]]:
        """What the stream says, each time as it comes."""
        line = self.connection()
        line.request("GET", f"/room/{self.code}/events", headers=self._who())
        answer = line.getresponse()
        assert answer.status == 200, answer.read()
        try:
            yield (json.loads(row[6:]) for row in answer if row.startswith(b"data: "))
        finally:
            answer.close()
            line.close()


def secret(number: int) -> str:
    """The cookie of the browser of that number."""
    return f"bertsent_visitor={number:032x}"
