"""uvicorn's reader of HTTP, for connections that do not say in time what they ask for.

uvicorn itself waits for ever for the rest of a header. Each such connection holds one of the open
files that a class needs, and costs whoever keeps it nothing ("slow loris").
"""

import asyncio

from uvicorn import config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

LONGEST = 15.0  # seconds to a whole header: from the connection, or a later request's first byte


class TimelyRequests(HttpToolsProtocol):
    """Closes a connection whose next header is not whole after ``LONGEST`` seconds, however it
    trickles in. One that waits between two requests is closed by uvicorn, after five.
    """

    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Give the first header its time: some connections never send a byte."""
        super().connection_made(transport)
        self._late = self.loop.call_later(LONGEST, transport.close)

    def on_message_begin(self) -> None:
        """Give the header of a later request its time."""
        super().on_message_begin()
        if self._late is None:
            self._late = self.loop.call_later(LONGEST, self.transport.close)

    def on_headers_complete(self) -> None:
        """Take all the time that the answer needs."""
        self._in_time()
        super().on_headers_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing any more."""
        self._in_time()
        super().connection_lost(exc)

    def _in_time(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None


def read_in_time() -> None:
    """Have the server of this process, which Streamlit starts, read HTTP so."""
    config.HTTP_PROTOCOLS["auto"] = f"{__name__}:{TimelyRequests.__name__}"
