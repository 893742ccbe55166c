"""The teacher key: who knows it is the host of the lab, and may do everything.

It is drawn once, printed by ``make run`` and kept in ``BERTSENT_HOME/teacher-key`` for the owner of
that folder alone. A browser that gave it holds a token made from it, not the key: another key,
drawn after the file was deleted, makes all tokens worthless.
"""

import hashlib
import hmac
import os
import secrets
from contextlib import suppress
from pathlib import Path

from bertsent.settings import home

FILE = "teacher-key"
_LETTERS = "23456789abcdefghjkmnpqrstuvwxyz"  # none that is read for another
_GROUPS, _LETTERS_EACH = 4, 5  # 31^20 keys: 99 bits
_LONGEST = 200  # characters of what is taken for a key


def teacher_key() -> str:
    """The key of this lab, drawn when it is asked for the first time.

    Raises:
        OSError: the folder of the lab cannot be read or written.
    """
    path = home() / FILE
    if not path.is_file():
        _draw(path)
    key = path.read_text(encoding="ascii").strip()
    if not key:
        raise OSError(f"{path} is empty: delete it")
    return key


def _draw(path: Path) -> None:
    """Write a new key, whole or not at all; one that another process wrote meanwhile stays."""
    groups = [
        "".join(secrets.choice(_LETTERS) for _ in range(_LETTERS_EACH)) for _ in range(_GROUPS)
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{FILE}-{secrets.token_hex(4)}")
    with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write("-".join(groups) + "\n")
    try:
        with suppress(FileExistsError):
            os.link(unfinished, path)
    finally:
        unfinished.unlink()


def is_teacher_key(given: str) -> bool:
    """Whether that is the key, however it was typed: capitals, spaces and hyphens do not matter.
    Takes the same time for every wrong one.

    Raises:
        OSError: the folder of the lab cannot be read or written.
    """
    return hmac.compare_digest(_digest(given), _digest(teacher_key()))


def host_token() -> str:
    """What a browser keeps instead of the key.

    Raises:
        OSError: the folder of the lab cannot be read or written.
    """
    nonce = secrets.token_hex(16)
    return f"{nonce}.{_signature(nonce)}"


def is_host_token(token: str) -> bool:
    """Whether this lab made that token, with the key that it has now."""
    nonce, _, signature = token.partition(".")
    try:
        return bool(nonce) and hmac.compare_digest(signature.encode(), _signature(nonce).encode())
    except OSError:
        return False


def _signature(nonce: str) -> str:
    return hmac.new(_plain(teacher_key()), b"host " + nonce.encode(), hashlib.sha256).hexdigest()


def _plain(key: str) -> bytes:
    return "".join(key[:_LONGEST].lower().split()).replace("-", "").encode()


def _digest(key: str) -> bytes:
    return hashlib.sha256(_plain(key)).digest()
