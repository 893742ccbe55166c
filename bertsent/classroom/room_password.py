"""The password of a room, kept as a salted scrypt hash (RFC 7914)."""

import hashlib
import hmac
import os

LONGEST = 100  # characters
_COST = {"n": 2**12, "r": 8, "p": 1}  # 4 MiB and about 10 ms: a class may enter at once


def hashed(password: str) -> str:
    """What is kept of a password; empty for none."""
    return _hash(password, os.urandom(16)) if password else ""


def is_password(given: str, kept: str) -> bool:
    """Whether that is the password of which ``kept`` is the hash; every one is, where there is
    none.
    """
    if not kept:
        return True
    salt = bytes.fromhex(kept.partition(":")[0])
    return hmac.compare_digest(_hash(given[:LONGEST], salt), kept)


def _hash(password: str, salt: bytes) -> str:
    key = hashlib.scrypt(password.encode()[: 4 * LONGEST], salt=salt, dklen=32, **_COST)
    return f"{salt.hex()}:{key.hex()}"
