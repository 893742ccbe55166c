"""``python -m bertsent.ui.serve``: start the app for a class, with everything set before torch can
be loaded.

This process becomes the server. Beside it a short-lived one asks for the script health check, which
runs ``app.py`` once: the
menu stands and the modules are warm before the first student arrives, a broken installation says so
here, and the addresses
are printed when they really answer.
"""

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

from bertsent.settings import PROJECT, machine

DEFAULT_PORT = 8501
SECONDS = 120


def main() -> None:
    """Start the one that warms up and welcomes, then become Streamlit."""
    port = _free_port(int(os.environ.get("PORT", DEFAULT_PORT)))
    subprocess.Popen([sys.executable, "-m", "bertsent.ui.serve", "welcome", str(port)], cwd=PROJECT)
    os.chdir(PROJECT)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # the welcome replaces Streamlit's own
    os.execv(
        sys.executable,
        [
            sys.executable,
            "-m",
            "streamlit",
            "run",
            "app.py",
            "--server.port",
            str(port),
            *sys.argv[1:],
        ],
    )


def welcome(port: int) -> None:
    """Wait until the app answers, then print where it is and what the machine can do."""
    server = os.getppid()
    address = f"http://127.0.0.1:{port}/_stcore/script-health-check"
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline and os.getppid() == server:
        try:
            urllib.request.urlopen(address, timeout=SECONDS).close()
            return _say(port)
        except urllib.error.HTTPError as error:
            if error.code != 404:  # app.py raised
                break
        except OSError:
            time.sleep(0.2)
    print("The app did not start as it should; its messages are above.", file=sys.stderr)


def _say(port: int) -> None:
    print(f"bertsent is ready: http://localhost:{port}")
    name = _own_address()
    if name:
        print(f"for the class:     http://{name}:{port}")
    print(machine().sentence(), flush=True)


def _own_address() -> str:
    """The address of this machine in its network, found without sending anything."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
            return probe.getsockname()[0]
        except OSError:
            return ""


def _free_port(wanted: int) -> int:
    for port in range(wanted, wanted + 20):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)):
                return port
    sys.exit(f"No free port from {wanted} to {wanted + 19}; choose one with PORT=…")


if __name__ == "__main__":
    if sys.argv[1:2] == ["welcome"]:
        welcome(int(sys.argv[2]))
    else:
        main()
