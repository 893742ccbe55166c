"""The file stands alone: it asks nothing of anybody, runs only its own scripts, and says the
numbers as they were.
"""

import base64
import hashlib
import json
import math
import re
from html.parser import HTMLParser
from pathlib import Path

import altair as alt
import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

from bertsent.figures.embedded import plotly_spec, restored_figure, vega_spec
from bertsent.report.document import Chapter, Document, Drawing, Exhibit, NumberTable
from bertsent.report.html_page import html_page
from bertsent.report.references import CITED, PAPERS, cited, in_order
from bertsent.settings import PROJECT

EVIL = '</script></style>"\'><script>window.evil=1</script><img src=x onerror="evil=1">&lt;{x}'


class Reader(HTMLParser):
    """A document as the standard library's parser understands it."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.inside: list[str] = []
        self.words: list[str] = []
        self.scripts: list[tuple[dict[str, str | None], str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self.inside.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self.inside:
            self.inside.remove(tag)

    def handle_data(self, data: str) -> None:
        if "script" in self.inside:
            self.scripts.append((self.tags[-1][1], data))
        elif "style" not in self.inside:
            self.words.append(data)


def read(document: Document) -> Reader:
    reader = Reader()
    reader.feed(html_page(document).decode())
    return reader


def document(*exhibits: Exhibit, **rest: object) -> Document:
    facts = {"cards": {}, "references": [], **rest}
    return Document("A report", "Of today", [Chapter("First", exhibits)], **facts)


@pytest.fixture(scope="module")
def figure() -> go.Figure:
    return go.Figure(go.Bar(y=[0.1 + 0.2, 1 / 3], hovertext=[EVIL, "b"])).update_layout(title=EVIL)


@pytest.fixture(scope="module")
def full(figure: go.Figure) -> Reader:
    """Everything that a person can have written, as markup."""
    chart = alt.Chart(pd.DataFrame({"x": [1, 2], "word": [EVIL, "b"]})).mark_bar()
    drawings = (
        Drawing("plotly", plotly_spec(figure), EVIL),
        Drawing("vega", vega_spec(chart.encode(x="x:Q", y="word:N")), "Bars"),
    )
    table = NumberTable.of_frame(EVIL, pd.DataFrame({EVIL: [EVIL], "p": [0.1 + 0.2]}))
    part = Exhibit(EVIL, (EVIL,), {EVIL: EVIL}, drawings, (table,), f"/Probe?text={EVIL}", EVIL)
    return read(
        Document(
            EVIL,
            EVIL,
            [Chapter(EVIL, (part,), (EVIL,))],
            {EVIL: {EVIL: EVIL}},
            list(PAPERS),
            "https://server.example.org",
        )
    )


def test_what_people_wrote_is_text_and_no_element(full: Reader) -> None:
    """Everywhere a person's words can stand there is markup; none of it became an element."""
    plain = read(document(Exhibit("x", drawings=(Drawing("plotly", {}), Drawing("vega", {})))))
    assert [t for t, _ in full.tags].count("script") == [t for t, _ in plain.tags].count("script")
    assert not {"img", "iframe", "object", "embed", "base", "form"} & {t for t, _ in full.tags}
    assert not [a for _, a in full.tags for name in a if name.startswith("on")]
    assert sum(EVIL in words for words in full.words) >= 12


def test_no_script_style_picture_or_frame_comes_from_elsewhere(full: Reader) -> None:
    for tag, attributes in full.tags:
        assert "src" not in attributes and tag != "link", (tag, attributes)
        if "href" in attributes:
            assert tag == "a" and attributes["href"].startswith("https://")
    style = re.search(r"<style>(.*?)</style>", html_page(document()).decode(), re.DOTALL)[1]
    assert "url(" not in style and "@import" not in style


def test_only_the_scripts_of_the_file_may_run(full: Reader) -> None:
    """Their hashes are those of the policy, and the policy lets nothing be asked of anybody."""
    policy = next(
        a["content"] for t, a in full.tags if a.get("http-equiv") == "Content-Security-Policy"
    )
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    run = [text for attributes, text in full.scripts if "type" not in attributes]
    hashes = {
        f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
        for text in run
    }
    assert set(rules["script-src"].split()) == hashes and len(hashes) == 3
    assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == "'none'"
    assert "connect-src" not in rules and "http" not in policy


