"""A client may ask only so often; a busy class does not feel it."""

from bertsent.ui import rate_limits
from bertsent.ui.rate_limits import RateLimits, TokenBuckets, client_address
from tests.security.conftest import ask

UPLOAD = "/_stcore/upload_file/a/b"


def test_a_bucket_fills_again_at_its_rate() -> None:
    bucket = TokenBuckets(3, 0.5)
    assert [bucket.take("a", 0.0) for _ in range(4)] == [True, True, True, False]
    assert bucket.take("b", 0.0), "another client has its own"
    assert [bucket.take("a", 2.0) for _ in range(2)] == [True, False]
    assert [bucket.take("a", 1000.0) for _ in range(4)] == [True, True, True, False]


def test_memory_is_bounded(monkeypatch) -> None:
    monkeypatch.setattr(rate_limits, "_KEPT", 10)
    bucket = TokenBuckets(1, 0.0)
    for client in range(1000):
        assert bucket.take(str(client), 0.0)
    assert len(bucket._buckets) == 10
    assert not bucket.take("999", 0.0)


def test_a_class_behind_one_address_notices_nothing() -> None:
    """200 phones come at once, each of them reloads, and every fourth brings a file."""
    layer = RateLimits(None)
    for phone in [f"{n:032x}" for n in range(200)] * 2:
        cookie = f"bertsent_visitor={phone}"
        assert ask(layer, kind="websocket", cookie=cookie).passed_on
    for n in range(50):
        cookie = f"bertsent_visitor={n:032x}"
        assert ask(layer, UPLOAD, method="PUT", cookie=cookie).status == 200


def test_one_browser_in_a_loop_is_stopped_and_the_others_are_not() -> None:
    layer = RateLimits(None)
    loud, other = (f"bertsent_visitor={letter * 32}" for letter in "ab")
    found = [ask(layer, kind="websocket", cookie=loud) for _ in range(80)]
    assert found[59].passed_on and not found[79].passed_on and found[79].status == 1013
    assert ask(layer, kind="websocket", cookie=other).passed_on


def test_a_client_that_forgets_who_it_is_is_stopped_by_its_address() -> None:
    layer = RateLimits(None)
    uploads = [ask(layer, UPLOAD, method="PUT").status for _ in range(310)]
    assert uploads[:300] == [200] * 300 and 429 in uploads[300:]
    assert ask(layer, UPLOAD, method="PUT", client="198.51.100.1").status == 200
    assert ask(layer, "/").status == 200, "pages are not counted"


def seen(client: str, forwarded: str = "") -> str:
    headers = [(b"x-forwarded-for", forwarded.encode())] if forwarded else []
    return client_address({"client": (client, 1), "headers": headers})


def test_a_client_is_known_by_its_address_behind_a_proxy_too() -> None:
    assert seen("::ffff:192.0.2.7") == seen("192.0.2.7") == "192.0.2.7"
    assert seen("::ffff:127.0.0.1", "203.0.113.9, 192.0.2.7") == "192.0.2.7"
    assert seen("192.0.2.7", "203.0.113.9") == "192.0.2.7", "only a proxy of ours is believed"
    assert seen("2001:db8:1:2::1") == seen("2001:db8:1:2:ffff::9") != seen("2001:db8:1:3::1")
    assert seen("127.0.0.1", "nonsense") == "127.0.0.1"
