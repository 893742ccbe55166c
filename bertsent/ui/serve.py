"""``python -m bertsent.ui.serve``: start the app for a class, with everything set before torch can
be loaded.

This process becomes the server. Beside it a short-lived one asks for the script health check, which
runs ``app.py`` once: the menu stands and the modules are warm before the first student arrives, a
broken installation says so here, and the addresses are printed when they really answer.
"""

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from bertsent.settings import PROJECT, machine
from bertsent.ui.host_key import teacher_key

try:
    import resource
except ImportError:  # not on Windows, which has no such limit
    resource = None  # type: ignore[assignment]

DEFAULT_PORT = 8501
CONNECTIONS = 10_240  # open files: what macOS allows at most
SECONDS = 120
APP = str(Path(__file__).with_name("asgi.py"))
LOCAL = "127.0.0.1"


def main(arguments: Sequence[str] = ()) -> None:
    """Start the process that warms up and welcomes, then become Streamlit.

    Args:
        arguments: options of ``streamlit run``, such as ``--server.address localhost``.
    """
    port = _free_port(int(os.environ.get("PORT", DEFAULT_PORT)))
    subprocess.Popen([sys.executable, "-m", "bertsent.ui.serve", "welcome", str(port)], cwd=PROJECT)
    os.chdir(PROJECT)
    allow_many_connections()
    os.environ["STREAMLIT_LOGGER_HIDE_WELCOME_MESSAGE"] = "true"  # ours replaces it
    run = [sys.executable, "-m", "bertsent.ui.serve", "streamlit", "run", APP]
    os.execv(sys.executable, [*run, "--server.port", str(port), *arguments])


def be_streamlit(arguments: Sequence[str]) -> None:
    """``streamlit`` with these arguments, whose server does not wait for ever for a request."""
    from streamlit.web.cli import main as streamlit

    from bertsent.ui.timely_requests import read_in_time

    read_in_time()
    streamlit(list(arguments), prog_name="streamlit")


def allow_many_connections() -> None:
    """Let this process, and what it becomes, hold as many connections as a class needs: a shell
    allows 256 open files on some systems, and 200 phones with a page each take more.
    """
    if resource is None:
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = CONNECTIONS if hard == resource.RLIM_INFINITY else min(CONNECTIONS, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        with suppress(ValueError, OSError):  # the system allows less than it says
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def welcome(port: int) -> None:
    """Wait until the app answers, then print where it is and what the machine can do."""
    server = os.getppid()
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline and os.getppid() == server:
        for host in filter(None, (LOCAL, own_address())):
            try:
                address = f"http://{host}:{port}/_stcore/script-health-check"
                urllib.request.urlopen(address, timeout=SECONDS).close()
                return _print_addresses(port)
            except urllib.error.HTTPError as error:
                if error.code != 404:  # app.py raised
                    return _print_failure()
            except OSError:
                time.sleep(0.2)
    _print_failure()


def _print_failure() -> None:
    print("The app did not start as it should; its messages are above.", file=sys.stderr)


def _print_addresses(port: int) -> None:
    here, network = answers("localhost", port), own_address()
    if here:
        print(f"bertsent is ready: http://localhost:{port}")
    if network and answers(network, port):
        print(f"{'for the class:    ' if here else 'bertsent is ready:'} http://{network}:{port}")
    _print_key(f"http://{network or 'localhost'}:{port}")
    print(machine().sentence(), flush=True)


def _print_key(address: str) -> None:
    """How to become the host in another browser than one on this machine."""
    try:
        key = teacher_key()
    except OSError as error:
        print(f"There is no teacher key: {error}", file=sys.stderr)
    else:
        print(f"teacher key:       {key} (or open {address}/?key={key})")


def answers(host: str, port: int) -> bool:
    """Whether somebody listens there; a server that is bound to this machine alone does so only on
    its own address.
    """
    try:
        socket.create_connection((host, port), timeout=2).close()
    except OSError:
        return False
    return True


def own_address() -> str:
    """The address of this machine in its network, found without sending anything; empty where it
    has none.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
            return probe.getsockname()[0]
        except OSError:
            return ""


def _free_port(wanted: int) -> int:
    for port in range(wanted, wanted + 20):
        if not answers(LOCAL, port):
            return port
    sys.exit(f"No free port from {wanted} to {wanted + 19}; choose one with PORT=…")


if __name__ == "__main__":
    if sys.argv[1:2] == ["welcome"]:
        welcome(int(sys.argv[2]))
    elif sys.argv[1:2] == ["streamlit"]:
        be_streamlit(sys.argv[2:])
    else:
        main(sys.argv[1:])
