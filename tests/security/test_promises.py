"""The page of promises names tests that exist."""

import re

from bertsent.settings import PROJECT


def test_every_promise_names_a_test_that_is_there() -> None:
    text = (PROJECT / "docs" / "security.md").read_text(encoding="utf-8")
    named = re.findall(r"`(test_\w+\.py)(?:::(\w+))?`", text)
    assert len(named) > 25
    for file, test in named:
        folders = (PROJECT / "tests" / folder for folder in ("security", "ui/room"))
        path = next(folder / file for folder in folders if (folder / file).is_file())
        source = path.read_text(encoding="utf-8")
        assert not test or f"def {test}(" in source, f"{file}::{test}"
