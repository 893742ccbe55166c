"""The lab as docs/deploy.md puts it in place: two copies over one ``BERTSENT_HOME``, started as the
service file says, behind nginx with the shipped configuration; all on this machine's loopback.

What is changed of the two files is what an operator changes: name, ports, paths.
"""

import configparser
import contextlib
import http.client
import os
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from bertsent.settings import PROJECT
from tests.conftest import wait_until
from tests.ui.room.phone import Phone

DEPLOY = PROJECT / "deploy"
NAME = "lab.example.org"
WHY_NOT = (
    ""
    if shutil.which("nginx") and shutil.which("openssl")
    else "nginx or openssl is not installed (Debian: apt-get install nginx-light openssl)"
)
_MAIN = """
{user}
daemon off;
worker_processes 2;
pid {folder}/nginx.pid;
error_log {folder}/main.log;
events {{ worker_connections 4096; }}
http {{
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/bertsent.conf;
}}
"""


@dataclass
class TwoCopies:
    """Where nginx listens, and the copies behind it by their ports."""

    folder: Path
    home: Path
    secure: int  # port of nginx, with TLS
    plain: int  # its port without
    copies: dict[int, "subprocess.Popen[bytes]"] = field(default_factory=dict)

    @property
    def context(self) -> ssl.SSLContext:
        """What trusts the certificate of this lab and no other."""
        return ssl.create_default_context(cafile=str(self.folder / "cert.pem"))

    def line(self, address: str = "127.0.0.1") -> http.client.HTTPSConnection:
        """A connection through nginx, from this address of the loopback."""
        line = _Named(NAME, self.secure, timeout=60, context=self.context)
        line.source_address = (address, 0)
        return line

    def start(self, port: int) -> None:
        """Start a copy as the service file does, without waiting for it."""
        log = (self.folder / f"{port}.log").open("ab")
        self.copies[port] = subprocess.Popen(
            _command(port),
            cwd=PROJECT,
            env={
                **os.environ,
                "BERTSENT_HOME": str(self.home),
                "BERTSENT_HOSTS": NAME,
                "BERTSENT_DEVICE": "cpu",
                "PORT": str(port),
            },
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        log.close()

    def wait(self, port: int) -> None:
        """Until that copy answers."""
        wait_until(lambda: _answers(port), 180)

    def kill(self, port: int) -> None:
        """With ``kill -9``."""
        self.copies[port].send_signal(signal.SIGKILL)
        self.copies[port].wait()


class _Named(http.client.HTTPSConnection):
    """Goes to this machine whatever the name says."""

    def connect(self) -> None:
        plain = socket.create_connection(
            ("127.0.0.1", self.port), self.timeout, self.source_address
        )
        self.sock = self._context.wrap_socket(plain, server_hostname=self.host)


class SecurePhone(Phone):
    """A phone that comes through nginx, and sends again what was answered by nobody."""

    lab: TwoCopies

    def __init__(self, lab: TwoCopies, code: str, *, cookie: str = "") -> None:
        super().__init__(lab.secure, code, cookie=cookie)
        self.lab = lab

    def connection(self) -> http.client.HTTPConnection:
        return self.lab.line()

    def ask(self, *asked, **named):
        """As the page's script takes it: 500 and above is no answer."""
        status, content = super().ask(*asked, **named)
        if status >= 500:
            raise ConnectionError(f"{status} of nginx")
        return status, content


@contextlib.contextmanager
def two_copies(folder: Path, home: Path) -> Iterator[TwoCopies]:
    """Both copies answer, and nginx before them; all of it ended afterwards."""
    first, second, secure, plain = _free_ports(4)
    lab = TwoCopies(folder, home, secure, plain)
    _write_configuration(lab, first, second)
    lab.start(first)
    lab.start(second)
    proxy = None
    try:
        lab.wait(first)
        lab.wait(second)
        proxy = subprocess.Popen(["nginx", "-p", str(folder), "-c", str(folder / "nginx.conf")])
        wait_until(lambda: _listens(secure), 30)
        yield lab
    finally:
        for copy in lab.copies.values():
            copy.kill()
            copy.wait()
        if proxy is not None:
            proxy.terminate()
            proxy.wait()


def _write_configuration(lab: TwoCopies, first: int, second: int) -> None:
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
        + ["-keyout", "key.pem", "-out", "cert.pem", "-subj", f"/CN={NAME}"]
        + ["-addext", f"subjectAltName=DNS:{NAME}"],
        cwd=lab.folder,
        check=True,
        capture_output=True,
    )
    text = (DEPLOY / "nginx" / "bertsent.conf").read_text(encoding="utf-8")
    changed = {
        "8601": str(first),
        "8602": str(second),
        "listen [::]:80;": "",
        "listen [::]:443 ssl http2;": "",
        "listen 80;": f"listen 127.0.0.1:{lab.plain};",
        "listen 443 ssl http2;": f"listen 127.0.0.1:{lab.secure} ssl http2;",
        "/etc/ssl/bertsent/fullchain.pem": str(lab.folder / "cert.pem"),
        "/etc/ssl/bertsent/privkey.pem": str(lab.folder / "key.pem"),
        "/var/log/nginx/": f"{lab.folder}/",
    }
    for old, new in changed.items():
        assert old in text, f"the configuration has no {old}"
        text = text.replace(old, new)
    (lab.folder / "bertsent.conf").write_text(text, encoding="utf-8")
    user = "user root;" if os.getuid() == 0 else ""  # the folder of a test is closed to others
    (lab.folder / "nginx.conf").write_text(_MAIN.format(folder=lab.folder, user=user))


def service() -> configparser.SectionProxy:
    """What the service file says of starting; a setting that stands twice keeps its last value."""
    parsed = configparser.ConfigParser(interpolation=None, strict=False)
    parsed.optionxform = str  # type: ignore[assignment, method-assign]
    parsed.read(DEPLOY / "systemd" / "bertsent@.service", encoding="utf-8")
    return parsed["Service"]


def _command(port: int) -> list[str]:
    python, *rest = service()["ExecStart"].replace("%i", str(port)).split()
    assert python == "/opt/bertsent/.venv/bin/python"
    return [sys.executable, *rest]


def _answers(port: int) -> bool:
    try:
        address = f"http://127.0.0.1:{port}/_stcore/health"
        return urllib.request.urlopen(address, timeout=2).status == 200
    except OSError:
        return False


def _listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=2).close()
    except OSError:
        return False
    return True


def _free_ports(number: int) -> list[int]:
    with contextlib.ExitStack() as stack:
        found = [stack.enter_context(socket.socket()) for _ in range(number)]
        for each in found:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in found]
