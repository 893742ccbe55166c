"""Long help texts are Markdown files beside the page that shows them."""

from functools import cache
from pathlib import Path


@cache
def help_text(page: str, name: str) -> str:
    """The text of ``bertsent/ui/PAGE/text/NAME.md``."""
    return (Path(__file__).parents[1] / page / "text" / f"{name}.md").read_text(encoding="utf-8")
