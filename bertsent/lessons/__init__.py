"""What a class walks through in an hour: Markdown files with steps (docs/lessons.md)."""
