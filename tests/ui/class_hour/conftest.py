"""Who looks at the page, as the security tests set it, and a board that was played."""

from tests.classroom.conftest import played, tiny_classifier  # noqa: F401 - fixtures
from tests.security.conftest import looks  # noqa: F401 - a fixture
