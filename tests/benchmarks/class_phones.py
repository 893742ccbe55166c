"""Phones of a class without screens: each loads the page, joins, listens to the stream and votes
when a question comes, over connections of its own.
"""

import asyncio
import contextlib
import json
import random
import ssl
import time
from dataclasses import dataclass, field

FILES = ("", "files/phone.css", "files/phone.js")
HEADERS = "accept-encoding: gzip\r\nx-bertsent-script: 1\r\ncontent-type: application/json\r\n"
THINKS = 1.0, 8.0  # seconds from a question to a vote


@dataclass
class SimulatedPhone:
    """One phone; what it measured is in seconds, or moments of the clock since 1970."""

    port: int
    code: str
    cookie: str = ""
    name: str = "127.0.0.1"  # of the server, which is on this machine whatever its name
    trusted: ssl.SSLContext | None = None  # None: without TLS
    joined: float = 0.0  # how long it took from the first request
    confirmed: float = 0.0  # how long the vote took
    voted_at: float = 0.0
    revealed_at: float = 0.0
    opened_at: float = 0.0  # the first word of the stream that is open now
    listens: bool = False
    refused: list[int] = field(default_factory=list)
    there: asyncio.Event = field(default_factory=asyncio.Event)
    over: bool = False
    _voted: bool = False

    async def attend(self, arrives: float) -> None:
        """Come after so many seconds, and stay until it is over."""
        await asyncio.sleep(arrives)
        began = time.perf_counter()
        for name in FILES:
            await self._ask("GET", f"/room/{name}" if name else f"/room/{self.code}", plain=True)
        await self._ask("GET", f"/room/{self.code}/state")
        await self._ask("POST", f"/room/{self.code}/join", {"nickname": ""})
        self.joined = time.perf_counter() - began
        while not self.over:
            with contextlib.suppress(OSError, asyncio.IncompleteReadError):
                await self._listen()
            await asyncio.sleep(random.uniform(0.5, 1.5))

    async def come(self) -> None:
        """Join, and do nothing more."""
        await self.knock()
        await self.enter()

    async def knock(self) -> None:
        """Ask what room it is, which gives the phone its secret."""
        await self._ask("GET", f"/room/{self.code}/state")

    async def enter(self) -> None:
        """Join as a random animal."""
        await self._ask("POST", f"/room/{self.code}/join", {"nickname": ""})

    async def probe(self, text: str) -> float:
        """Ask the room's model; gives back how long it took."""
        began = time.perf_counter()
        told = await self._ask("POST", f"/room/{self.code}/probe", {"text": text})
        assert told["answer"]["title"], told
        return time.perf_counter() - began

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        name = self.name if self.trusted else None
        return await asyncio.open_connection(
            "127.0.0.1", self.port, ssl=self.trusted, server_hostname=name
        )

    async def _listen(self) -> None:
        reader, writer = await self._connect()
        writer.write(self._head("GET", f"/room/{self.code}/events", b""))
        try:
            while not self.over:
                row = await asyncio.wait_for(reader.readline(), 25)
                if not row:
                    return
                if row.startswith(b"data: "):
                    await self._hear(json.loads(row[6:]))
        finally:
            self.listens = False
            writer.close()

    async def _hear(self, told: dict) -> None:
        self.there.set()
        if not self.listens:
            self.listens, self.opened_at = True, time.time()
        question = told.get("room", {}).get("question")
        if question is None:
            return
        if question["reveal"] and not self.revealed_at:
            self.revealed_at = time.time()
        if question["phase"] == "open" and not self._voted:
            self._voted = True
            task = asyncio.create_task(self._vote(question["id"]))
            self.task = task

    async def _vote(self, question: str) -> None:
        await asyncio.sleep(random.uniform(*THINKS))
        body = {"question": question, "choice": random.randrange(2), "confidence": 0.8}
        began = time.perf_counter()
        await self._ask("POST", f"/room/{self.code}/vote", body)
        self.confirmed, self.voted_at = time.perf_counter() - began, time.time()

    def _head(self, method: str, path: str, body: bytes) -> bytes:
        cookie = f"cookie: {self.cookie}\r\n" if self.cookie else ""
        return (
            f"{method} {path} HTTP/1.1\r\nhost: {self.name}:{self.port}\r\n{HEADERS}{cookie}"
            f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
        ).encode() + body

    async def _ask(self, method: str, path: str, body: object = None, *, plain=False) -> dict:
        reader, writer = await self._connect()
        sent = b"" if body is None else json.dumps(body).encode()
        writer.write(self._head(method, path, sent))
        answer = await reader.read()
        writer.close()
        head, _, content = answer.partition(b"\r\n\r\n")
        rows = head.decode().split("\r\n")
        if rows[0].split()[1] != "200":
            self.refused.append(int(rows[0].split()[1]))
        for row in rows:
            if row.lower().startswith("set-cookie:"):
                self.cookie = row.partition(":")[2].strip().partition(";")[0]
        return {} if plain else json.loads(content)
