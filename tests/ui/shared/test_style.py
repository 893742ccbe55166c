"""The style sheets are whole: a rule that a merge left open swallowed all rules after it."""

from pathlib import Path

import pytest

from bertsent.ui.shared import frame

SHEETS = sorted(Path(frame.__file__).parent.glob("*.css"))


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda path: path.name)
def test_every_rule_is_closed(sheet: Path) -> None:
    depth = 0
    for number, line in enumerate(sheet.read_text(encoding="utf-8").splitlines(), start=1):
        depth += line.count("{") - line.count("}")
        nested = line.rstrip().endswith("{") and not line.startswith((" ", "@"))
        assert 0 <= depth <= 2 and not (nested and depth > 1), f"line {number}"
    assert depth == 0
