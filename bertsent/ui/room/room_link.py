"""The link by which a class joins a room: what a QR code holds."""

from collections.abc import Mapping
from urllib.parse import urlsplit

from bertsent.ui.allowed_hosts import LOCAL_NAME, as_address
from bertsent.ui.serve import own_address


def room_link(code: str, headers: Mapping[str, str]) -> str:
    """The address of a room as a phone reaches it: under the name by which the teacher's browser
    did, or under this machine's own address where that says ``localhost``, which no phone knows.

    Args:
        code: of the room.
        headers: those of the request, or ``st.context.headers``.
    """
    origin = urlsplit(headers.get("origin") or "")
    scheme = origin.scheme if origin.scheme == "https" else "http"
    place = urlsplit(f"//{origin.netloc or headers.get('host') or LOCAL_NAME}")
    name = place.hostname or LOCAL_NAME
    address = as_address(name)
    if name == LOCAL_NAME or (address is not None and address.is_loopback):
        name = own_address() or name
    name = f"[{name}]" if ":" in name else name
    port = f":{place.port}" if place.port else ""
    return f"{scheme}://{name}{port}/room/{code}"
