"""A lesson file as it is read, and everything that can be wrong with one, each with its line."""

import random

import pytest

from bertsent.lessons.page_links import read_link
from bertsent.lessons.page_parameters import BAR, CARD_INPUTS, PAGES
from bertsent.lessons.problems import BadLesson, Problem
from bertsent.lessons.reading import FILE_BYTES, MOST_STEPS, read_lesson
from bertsent.settings import PROJECT
from tests.lessons.tiny import TINY, line_of


def problems(text: str | bytes) -> list[Problem]:
    content = text if isinstance(text, bytes) else text.encode()
    with pytest.raises(BadLesson) as caught:
        read_lesson(content, "tiny")
    return caught.value.problems


def test_a_lesson_is_read_whole() -> None:
    lesson = read_lesson(TINY.encode(), "tiny")
    first, second = lesson.steps
    assert (lesson.title, lesson.minutes, len(lesson.goals)) == ("The puzzle", 10, 1)
    assert first.text == "It has read the *whole* sentence." and first.focus == ("answer",)
    assert first.question is not None
    assert (first.question.options, first.question.right) == (("Positive", "Negative"), 1)
    assert first.question.reason.startswith("It has seen") and first.notes.startswith("Let the")
    assert first.line == line_of(TINY, "## A machine") and lesson.planned(2) == 9
    assert second.query() == {
        "text": ["Not a bad film & a fine one"],
        "look": ["Silence heads"],
        "silenced": ["6·10", "1·2"],
    }
    assert [question.right for question in lesson.quiz] == [0, 1]
    assert lesson.quiz[0].reason == "A layer has twelve of them."


def test_every_parameter_of_a_page_may_follow_another() -> None:
    """The name “tasks-result”, with its hyphen, was read as part of the group before it."""
    names = [name for page in PAGES.values() for name in page.values if name != "run"]
    for name in names:
        assert read_link(f"run=a & b&{name}=c") == (("run", "a & b"), (name, "c"))


def test_line_ends_and_a_byte_order_mark_change_nothing() -> None:
    plain = read_lesson(TINY.encode(), "tiny")
    assert read_lesson(TINY.replace("\n", "\r\n").encode("utf-8-sig"), "tiny") == plain


def test_the_score_of_a_quiz_counts_what_is_right() -> None:
    lesson = read_lesson(TINY.encode(), "tiny")
    table = {(0, 1): 2, (0, 0): 1, (1, 0): 0, (None, 1): 1, (None, None): 0}
    assert {given: lesson.score(given) for given in table} == table


def test_the_model_may_say_what_is_right() -> None:
    computed = TINY.replace("focus: [answer]", "answer: verdict").replace("- [x] N", "- [ ] N", 1)
    question = read_lesson(computed.encode(), "tiny").steps[0].question
    assert question is not None and question.right is None


