"""A document in, one HTML file out, which opens without a network: figures with hover and zoom,
tables, run cards, references; light or dark as the reader's machine is, and on paper.

What people wrote is text in it and nothing else. Its Content-Security-Policy lets only the scripts
run that are in the file and forbids to ask anything of anybody.
"""

import base64
import hashlib
import html
import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from bertsent.figures.embedded import library_script
from bertsent.report.document import Chapter, Document, Drawing, Exhibit, NumberTable
from bertsent.report.references import PAPERS

_HERE = Path(__file__).parent
_POLICY = (
    "default-src 'none'; script-src {scripts}; style-src 'unsafe-inline'; img-src data: blob:; "
    "font-src data:; base-uri 'none'; form-action 'none'"
)
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<main>
<header><h1>{title}</h1><p>{subtitle}</p></header>
{body}
</main>
{scripts}
</body>
</html>
"""


def html_page(document: Document) -> bytes:
    """The document as one file. Plotly's script takes 4.8 MB of it, Vega's 0.9 MB, each only where
    a figure needs it.
    """
    needed = dict.fromkeys(drawing.library for drawing in document.drawings())
    scripts = [_unclosed(library_script(library)) for library in needed]
    if scripts:
        scripts.append(_read("report.js"))
    allowed = " ".join(f"'sha256-{_digest(script)}'" for script in scripts) or "'none'"
    return _PAGE.format(
        policy=_POLICY.format(scripts=allowed),
        title=html.escape(document.title),
        subtitle=html.escape(document.subtitle),
        style=_read("report.css"),
        body="\n".join(_body(document)),
        scripts="\n".join(f"<script>{script}</script>" for script in scripts),
    ).encode()


def _body(document: Document) -> Iterator[str]:
    server = document.server if urlsplit(document.server).scheme in ("http", "https") else ""
    for chapter in document.chapters:
        yield _chapter(chapter, server)
    if document.cards:
        cards = "".join(_card(name, facts) for name, facts in document.cards.items())
        yield f'<section class="cards"><h2>What it was made with</h2>{cards}</section>'
    if document.references:
        items = "".join(f"<li>{_reference(key)}</li>" for key in document.references)
        yield f'<section class="references"><h2>References</h2><ol>{items}</ol></section>'


def _chapter(chapter: Chapter, server: str) -> str:
    heading = f"<h2>{html.escape(chapter.heading)}</h2>" if chapter.heading else ""
    words = "".join(f"<p>{html.escape(each)}</p>" for each in chapter.words)
    exhibits = "\n".join(_exhibit(exhibit, server) for exhibit in chapter.exhibits)
    return f"<section>{heading}{words}\n{exhibits}\n</section>"


def _exhibit(exhibit: Exhibit, server: str) -> str:
    pieces = [f"<h3>{html.escape(exhibit.heading)}</h3>"]
    pieces += [f"<p>{html.escape(words)}</p>" for words in exhibit.words if words]
    if exhibit.note:
        pieces.append(f'<p class="note">{html.escape(exhibit.note)}</p>')
    pieces += [_drawing(drawing) for drawing in exhibit.drawings]
    if exhibit.facts:
        pieces.append(f'<dl class="facts">{_facts(exhibit.facts)}</dl>')
    pieces += [_table(table) for table in exhibit.tables]
    if exhibit.link and server:
        address = html.escape(f"{server.rstrip('/')}/{exhibit.link.lstrip('/')}")
        pieces.append(
            f'<p class="again"><a href="{address}" rel="noopener">Open in the lab</a></p>'
        )
    return f"<article>{''.join(pieces)}</article>"


def _drawing(drawing: Drawing) -> str:
    """The place of a figure and, behind it, its data, which no markup in them can end."""
    spec = json.dumps(drawing.spec, separators=(",", ":"), ensure_ascii=False)
    inert = spec.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
    return (
        f'<figure><div class="drawing" role="img" aria-label="{html.escape(drawing.alt)}"></div>'
        f'<script type="application/json" data-library="{drawing.library}">{inert}</script>'
        "</figure>"
    )


def _facts(facts: Mapping[str, str]) -> str:
    return "".join(
        f"<div><dt>{html.escape(name)}</dt><dd>{html.escape(value)}</dd></div>"
        for name, value in facts.items()
        if value
    )


def _card(name: str, facts: Mapping[str, str]) -> str:
    return f'<article class="card"><h3>{html.escape(name)}</h3><dl>{_facts(facts)}</dl></article>'


def _table(table: NumberTable) -> str:
    head = "".join(f"<th>{html.escape(name)}</th>" for name in table.columns)
    rows = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in table.rows)
    cut = len(table.rows) < table.of
    of = f", the first {len(table.rows):,} of {table.of:,} rows" if cut else ""
    title = html.escape(f"{table.title}{of}")
    opened = " open" if table.opened else ""
    return (
        f'<details{opened}><summary>{title}</summary><div class="wide"><table>'
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div></details>"
    )


def _cell(cell: Any) -> str:
    """A number shortened, with all its digits in the tooltip; a text as it is."""
    if cell is None:
        return "<td></td>"
    if isinstance(cell, bool):
        return f"<td>{'yes' if cell else 'no'}</td>"
    if isinstance(cell, int):
        return f'<td class="number">{cell:,}</td>'
    if isinstance(cell, float):
        return f'<td class="number" title="{cell!r}">{_short(cell)}</td>'
    return f"<td>{html.escape(str(cell))}</td>"


def _short(number: float) -> str:
    if not math.isfinite(number):
        return ""
    return f"{number:,.0f}" if abs(number) >= 10_000 else f"{number:.4g}"


def _reference(key: str) -> str:
    paper = PAPERS[key]
    address = html.escape(paper.address)
    return f'{html.escape(paper.text)} <a href="{address}" rel="noopener">{address}</a>'


def _read(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


def _unclosed(script: str) -> str:
    """The script without what would end its element."""
    return script.replace("</script", "<\\/script")


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
