"""Every step from letters to ids, worked out by rule, against the tokenizer that the models use and
against splits worked out by hand.
"""

import random
import unicodedata

import pytest
from tokenizers import Tokenizer, normalizers, pre_tokenizers
from tokenizers.models import BPE, WordPiece
from transformers import BertTokenizer, PreTrainedTokenizerFast

from bertsent.errors import NotAvailable
from bertsent.text.normalising import (
    ACCENT,
    ALONE,
    CAPITAL,
    DROPPED,
    SpellingRules,
    is_mark,
    letters_of,
    words_of,
)
from bertsent.text.tokens import ReviewTokenizer
from bertsent.text.trace_sentences import (
    split_sentence,
    trace_sentence,
    unknown_reason,
    unknown_sentence,
)
from bertsent.text.vocabulary import entry_kind, neighbours, vocabulary_counts
from bertsent.text.word_pieces import Trial, WordPieceRules, word_piece_rules

OLD = unicodedata.ucd_3_2_0  # signs that every Unicode table since 2002 knows
ODD = [
    "",
    " ",
    "unhappiness and playing, I love Paris.",
    "Great, another boring movie",
    "HÉLLO naïve Ångström İstanbul Straße ﬁne ǅ",
    "e\u0301te\u0301 a\u0300\u0327\u0323 \u0301",
    "ΟΔΥΣΣΕΥΣ ΣΑΣ",
    "好电影 good好movie 한국어 영화 ひらがな カタカナ",
    "🎬🍿 good🎬 🎬good 👨‍👩‍👧 ❤️",
    "x\u200by z\xadw \ufeffmark a\u202eb half \ufffd \uf8ff",
    "tab\tnew\nline\r\nspace\xa0thin\u2009ideographic\u3000end",
    '$5 + 3% = ^_^ `~` <b>"quotes"</b> don\'t … — “” ¿que?',
    "[CLS] [SEP] [MASK] [UNK] ##ing ###ing [unused3]",
    "a" * 100 + " " + "b" * 101 + " " + "unbelievable" * 17,
    "word " * 700,
    "١٢٣ ½ ² x² №5 10,000.50",
]


def random_texts(count: int, seed: int = 0) -> list[str]:
    """Texts of signs whose kind has not changed since Unicode 3.2, with letters, marks and spaces
    among them.
    """
    chance = random.Random(seed)
    stable = [
        sign
        for sign in map(chr, [*range(0xD800), *range(0xE000, 0x20000)])
        if OLD.category(sign) == unicodedata.category(sign) != "Cn"
    ]
    plain = "abcdefghij ABC .,'-  "
    return [
        "".join(chance.choice(chance.choice((stable, plain, plain))) for _ in range(50))
        for _ in range(count)
    ]


def wrapped(spelling: SpellingRules, prefix: str = "##", words: tuple[str, ...] = ()) -> Tokenizer:
    """A tokenizer of the library with few words of its own."""
    names = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", *words)
    tokenizer = Tokenizer(
        WordPiece(
            {word: number for number, word in enumerate(names)},
            unk_token="[UNK]",
            continuing_subword_prefix=prefix,
            max_input_chars_per_word=20,
        )
    )
    tokenizer.normalizer = normalizers.BertNormalizer(
        clean_text=spelling.clean,
        handle_chinese_chars=spelling.chinese_alone,
        strip_accents=spelling.strip_accents,
        lowercase=spelling.lower_case,
    )
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return tokenizer


def own_ids(fast, text: str) -> tuple[int, ...]:
    return tuple(fast(text, add_special_tokens=False, split_special_tokens=True)["input_ids"])


@pytest.mark.parametrize("text", ODD, ids=range(len(ODD)))
def test_odd_texts_become_the_tokenizers_ids(fast_tokenizer, text):
    found = word_piece_rules(fast_tokenizer).trace(text)
    backend = fast_tokenizer.backend_tokenizer
    spelled = "".join(letter.becomes for letter in found.letters)
    assert spelled == backend.normalizer.normalize_str(text)
    words = backend.pre_tokenizer.pre_tokenize_str(spelled)
    assert [word.text for word in found.words] == [word for word, _ in words]
    assert found.ids == own_ids(fast_tokenizer, text)
    assert list(found.pieces) == fast_tokenizer.convert_ids_to_tokens(found.ids)