@pytest.mark.parametrize(
    ("old", "new", "marker", "word"),
    [
        ("page: Probe", "page: Prob", "page: Prob", "“Probe”"),
        ("page: Probe", "pages: Probe", "pages: Probe", "no setting"),
        ("probe=Answer", "prob=Answer", "prob=", "“probe”"),
        ("probe=Answer", "probe=Answers", "probe=", "“Answer”"),
        ("probe=Answer", "probe=Answer&probe=Why", "probe=", "twice"),
        ("probe=Answer", "model=backbone", "backbone", "classifies"),
        ("Great, another", "Great,%20another%20" + "x" * 5000, "Great", "characters"),
        ("look=Silence heads", "look=Silence%20heads", "%20", "as they are"),
        ("[answer]", "[answers]", "[answers]", "“answer”"),
        ("focus: [answer]", "focus: [answer", "focus:", "cannot be read"),
        ("focus: [answer]", "focus: {a: b}", "focus", "list of texts"),
        ("focus: [answer]", "page: Map", "page: Map", "twice"),
        ("minutes: 4", "minutes: four", "minutes: four", "number"),
        ("minutes: 4", "minutes: 0", "minutes: 0", "above 0"),
        ("minutes: 4", "minutes: 99", "minutes: 99", "at most 60"),
        ("minutes: 5", "minutes: 7", "minutes: 10", "more than the 10"),
        ("title: The puzzle", "title: The puzzle: part 2", "title", "quotes"),
        ("title: The puzzle", "titel: The puzzle", "titel", "no fact"),
        ("title: The puzzle\n", "", "---", "“title” is missing"),
        ("title: The puzzle", "title:", "title:", "empty"),
        ("  - Say why word counts are fooled.\n", "", "---", "“goals” is missing"),
        ("- [x] Negative", "- [ ] Negative", "### Ask", "No option is right"),
        ("- [ ] Positive", "- [x] Positive", "### Ask", "2 options are right"),
        ("- [ ] Positive", "- Positive", "- Positive", "begins with"),
        ("- [ ] Positive\n", "", "### Ask", "not 1"),
        ("- [ ] Positive", "- [ ] Negative", "### Ask", "the same"),
        ("focus: [answer]", "answer: verdict", "### Ask", "mark nothing"),
        ("focus: [answer]", "answer: yes", "answer: yes", "verdict"),
        ("### Why\nIt has seen such openings before.\n", "", "### Ask", "no reason"),
        ("> A layer has twelve of them.", "", "### What is a head?", "no reason"),
        ("### Ask\n", "### Question\n", "### Question", "none of Ask"),
        ("### Notes", "### Why", "### Why", "twice"),
        ("Each head looks elsewhere.", "", "## Where it looks", "says nothing"),
        ("Each head looks elsewhere.", "x" * 1600, "## Where it looks", "too much"),
        ("Each head looks elsewhere.", "<b>Each</b> head", "<b>", "Raw HTML"),
        ("Each head looks elsewhere.", "One.\n<img src=x onerror=a()>", "<img", "Raw HTML"),
        ("Each head looks elsewhere.", "<script>\na()\n</script>", "<script>", "Raw HTML"),
        ("Each head looks elsewhere.", "![a](https://a.org/b.png)", "![a]", "Images"),
        ("Each head looks elsewhere.", "See [it](http://a.org).", "See [it]", "https"),
        ("Each head looks elsewhere.", "See [it](/Probe?probe=Whi).", "See [it]", "“Why”"),
        ("Each head looks elsewhere.", "Or [it](javascript:a()).", "Or [it]", "Dead link"),
        ("Each head looks elsewhere.", "![a](data:image/png;base64,AA)", "![a]", "Images"),
        ("focus: [answer]", "\tfocus: [answer]", "\tfocus", "Use spaces"),
        ("minutes: 5\n```", "minutes: 5\nhide: [silence]\n```", "## Where", "needs a question"),
        ("```yaml step\npage: Attention", "```yaml\npage: Attention", "## Where", "no settings"),
        ("## Where it looks", "# Where it looks", "# Where", "no step"),
        ("## Quiz", "## Quiz\n\n### Empty\n", "### Empty", "no options"),
        ("## A machine", "## Quiz\n\n## A machine", "## Quiz", "last"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(old: str, new: str, marker: str, word: str) -> None:
    text = TINY.replace(old, new, 1)
    assert text != TINY
    found = problems(text)
    lines = [n for n, line in enumerate(text.split("\n"), 1) if marker in line]
    assert any(p.line in lines and word in p.message for p in found), found
    assert all(p.message.endswith((".", "”?")) for p in found)


def test_everything_is_found_at_once() -> None:
    text = TINY.replace("page: Probe", "page: Prob").replace("minutes: 5", "minutes: x")
    text = text.replace("- [x] Fine-tuning", "- [ ] Fine-tuning").replace("Each head", "<b>Each")
    found = problems(text)
    wrong = ("page: Prob", "minutes: x", "<b>", "### What learns")
    assert [p.line for p in found] == [line_of(text, marker) for marker in wrong]


def test_too_large_not_text_and_too_long_are_refused_before_they_are_read() -> None:
    assert problems(b"x" * (FILE_BYTES + 1))[0].line == 1
    assert problems(TINY.encode().replace(b"Each", b"\xff"))[0].line == line_of(TINY, "Each")
    assert problems(TINY.replace("Each", "\0"))[0].line == line_of(TINY, "Each")
    assert problems("")[0].line == 1 and problems("\n" * 1000)
    assert [p.line for p in problems("Dear class")] == [1, 1, 1]  # not also each missing fact
    long = problems(TINY.replace("Each", "[" * 7_000 + "\nEach"))
    assert [p.line for p in long] == [line_of(TINY, "Each")] and "paragraph" in long[0].message
    step = TINY[TINY.index("## Where") : TINY.index("## Quiz")].replace("es: 5", "es: 0.1")
    many = TINY.replace("## Quiz", step * MOST_STEPS + "## Quiz")
    assert any(f"at most {MOST_STEPS} steps" in p.message for p in problems(many))


@pytest.mark.parametrize(
    "hostile",
    [
        "a: &a [x]\nb: &b [*a, *a]\nc: [*b, *b]",
        "[" * 5_000,
        "a: !!python/object/apply:os.system [ls]",
        "? [a, b]\n: c",
        "a: \x07",
    ],
)
def test_hostile_settings_are_problems_and_nothing_else(hostile: str) -> None:
    assert problems(TINY.replace("title: The puzzle", hostile))


def test_any_damage_is_a_problem_or_a_lesson() -> None:
    """No file, however damaged, raises anything but its problems."""
    chance = random.Random(18)
    signs = "`#>-[]()<>!&*:{}'\"\n\t\\|=~ x1"
    for _ in range(150):
        text = list(TINY)
        for _ in range(chance.randrange(1, 30)):
            place = chance.randrange(len(text))
            text[place : place + chance.randrange(4)] = chance.choices(signs, k=chance.randrange(4))
        try:
            read_lesson("".join(text).encode(), "tiny")
        except BadLesson as error:
            last = "".join(text).count("\n") + 1
            assert error.problems and all(1 <= p.line <= last for p in error.problems)


def test_the_document_holds_a_lesson_and_the_whole_table() -> None:
    text = (PROJECT / "docs" / "lessons.md").read_text(encoding="utf-8")
    example = text[text.index("````markdown\n") + 13 :]
    assert read_lesson(example[: example.index("````")].encode(), "example").quiz
    for page, known in PAGES.items():
        of_page = text[text.index(f"### {page}\n") :].split("\n### ")[0]
        for name, values in known.values.items():
            if name not in CARD_INPUTS:
                row = f"| `{name}` | {values.about()} |"
                assert row in (text if name in BAR else of_page), name
        assert all(f"`{name}`" in of_page for name in known.results)
