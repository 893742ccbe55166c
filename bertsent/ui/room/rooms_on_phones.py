"""The layer that answers for ``/room``: the page, what its script asks for, and a stream of what
happens in the room.

``/room/CODE/state`` and the actions take and give JSON, ``/room/CODE/events`` are server-sent
events. docs/security.md says what is promised.
"""

import asyncio
import json
import random
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route, Router
from starlette.types import ASGIApp, Receive, Scope, Send

from bertsent.classroom.room import Room
from bertsent.classroom.rooms import find_room
from bertsent.errors import BadInput, BertsentError, NotAllowed, NotAvailable
from bertsent.ui.room.actions import ACTIONS, ASK_A_MODEL, Body
from bertsent.ui.room.phone_page import file, page
from bertsent.ui.room.phone_view import View, room_view
from bertsent.ui.room.room_limits import RoomLimits, TooManyTries
from bertsent.ui.room.watcher import Watcher, Watchers
from bertsent.ui.visitors import OWN_SCRIPT, VISITOR_HEADER, has_secret

LONGEST, SLOWEST = 20_000, 15.0  # bytes of what a phone sends, and the seconds that it may take
ASKING = 32  # reviews that are with the model at once: as many as go through it in one pass
BEAT = 10.0  # seconds after which a stream says that it lives
_STATUS = {BadInput: 400, NotAllowed: 403, NotAvailable: 410, TooManyTries: 429}
_NO_COOKIES = "This browser keeps no cookies. Allow them for this page, and load it again."
T = TypeVar("T")


class RoomsOnPhones:
    """Middleware that answers for ``/room`` and all below it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._limits, self._watchers = RoomLimits(), Watchers()
        # what a room writes comes one by one anyway; a password takes its 10 ms beside it
        self._threads = ThreadPoolExecutor(4, "room")
        # reviews wait for the model together
        self._asking = ThreadPoolExecutor(ASKING, "asking")
        self._router = Router(
            [
                Route("/room", page),
                Route("/room/files/{name}", file),
                Route("/room/{code}", page),
                Route("/room/{code}/state", self._state),
                Route("/room/{code}/events", self._events),
                Route("/room/{code}/{action}", self._act, methods=["POST"]),
            ]
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        ours = path == "/room" or path.startswith("/room/")
        app = self._router if scope["type"] == "http" and ours else self._app
        await app(scope, receive, send)

    async def _state(self, request: Request) -> Response:
        if OWN_SCRIPT not in request.headers:
            return _refusal(403, "This is for the page of the room.")
        return await self._answered(request, lambda room, visitor: {})

    async def _act(self, request: Request) -> Response:
        action = ACTIONS.get(request.path_params["action"])
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if action is None or OWN_SCRIPT not in request.headers or kind != "application/json":
            return _refusal(403, "This is for the page of the room.")
        if not has_secret(request.scope):
            return _refusal(401, _NO_COOKIES)
        asks = action in ASK_A_MODEL
        if asks and not self._limits.may_ask(request.scope):
            return _refusal(429, "You ask faster than anybody reads. Wait a few seconds.")
        if not self._limits.may_send(request.scope):
            return _failed(TooManyTries())
        try:
            async with asyncio.timeout(SLOWEST):
                body = await _body(request)
        except (TimeoutError, ClientDisconnect):
            return _refusal(408, "That took too long to arrive.")
        if body is None:
            return _refusal(400, "That cannot be read.")
        return await self._answered(
            request,
            lambda room, visitor: action(room, visitor, body),
            self._asking if asks else self._threads,
        )

    async def _answered(
        self,
        request: Request,
        act: Callable[[Room, str], View],
        threads: ThreadPoolExecutor | None = None,
    ) -> Response:
        """What became of it, and the room as it is then."""

        def work() -> View:
            room = self._room(request)
            visitor = request.headers[VISITOR_HEADER]
            try:
                said = act(room, visitor)
            except NotAllowed:
                if room.member(visitor) not in room.look().members:
                    self._limits.wrong_password(request.scope)
                raise
            return said | {"room": room_view(room, room.member(visitor), room.look())}

        try:
            return _json(200, await self._in_thread(work, threads))
        except BertsentError as error:
            return _failed(error)
        except OSError:
            return _refusal(507, "The lab cannot write to its disk. Tell your teacher.")

    def _room(self, request: Request) -> Room:
        """The room that is asked for.

        Raises:
            NotAvailable: there is none.
            TooManyTries: somebody at this address tries codes or passwords, and this is no member.
        """
        guesses = not self._limits.may_guess(request.scope)
        try:
            room = find_room(request.path_params["code"])
        except NotAvailable:
            self._limits.wrong_code(request.scope)
            if guesses:
                raise TooManyTries() from None
            raise
        member = room.member(request.headers[VISITOR_HEADER])
        if guesses and member not in room.look().members:
            raise TooManyTries()
        return room

    async def _events(self, request: Request) -> Response:
        try:
            room = await self._in_thread(lambda: self._room(request))
            member = room.member(request.headers[VISITOR_HEADER])
            if not has_secret(request.scope) or member not in room.look().members:
                return _refusal(403, "You are not in this room.")
            if not self._watchers.has_place(member):
                return _failed(TooManyTries())
            watcher = await self._watchers.enter(room, member)
        except BertsentError as error:
            return _failed(error)
        return StreamingResponse(
            self._stream(watcher, member),
            media_type="text/event-stream",
            headers={"cache-control": "no-store", "x-accel-buffering": "no"},
        )

    async def _stream(self, watcher: Watcher, member: str) -> AsyncIterator[str]:
        sent, room = View(), watcher.room
        try:
            yield f"retry: {random.randint(1000, 2000)}\n\n"  # not all phones at once
            while not watcher.over:
                seen = watcher.version
                view = room_view(room, member, watcher.state, watcher.shared)
                yield f"data: {_text({'room': view} if view != sent else {})}\n\n"
                sent = view
                await watcher.news(seen, BEAT)
        finally:
            self._watchers.leave(watcher, member)

    async def _in_thread(
        self, work: Callable[[], T], threads: ThreadPoolExecutor | None = None
    ) -> T:
        return await asyncio.get_running_loop().run_in_executor(threads or self._threads, work)


async def _body(request: Request) -> Body | None:
    """The JSON object that was sent; None where it is too long or none."""
    data = b""
    async for part in request.stream():
        data += part
        if len(data) > LONGEST:
            return None
    try:
        body = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return body if isinstance(body, dict) else None


def _failed(error: BertsentError) -> Response:
    return _refusal(_STATUS.get(type(error), 409), str(error))


def _refusal(status: int, reason: str) -> Response:
    return _json(status, {"error": reason})


def _json(status: int, content: dict[str, Any]) -> Response:
    return Response(
        _text(content),
        status_code=status,
        media_type="application/json",
        headers={"cache-control": "no-store"},
    )


def _text(content: dict[str, Any]) -> str:
    """JSON with the time of the server, by which a phone sets its countdown."""
    stamped = {"now": time.time(), **content}
    return json.dumps(stamped, ensure_ascii=False, separators=(",", ":"))
