"""How often a client may guess a code or a password, and how often it may send something: a class
of two hundred behind one address notices nothing.
"""

from starlette.types import Scope

from bertsent.errors import Busy
from bertsent.ui.rate_limits import TokenBuckets, client_address
from bertsent.ui.visitors import SECRET, cookies


class TooManyTries(Busy):
    """Too much comes from one browser or one address."""

    def __init__(self) -> None:
        super().__init__("Too many tries from this network.", "Wait a minute.")


class RoomLimits:
    """The buckets of all rooms of this server."""

    def __init__(self) -> None:
        # of 28 million codes; everybody of a class may mistype it
        self._codes = TokenBuckets(300, 1)
        self._passwords = TokenBuckets(300, 0.2)
        self._sent = {"browser": TokenBuckets(60, 2), "address": TokenBuckets(3_000, 100)}
        self._asked = TokenBuckets(20, 0.5)  # reviews that one person types for a model

    def may_guess(self, scope: Scope) -> bool:
        """Whether somebody at this address may still try codes and passwords."""
        address = client_address(scope)
        return self._codes.has(address) and self._passwords.has(address)

    def wrong_code(self, scope: Scope) -> None:
        """A code that no room has was tried."""
        self._codes.take(client_address(scope))

    def wrong_password(self, scope: Scope) -> None:
        """A password that is not the room's was tried."""
        self._passwords.take(client_address(scope))

    def may_send(self, scope: Scope) -> bool:
        """Whether this browser and this address may send one more thing."""
        browser = cookies(scope).get(SECRET, "")[:32]
        return self._sent["browser"].take(browser) and self._sent["address"].take(
            client_address(scope)
        )

    def may_ask(self, scope: Scope) -> bool:
        """Whether this browser may ask a model once more."""
        return self._asked.take(cookies(scope).get(SECRET, "")[:32])
