"""The settings of a lesson and of its steps: a flat piece of YAML, read with the line of each."""

from dataclasses import dataclass

import yaml

from bertsent.lessons.problems import Problems

QUOTES = "Put quotes around a text that contains a colon or begins with a sign."


@dataclass(frozen=True)
class Setting:
    """The value of a setting, a text or a list of texts, and its line in the file, from 1."""

    value: str | tuple[str, ...]
    line: int


def read_settings(text: str, first: int, problems: Problems) -> dict[str, Setting] | None:
    """Read ``name: value`` lines; None where nothing can be read.

    Args:
        text: YAML.
        first: the line of the file on which it begins, from 1.
        problems: where to note what cannot be read; a single such setting is left out.
    """
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        unclosed = "stream end" in str(error.problem)
        mark = error.context_mark if unclosed else error.problem_mark
        line = first + (mark.line if mark else 0)
        problems.note(line, f"These settings cannot be read: {_reason(str(error.problem))}")
        return None
    except (yaml.YAMLError, RecursionError):
        problems.note(first, "These settings cannot be read. Write “name: value” lines.")
        return None
    if root is None:
        return {}
    if not isinstance(root, yaml.MappingNode):
        problems.note(first, "Settings are lines of the form “name: value”.")
        return None
    return _settings(root, first, problems)


def _settings(root: yaml.MappingNode, first: int, problems: Problems) -> dict[str, Setting]:
    found: dict[str, Setting] = {}
    for key, value in root.value:
        line, name = first + key.start_mark.line, str(key.value)
        problems.note_if(name in found, line, f"“{name}” is set twice. Keep one.")
        read = _value(value)
        if read is None:
            problems.note(line, f"“{name}” has to be a text or a list of texts. {QUOTES}")
        else:
            found[name] = Setting(read, line)
    return found


def _reason(problem: str) -> str:
    return "a tab begins the line. Use spaces." if "\\t" in problem else f"{problem}. {QUOTES}"


def _value(node: yaml.Node) -> str | tuple[str, ...] | None:
    if isinstance(node, yaml.ScalarNode):
        return "" if node.tag.endswith(":null") else str(node.value).strip()
    if isinstance(node, yaml.SequenceNode):
        items = [_value(item) for item in node.value if isinstance(item, yaml.ScalarNode)]
        texts = tuple(item for item in items if isinstance(item, str))
        return texts if len(texts) == len(node.value) else None
    return None
