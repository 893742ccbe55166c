from html.parser import HTMLParser

from bertsent.figures.token_cards import TokenCard, WordCard, token_cards
from bertsent.figures.word_piece_trials import SHOWN, trial_blocks
from bertsent.text.normalising import SpellingRules
from bertsent.text.word_pieces import WordPieceRules

EVIL = "<script>alert('x')</script>"


class Tags(HTMLParser):
    """The tags and the text of some HTML."""

    def __init__(self, drawn: str) -> None:
        super().__init__()
        self.tags, self.text = list[str](), ""
        self.feed(drawn)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def test_cards_show_everything_literally() -> None:
    word = WordCard((TokenCard(EVIL, ("1", EVIL), "unknown"),), (((EVIL, ""), ("A", EVIL)),))
    drawn = Tags(token_cards((EVIL, "id"), [word], alt=EVIL))
    assert "script" not in drawn.tags and drawn.text.count(EVIL) == 4
    assert drawn.tags.count("mark") == 1


def test_every_trial_is_a_line_unless_there_are_many() -> None:
    rules = WordPieceRules(SpellingRules(), {"[UNK]": 0, "<b>": 1, "##i": 2, "##s": 3})
    drawn = Tags(trial_blocks(rules.split("<b>is"), alt=EVIL))
    assert drawn.tags.count("li") == 3 + 2 + 1 and drawn.tags.count("ol") == 3
    assert "1. <b> · id 1" in drawn.text
    long = Tags(trial_blocks(rules.split("<b>" + "x" * 90), alt=""))
    assert long.tags.count("li") <= 2 * (SHOWN + 1) and "78 shorter ones" in long.text
    pieces = Tags(trial_blocks(rules.split("<b>" + "is" * 6), alt=""))
    assert pieces.tags.count("ol") == 8 and "5 more pieces" in pieces.text
