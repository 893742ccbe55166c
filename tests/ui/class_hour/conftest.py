"""Who looks at the page, as the security tests set it."""

from tests.security.conftest import looks  # noqa: F401 - a fixture