def test_figures_carry_their_numbers_to_the_last_digit(full: Reader, figure: go.Figure) -> None:
    specs = [json.loads(text) for attributes, text in full.scripts if "type" in attributes]
    again = restored_figure(specs[0])
    assert np.array_equal(np.asarray(again.data[0].y, float), [0.1 + 0.2, 1 / 3])
    assert again.data[0].hovertext[0] == EVIL and again.layout.title.text == EVIL
    assert {row["word"] for row in next(iter(specs[1]["datasets"].values()))} == {EVIL, "b"}
    assert specs[1]["width"] == "container"


def test_a_table_shows_few_digits_and_keeps_all() -> None:
    numbers = [0.1 + 0.2, 123456.789, -1e-9, math.nan, math.inf]
    frame = pd.DataFrame({"p": numbers, "n": [1, 2, 3, 4, 12345], "ok": [True] * 5})
    found = read(document(Exhibit("x", tables=(NumberTable.of_frame("Numbers", frame),))))
    titles = [float(a["title"]) for t, a in found.tags if t == "td" and "title" in a]
    assert np.array_equal(titles, [*numbers[:3], math.inf])
    assert {"0.3", "123,457", "-1e-09", "12,345", "yes"} <= set(found.words)


def test_a_long_table_is_cut_and_says_so() -> None:
    frame = pd.DataFrame({"n": range(2_000)})
    found = read(document(Exhibit("x", tables=(NumberTable.of_frame("Many", frame),))))
    assert [t for t, _ in found.tags].count("tr") == 201
    assert "Many, the first 200 of 2,000 rows" in found.words


def test_only_what_is_needed_is_inside(figure: go.Figure) -> None:
    """About 4.8 MB of Plotly, 0.9 MB of Vega, or nothing but words."""
    words, bars = document(Exhibit("x")), document(Exhibit("x", drawings=(Drawing("vega", {}),)))
    both = document(Exhibit("x", drawings=(Drawing("plotly", plotly_spec(figure)),) * 50))
    sizes = [len(html_page(each)) for each in (words, bars, both)]
    assert sizes[0] < 10_000 and 800_000 < sizes[1] < 1_200_000 and sizes[2] < 5_200_000


def test_a_link_leads_to_the_lab_or_nowhere() -> None:
    part = Exhibit("x", link="/Probe?text=a&b=%3C")
    linked = [
        a["href"] for t, a in read(document(part, server="http" + "://h:1/")).tags if t == "a"
    ]
    assert linked == ["http" + "://h:1/Probe?text=a&b=%3C"]
    for nowhere in ("", "javascript:alert(1)//"):
        assert not [t for t, _ in read(document(part, server=nowhere)).tags if t == "a"]


def test_dots_need_no_script_made_of_text() -> None:
    """Plotly's fast dots are drawn by functions made of text, which the policy forbids."""
    dots = go.Figure(go.Scattergl(x=[1], y=[2]), frames=[go.Frame(data=[go.Scattergl(x=[3])])])
    spec = plotly_spec(dots)
    assert spec["data"][0]["type"] == spec["frames"][0]["data"][0]["type"] == "scatter"
    assert dots.data[0].type == "scattergl"


def test_every_reference_is_whole_and_every_place_is_on_a_screen() -> None:
    for key, paper in PAPERS.items():
        name, year = re.fullmatch(r"([a-z]+)(\d{4})", key).groups()
        first = re.sub(r"[^a-z]", "", paper.text.lower().replace("ä", "a"))
        assert name in first[:30] and f"({year})" in paper.text and paper.text.endswith(".")
        assert paper.address.startswith("https://")
    assert {key for keys in CITED.values() for key in keys} == set(PAPERS)
    source = "".join(
        path.read_text(encoding="utf-8")
        for folder in ("pages", "bertsent/ui")
        for path in Path(PROJECT, folder).rglob("*.py")
    )
    for place in CITED:
        page, _, tab = place.partition(": ")
        if page != "Class":
            assert f'"{page}"' in source and (not tab or f'"{tab}"' in source), place


def test_references_are_listed_once_and_by_author() -> None:
    keys = [*cited("Probe", "Why"), *cited("Attention"), "unknown"]
    texts = [PAPERS[key].text for key in in_order(keys)]
    assert texts == sorted(set(texts), key=str.lower) and len(texts) == 10
