"""A Markdown text as sections under headings, with the line of everything, and what a lesson may
not contain.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from markdown_it import MarkdownIt
from markdown_it.token import Token

from bertsent.lessons.problems import Problems

HTML = "Raw HTML is not shown. Write Markdown."


@dataclass(frozen=True)
class Block:
    """A paragraph, list, quotation or piece of code at the top level, as it is written; ``line`` is
    that of the file, from 1.
    """

    kind: str  # as markdown-it calls it: paragraph, bullet_list, blockquote, fence …
    source: str
    line: int
    tokens: Sequence[Token]


@dataclass
class Section:
    """What stands under a heading, before the next one of its rank or higher."""

    title: str
    line: int
    blocks: list[Block] = field(default_factory=list)
    parts: list["Section"] = field(default_factory=list)  # under ### headings


def read_sections(lines: Sequence[str], first: int, problems: Problems) -> list[Section]:
    """The ``##`` sections of a text with their ``###`` parts.

    Args:
        lines: of the text.
        first: the line of the file on which it begins, from 1.
        problems: where to note raw HTML, images, and what stands before the first heading.
    """
    tokens = parsed(lines)
    _refuse(tokens, first, problems)
    sections: list[Section] = []
    place: Section | None = None
    for block in _blocks(tokens, lines, first):
        rank = block.tokens[0].tag if block.kind == "heading" else ""
        if rank == "h2":
            place = Section(_heading(block), block.line)
            sections.append(place)
        elif rank == "h3" and sections:
            place = Section(_heading(block), block.line)
            sections[-1].parts.append(place)
        elif rank == "h1" or place is None:
            problems.note(block.line, "This belongs to no step. A step begins with “## ”.")
        else:
            place.blocks.append(block)
    return sections


class _EveryLink(MarkdownIt):
    def validateLink(self, url: str) -> bool:  # noqa: N802, ARG002 - its name for what is a link
        return True


def parsed(lines: Sequence[str]) -> list[Token]:
    """The tokens of Markdown. A link that would run a script is a link too, so that it can be
    refused.
    """
    return _EveryLink("commonmark").enable("table").parse("\n".join(lines))


def source_of(blocks: Sequence[Block]) -> str:
    """What stands in these blocks, as Markdown."""
    return "\n\n".join(block.source for block in blocks)


def plain_text(written: str) -> str:
    """What Markdown of one paragraph says, without its marks."""
    inline = MarkdownIt("commonmark").parseInline(written)
    words = (child for token in inline for child in token.children or ())
    return "".join(child.content or " " * (child.type == "softbreak") for child in words)


def links(tokens: Sequence[Token], first: int) -> Iterator[tuple[int, str]]:
    """The line and the address of every link."""
    for line, token in _inline(tokens, first):
        if token.type == "link_open":
            yield line, str(token.attrs.get("href", ""))


def _heading(block: Block) -> str:
    return block.tokens[1].content.strip()


def _blocks(tokens: Sequence[Token], lines: Sequence[str], first: int) -> Iterator[Block]:
    begin = 0
    for place, token in enumerate(tokens):
        if token.level or token.nesting == 1:
            continue
        own = tokens[begin : place + 1]
        start, end = own[0].map or (0, 0)
        source = "\n".join(lines[start:end]).strip("\n")
        yield Block(own[0].type.removesuffix("_open"), source, first + start, own)
        begin = place + 1


def _refuse(tokens: Sequence[Token], first: int, problems: Problems) -> None:
    for token in tokens:
        if token.type == "html_block" and token.map:
            problems.note(first + token.map[0], HTML)
    for line, token in _inline(tokens, first):
        problems.note_if(token.type == "html_inline", line, HTML)
        problems.note_if(token.type == "image", line, "Images are not used. Open a page instead.")


def _inline(tokens: Sequence[Token], first: int) -> Iterator[tuple[int, Token]]:
    """Everything within a line of text, with its line of the file."""
    for token in tokens:
        line = first + (token.map[0] if token.map else 0)
        for child in token.children or ():
            yield line, child
            line += child.type in ("softbreak", "hardbreak")
