"""What is between phones and server, to be disturbed."""

import socket
import threading


class Wire:
    """A proxy between phones and server. It can be pulled out: what is on the way is lost. Or it
    stalls, as Wi-Fi does that drops: no end is told, and what is on the way arrives late.
    """

    def __init__(self, port: int) -> None:
        self._target = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._open: list[socket.socket] = []
        self.pulled = False
        self.flows = threading.Event()
        self.flows.set()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            if self.pulled:
                near.close()
                continue
            far = socket.create_connection(("127.0.0.1", self._target))
            self._open += [near, far]
            for ends in ((near, far), (far, near)):
                threading.Thread(target=self._carry, args=ends, daemon=True).start()

    def _carry(self, source: socket.socket, target: socket.socket) -> None:
        try:
            while data := source.recv(65_536):
                self.flows.wait()
                if self.pulled:
                    return
                target.sendall(data)
        except OSError:
            pass
        finally:
            for end in (source, target):
                end.close()

    def pull(self) -> None:
        """From now on nothing gets through, not even an answer."""
        self.pulled = True
        for end in self._open:
            end.close()

    def close(self) -> None:
        self._listener.close()