def test_random_texts_become_the_tokenizers_ids(fast_tokenizer):
    rules = word_piece_rules(fast_tokenizer)
    for text in random_texts(400):
        assert rules.trace(text).ids == own_ids(fast_tokenizer, text), ascii(text)


@pytest.mark.parametrize("clean", [True, False])
@pytest.mark.parametrize("chinese_alone", [True, False])
@pytest.mark.parametrize(
    ("lower_case", "strip_accents"), [(True, True), (False, False), (True, False), (False, True)]
)
def test_every_way_to_spell_is_the_librarys(lower_case, strip_accents, chinese_alone, clean):
    """Cased models, too: there ``do_lower_case`` is False."""
    spelling = SpellingRules(lower_case, strip_accents, clean, chinese_alone)
    backend = wrapped(spelling)
    texts = [text for text in (*ODD, *random_texts(60, seed=1)) if clean or text.isprintable()]
    for text in texts:
        letters = letters_of(text, spelling)
        assert "".join(each.becomes for each in letters) == backend.normalizer.normalize_str(text)


def test_every_sign_there_is_becomes_the_tokenizers(fast_tokenizer):
    """All code points whose kind has not changed since Unicode 3.2; the tokenizer's tables are of
    2015, Python's younger. 256 rare Chinese characters, U+2B820 to U+2B91F, which came later, the
    tokenizer forgets to part.
    """
    backend = fast_tokenizer.backend_tokenizer
    rules = word_piece_rules(fast_tokenizer).spelling
    for sign in map(chr, [*range(0xD800), *range(0xE000, 0x110000)]):
        if OLD.category(sign) != unicodedata.category(sign) or OLD.category(sign) == "Cn":
            continue
        (letter,) = letters_of(sign, rules)
        assert letter.becomes == backend.normalizer.normalize_str(sign), hex(ord(sign))
        if not sign.isspace():
            parts = backend.pre_tokenizer.pre_tokenize_str(f"a{sign}b")
            assert is_mark(sign) == (len(parts) == 3), hex(ord(sign))


def test_a_cased_model_keeps_capitals_and_accents(fast_tokenizer):
    cased = BertTokenizer(vocab=dict(fast_tokenizer.get_vocab()), do_lower_case=False)
    rules = word_piece_rules(cased)
    assert rules.spelling == SpellingRules(lower_case=False, strip_accents=False)
    for text in ("I love Paris", "Héllo Éclair", *ODD):
        assert rules.trace(text).ids == own_ids(cased, text)
    assert rules.trace("Paris").pieces == ("[UNK]",)  # this vocabulary has small letters only


def test_another_prefix_and_another_longest_word_are_kept_to():
    backend = wrapped(SpellingRules(), "@@", ("un", "@@aff", "@@able", "able", "a", "@@a"))
    fast = PreTrainedTokenizerFast(
        tokenizer_object=backend, unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]"
    )
    rules = word_piece_rules(fast)
    assert (rules.prefix, rules.longest_word) == ("@@", 20)
    assert rules.trace("unaffable able").pieces == ("un", "@@aff", "@@able", "able")
    for text in ("unaffable", "a" * 20, "a" * 21, "unafflable", "able able b"):
        assert rules.trace(text).ids == own_ids(fast, text)


def test_a_tokenizer_that_works_otherwise_is_refused():
    fast = PreTrainedTokenizerFast(tokenizer_object=Tokenizer(BPE()), unk_token="[UNK]")
    with pytest.raises(NotAvailable, match="does not split words"):
        word_piece_rules(fast)


