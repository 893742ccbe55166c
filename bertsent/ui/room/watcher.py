"""One watcher for each room that phones listen to: it looks at the room a few times a second, and
wakes the streams when there is something to say. Two hundred phones cost one look.
"""

import asyncio
import signal
import time
from contextlib import suppress

from bertsent.classroom.room import Room
from bertsent.classroom.room_state import RoomState
from bertsent.errors import NotAvailable
from bertsent.ui.room.phone_view import SharedView, View, shared_view

LOOK, COUNTS = 0.25, 2.0  # seconds
MOST_STREAMS, STREAMS_EACH = 2_000, 4


class Watcher:
    """What the phones of one room wait for."""

    def __init__(self, room: Room) -> None:
        self.room, self.over = room, False
        self.state, self.shared = RoomState(), SharedView()
        self.streams: list[str] = []  # whose
        self.version = 0
        self._news = asyncio.Event()
        self._sent, self._sent_at = (RoomState(), View()), 0.0  # at the last waking

    async def look(self) -> None:
        """Take in what has happened, and wake whoever waits for it. Votes and reviews come by
        the dozen a second: they are told every other second, all else at once.

        Raises:
            NotAvailable: the room was deleted.
        """
        state, shared = await asyncio.to_thread(self._read)  # a slow disk holds nobody up
        if state.changes < self.state.changes:
            return  # another look was quicker
        self.state, self.shared, now = state, shared, time.monotonic()
        last, last_view = self._sent
        calm = _without_counts(self.shared.view) == _without_counts(last_view)
        calm = calm and state.removed == last.removed
        if not calm or (state is not last and now - self._sent_at >= COUNTS):
            self._sent, self._sent_at = (state, self.shared.view), now
            self._wake()

    def _read(self) -> tuple[RoomState, SharedView]:
        state = self.room.look()
        return state, shared_view(state)

    async def run(self) -> None:
        """Look until nobody listens, the room is gone or the server stops."""
        try:
            while not is_stopping():
                await asyncio.sleep(LOOK)
                if not self.streams:
                    break
                with suppress(OSError):  # the next look may succeed
                    await self.look()
        except NotAvailable:
            pass
        finally:
            self.over = True
            self._wake()

    async def news(self, seen: int, seconds: float) -> None:
        """Wait for another version than the one that was seen, so long at most."""
        if self.version == seen and not self.over:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._news.wait(), seconds)

    def _wake(self) -> None:
        self.version += 1
        self._news.set()
        self._news = asyncio.Event()


class Watchers:
    """The watchers of all rooms, each there while somebody listens."""

    def __init__(self) -> None:
        self._watchers: dict[str, Watcher] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def has_place(self, member: str) -> bool:
        """Whether this member may open one more stream."""
        streams = [who for watcher in self._watchers.values() for who in watcher.streams]
        return len(streams) < MOST_STREAMS and streams.count(member) < STREAMS_EACH

    async def enter(self, room: Room, member: str) -> Watcher:
        """The room's watcher, which looks until this stream leaves.

        Raises:
            NotAvailable: the room was deleted.
        """
        watcher = self._watchers.get(room.code)
        if watcher is None or watcher.over or watcher.room is not room:
            watcher = self._start(Watcher(room))
        watcher.streams.append(member)
        try:
            await watcher.look()  # whoever has just joined is a member in it
        except NotAvailable:
            self.leave(watcher, member)
            raise
        return watcher

    def _start(self, watcher: Watcher) -> Watcher:
        self._watchers[watcher.room.code] = watcher
        task = asyncio.create_task(watcher.run())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return watcher

    def leave(self, watcher: Watcher, member: str) -> None:
        """A stream has ended."""
        watcher.streams.remove(member)
        if not watcher.streams and self._watchers.get(watcher.room.code) is watcher:
            del self._watchers[watcher.room.code]


def _without_counts(shared: View) -> View:
    question = shared.get("question")
    return {
        **shared,
        "members": 0,
        "board": None,
        "question": question and {**question, "voted": 0},
    }


def is_stopping() -> bool:
    """Whether the server was asked to end. It waits for its answers to be complete, and a stream
    never is.
    """
    server = getattr(signal.getsignal(signal.SIGTERM), "__self__", None)
    return bool(getattr(server, "should_exit", False))
