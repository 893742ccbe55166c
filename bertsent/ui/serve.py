"""``python -m bertsent.ui.serve``: start the app for a class, with everything set before torch can be loaded.

The server is asked once for its script health check, which runs ``app.py``: the menu stands and the modules are warm before
the first student arrives, and a broken installation says so here.
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


def main() -> int:
    """Start Streamlit, wait until it answers, print the addresses, and stay until it ends."""
    port = _free_port(int(os.environ.get("PORT", DEFAULT_PORT)))
    streamlit = [sys.executable, "-m", "streamlit", "run", str(PROJECT / "app.py"), "--server.port", str(port), *sys.argv[1:]]
    server = subprocess.Popen(streamlit, cwd=PROJECT, stdout=subprocess.DEVNULL)
    try:
        if not _ready(server, port):
            print("The app did not start; its messages are above.", file=sys.stderr)
            server.terminate()
            return 1
        _welcome(port)
        return server.wait()
    except KeyboardInterrupt:
        server.terminate()
        print("\nStopped. Runs that train go on; start the app again to see them.")
        return 0


def _ready(server: subprocess.Popen, port: int) -> bool:
    address = f"http://127.0.0.1:{port}/_stcore/script-health-check"
    for _ in range(240):
        if server.poll() is not None:
            return False
        try:
            return urllib.request.urlopen(address, timeout=60).status == 200
        except urllib.error.HTTPError as error:
            if error.code != 404:  # 503: app.py raised
                return False
        except OSError:
            pass
        time.sleep(0.25)
    return False


def _welcome(port: int) -> None:
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
    print(f"No free port from {wanted} to {wanted + 19}; choose one with PORT=…", file=sys.stderr)
    sys.exit(1)


if __name__ == "__main__":
    sys.exit(main())