def test_the_trials_worked_out_by_hand():
    rules = WordPieceRules(SpellingRules(), {"[UNK]": 0, "un": 1, "##aff": 2, "##able": 3})
    split = rules.split("unaffable")
    assert split.pieces == ("un", "##aff", "##able") and split.ids == (1, 2, 3)
    assert len(split.trials) == 8 + 5 + 1 and split.stuck is None
    assert split.trials[0] == Trial(0, 9, "unaffable", None)
    assert split.trials[7] == Trial(0, 2, "un", 1)
    assert split.trials[8] == Trial(2, 9, "##affable", None)
    lost = rules.split("unaffx")
    assert lost.pieces == ("[UNK]",) and lost.ids == (0,) and lost.stuck == 5
    assert len(lost.trials) == 5 + 2 + 1
    assert rules.split("x" * 101).stuck == 0 and not rules.split("x" * 101).trials
    assert rules.split("x" * 100).trials


def test_what_becomes_of_each_letter_is_said():
    letters = letters_of("É好\u200b!", SpellingRules())
    assert [each.becomes for each in letters] == ["e", " 好 ", "", "!"]
    assert [each.rules for each in letters] == [(ACCENT, CAPITAL), (ALONE,), (DROPPED,), ()]
    assert [(word.text, word.start, word.end) for word in words_of(letters)] == [
        ("e", 0, 1),
        ("好", 1, 2),
        ("!", 3, 4),
    ]


@pytest.mark.parametrize("length", [8, 64, 512])
def test_what_the_model_reads_is_the_beginning_of_the_trace(tokenizer, length):
    for text in (*ODD, "unbelievably " * 600):
        ids = tokenizer.tokens(text, length).ids
        trace = tokenizer.trace(text, length)
        assert ids == (101, *trace.ids[: length - 2], 102)
    assert len(ids) == length


def test_two_texts_are_one_input_with_two_segments(tokenizer):
    """Row 002-19; the real tokenizer has one token for “playing”, 2652 (slip E-10)."""
    ids, segments = tokenizer.pair("my dog is cute", "he likes playing", 32)
    assert ids == [101, 2026, 3899, 2003, 10140, 102, 2002, 7777, 2652, 102]
    assert segments == [0] * 6 + [1] * 4


def test_the_vocabulary_around_an_entry(fast_tokenizer):
    rules = word_piece_rules(fast_tokenizer)
    assert neighbours(rules, 101, 1) == ((100, "[UNK]"), (101, "[CLS]"), (102, "[SEP]"))
    assert [number for number, _ in neighbours(rules, 0, 2)] == [0, 1, 2]
    assert [number for number, _ in neighbours(rules, 30_521, 2)] == [30_519, 30_520, 30_521]
    counts = vocabulary_counts(rules)
    assert sum(counts.values()) == len(rules.vocabulary) == 30_522
    assert (counts["unused places"], counts["markers"]) == (994, 5)
    assert counts["pieces that continue a word"] == sum(
        piece.startswith("##") and len(piece) > 2 for piece in fast_tokenizer.get_vocab()
    )
    assert entry_kind(rules, "a") == entry_kind(rules, "#") == "single signs"


def test_the_sentences_count_right(fast_tokenizer):
    rules = word_piece_rules(fast_tokenizer)
    assert "25 trials" in split_sentence(rules.split("unhappiness"), rules)
    assert "101 letters" in split_sentence(rules.split("x" * 101), rules)
    assert "from “🎬” on" in split_sentence(rules.split("good🎬"), rules)
    reasons = [unknown_reason(rules.split(word), rules) for word in ("fine", "x" * 101, "go🎬")]
    assert reasons[0] == "" and "101 letters" in reasons[1] and "“🎬”" in reasons[2]
    assert "1 of the 3 words" in unknown_sentence(rules, rules.trace("a go🎬 film"))
    text = rules.trace("Ünbelievably GOOD")
    said = trace_sentence(text, len(text.ids) + 2)
    assert "17 characters" in said and "5 capitals" in said and "1 accent" in said
    assert "1 word is split" in said and "of which" not in said
    assert "8 tokens" in said and "of which the model reads 6" in trace_sentence(text, 6)


def test_reading_rules_leaves_the_tokenizer_alone(fast_tokenizer):
    tokenizer = ReviewTokenizer(fast_tokenizer)
    before = tokenizer.ids(["I love Paris"], 16)
    assert tokenizer.rules is tokenizer.rules and len(tokenizer.rules.vocabulary) == 30_522
    assert tokenizer.pair("a", "b", 8)[0] and tokenizer.ids(["I love Paris"], 16) == before
