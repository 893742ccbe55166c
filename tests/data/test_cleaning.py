"""What people see of a review, and what may be typed as one."""

from types import SimpleNamespace

import pytest

from bertsent.data.cleaning import (
    clean_and_count,
    clean_text,
    removed_sentence,
    shorten,
    typed_review,
)
from bertsent.errors import BadInput


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("Great.<br /><br />Really.", "Great. Really."),
        ("Great.<br/>Really.<BR>Yes.< br / >No.", "Great. Really. Yes. No."),
        ("<p>One</p><p>two</p>", "One two"),
        ("Tom &amp; Jerry &quot;rocks&quot; &#39;98", 'Tom & Jerry "rocks" \'98'),
        ("a\x00b\x07c\x1bd\x7fe", "a b c d e"),
        ("evil \u202egnp.exe\u202c and \u2066more\u2069", "evil gnp.exe and more"),
        ("hidden &#x202E;turn", "hidden turn"),
        ("two\r\nlines\rand\n\ttabs", "two lines and tabs"),
        ("  ", ""),
        ("", ""),
        (
            "5 < 6 and 7 > 2, <b>bold</b>",
            "5 < 6 and 7 > 2, <b>bold</b>",
        ),  # only breaks are remains; the rest is what was written
    ],
)
def test_display_text_takes_remains_and_controls_away_and_nothing_else(raw, shown):
    assert clean_text(raw) == shown


ENDLESS = [
    "&" + "amp;" * 5_000,
    "<" * 3_000 + "br>" * 3_000,
    "<" + " " * 50_000,
    "<" + "<p>" * 100 + "br />",
    "&#38" + ";#38" * 500 + ";",
    "&\u202eamp;\u202elt;br&gt;",
]


@pytest.mark.parametrize("raw", [*ENDLESS, "a&lt;br&gt;b &amp;amp;", " \x85 a\u2066&nbsp;\u2069 b"])
def test_cleaning_twice_changes_nothing_more(raw):
    """Positions of words are those of the clean text: a second cleaning would move them. Texts
    nested on purpose end, too.
    """
    once = clean_text(raw)
    assert clean_text(once) == once


def test_what_is_taken_out_is_counted_by_kind():
    text, removed = clean_and_count("A<br /><br />b &amp; c\u202e\x07 AT&T &nope; R&D;  x")
    assert text == "A b & c AT&T &nope; R&D; x"
    kinds = {"HTML tag": 2, "HTML entity": 1, "direction mark": 1, "control character": 1}
    assert removed == kinds
    assert removed_sentence(removed).count(",") == 3
    assert removed_sentence({}) == ""


@pytest.mark.parametrize(
    "script",
    [
        "<img src=x onerror=alert(1)>",
        "</script><script>alert(1)</script>",
        "[x](javascript:alert(1))",
        r"$\LaTeX$ :red[x]",
    ],
)
def test_markup_that_somebody_typed_is_kept_as_text_for_the_page_to_escape(script):
    assert clean_text(script) == script


def test_shorten_keeps_short_texts_and_marks_cut_ones():
    assert shorten("short", 5) == "short"
    assert shorten("one<br />two", 20) == "one two"
    assert shorten("a long review", 8) == "a long…"
    assert len(shorten("x" * 10_000, 80)) == 80


@pytest.mark.parametrize(
    "nothing", ["", "   ", "\n\t\r", "\x00", "\x00\x07", "\u200b\u200d", "\u202e\u202c"]
)
def test_nothing_to_classify_is_said_so(nothing):
    with pytest.raises(BadInput) as error:
        typed_review(nothing, 100)
    assert str(error.value) == "There is nothing to classify. Type a review of at least one word."


@pytest.mark.parametrize("text", ["好", "Очень хорошо", "😀", "[SEP] [MASK]", "…", "10/10", "שלום"])
def test_every_script_and_symbol_is_something(text):
    assert typed_review(f"  {text}\n", 100) == text


def test_a_review_that_is_too_long_is_refused_with_its_length_and_the_limit():
    assert typed_review("x" * 100, 100) == "x" * 100
    with pytest.raises(BadInput, match="5,001 characters; the limit is 5,000"):
        typed_review("x" * 5_001, 5_000)


def test_length_is_asked_before_anything_costly(monkeypatch):
    """A megabyte of combining marks kept ``unicodedata.normalize`` busy for minutes: its cost is
    the square of their number.
    """
    touched = SimpleNamespace(
        normalize=lambda *_: pytest.fail("normalised a text that is far too long")
    )
    monkeypatch.setattr("bertsent.data.cleaning.unicodedata", touched)
    with pytest.raises(BadInput, match="limit is 5,000"):
        typed_review("a" + "\u0300\u0327" * 500_000, 5_000)


def test_letters_are_composed_and_half_surrogates_replaced():
    assert typed_review("cafe\u0301", 100) == "caf\u00e9"
    assert typed_review("good \ud83d film", 100) == "good ? film"
