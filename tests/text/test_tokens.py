"""One door to the tokenizer: the worked example, no special tokens from visitors, bounded work,
undisturbed threads.
"""

import json
import random
import sys
import threading

import pytest

from bertsent.errors import BadInput
from bertsent.text.batches import collate
from bertsent.text.tokens import CHARACTERS_PER_TOKEN, ReviewTokenizer, check_length

CLS, SEP, MASK, PAD, UNK = 101, 102, 103, 0, 100


class Watched:
    """A tokenizer that remembers how long the texts were that it had to read."""

    def __init__(self, tokenizer):
        self.tokenizer, self.longest = tokenizer, 0
        self.pad_token_id, self.unk_token_id, self.sep_token_id = PAD, UNK, SEP

    def __call__(self, texts, **options):
        self.longest = max(self.longest, *map(len, texts))
        return self.tokenizer(texts, **options)


def test_the_worked_example(tokenizer):
    """“I love Paris”, special tokens, padded to seven, with its mask (rows 003-01 to 003-04;
    without the full stop).
    """
    ids = tokenizer.ids(["I love Paris"], 16)
    batch = collate(ids, [0], pad_id=tokenizer.pad_id, limit=7)
    assert batch.input_ids.tolist() == [[101, 1045, 2293, 3000, 102, 0, 0]]
    assert batch.attention_mask.tolist() == [[1, 1, 1, 1, 1, 0, 0]]
    assert tokenizer.tokens("I love Paris", 16).pieces == ("[CLS]", "i", "love", "paris", "[SEP]")
    assert tokenizer.ids(["I love Paris."], 16) == [[101, 1045, 2293, 3000, 1012, 102]]


def test_words_and_special_tokens_are_told_apart(tokenizer):
    tokens = tokenizer.tokens("Unbelievably good!", 16)
    assert tokens.pieces == ("[CLS]", "un", "##bel", "##ie", "##va", "##bly", "good", "!", "[SEP]")
    assert tokens.words == (None, 0, 0, 0, 0, 0, 1, 2, None)
    assert tokens.special == (True, *[False] * 7, True)
    assert len(tokens) == 9 == len(tokens.ids)


@pytest.mark.parametrize(
    "typed", ["[SEP] [MASK]", "great [CLS] film [SEP] bad", "[PAD][PAD][UNK]", "[sep]"]
)
def test_special_tokens_that_somebody_types_are_plain_characters(tokenizer, typed):
    tokens = tokenizer.tokens(typed, 64)
    assert tokens.ids[0] == CLS and tokens.ids[-1] == SEP
    assert not {CLS, SEP, MASK, PAD, UNK} & set(tokens.ids[1:-1])
    assert tokens.special == (True, *[False] * (len(tokens) - 2), True)
    assert tokenizer.ids([typed], 64) == [list(tokens.ids)]


def test_a_long_text_reads_like_its_beginning(tokenizer):
    words = [f"word{n}" for n in range(5_000)]
    ids = tokenizer.ids([" ".join(words)], 512)[0]
    assert len(ids) == 512 and ids[0] == CLS and ids[-1] == SEP
    assert tokenizer.ids([" ".join(words[:400])], 512)[0][:-1] == ids[:-1]
    assert tokenizer.ids([" ".join(words)], 64)[0][:-1] == ids[:63]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("a " * 5_000_000, 512),
        ("a" * 10_000_000, 3),  # one word of ten megabytes is one unknown token
        ("!" * 10_000_000, 512),
        (" " * 10_000_000, 2),
        ("😀 " * 5_000, 512),
        ("😀" * 5_000, 3),
        ("好" * 5_000, 512),
        ("a" + "\u0300\u0327" * 500_000, 3),
    ],
)
def test_huge_texts_cost_no_more_than_long_ones(fast_tokenizer, text, tokens):
    """Ten megabytes kept the bare tokenizer busy for 5 to 12 seconds, in 3 GB of memory."""
    watched = Watched(fast_tokenizer)
    ids = ReviewTokenizer(watched).ids([text], 512)
    assert len(ids[0]) == tokens
    assert watched.longest <= 512 * CHARACTERS_PER_TOKEN


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "\x00",
        "\u200b\u200d",
        "a\u202eb\u202cc",
        "e\u0301te\u0301",
        "one\r\ntwo\rthree\n",
        "half \ud83d emoji",
        "\ufeffmark",
        "好 ქართული 😀",
        "<b>x</b>",
    ],
)
def test_odd_characters_do_no_harm(tokenizer, text):
    tokens = tokenizer.tokens(text, 32)
    assert tokens.ids[0] == CLS and tokens.ids[-1] == SEP
    assert len(tokens.ids) == len(tokens.pieces) == len(tokens.words)
    assert tokenizer.ids([text], 32) == [list(tokens.ids)]


def test_no_texts_give_no_ids(tokenizer):
    assert tokenizer.ids([], 32) == []


def test_sixteen_threads_with_lengths_of_their_own_get_what_one_gets(tokenizer):
    """The tokenizer keeps its cut-off inside itself: without a lock, threads got texts of each
    other's length, and no error.
    """
    texts = [" ".join(f"word{n * k}" for n in range(90)) for k in range(1, 9)]
    lengths = [8 + 9 * n for n in range(16)]
    expected = {length: tokenizer.ids(texts, length) for length in lengths}
    wrong, start = [], threading.Barrier(16)

    def ask(own):
        chance = random.Random(own)
        start.wait()
        for _ in range(12):
            length = chance.choice(lengths)
            if (
                tokenizer.ids(texts, length) != expected[length]
                or len(tokenizer.tokens(texts[0], own)) != own
            ):
                wrong.append((own, length))

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        threads = [threading.Thread(target=ask, args=(length,)) for length in lengths]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(before)
    assert wrong == []
    assert {len(row) for length in lengths for row in expected[length]} == set(lengths)


@pytest.mark.parametrize("length", [5, 0, -1, 7, 513, 100_000])
def test_lengths_that_no_model_reads_are_refused(tokenizer, length):
    expected = f"A max length of {length:,} tokens is not possible. Choose from 8 to 512."
    for ask in (
        lambda: check_length(length),
        lambda: tokenizer.ids(["x"], length),
        lambda: tokenizer.tokens("x", length),
    ):
        with pytest.raises(BadInput) as error:
            ask()
        assert str(error.value) == expected


def test_lengths_are_bounded_by_the_model_too():
    assert [check_length(length) for length in (8, 128, 512)] == [8, 128, 512]
    with pytest.raises(BadInput, match="Choose from 8 to 128."):
        check_length(256, longest=128)


def test_a_saved_tokenizer_cuts_and_reads_special_tokens_as_ours_does(tokenizer, tmp_path):
    tokenizer.save(tmp_path, 64)
    told = json.loads((tmp_path / "tokenizer_config.json").read_text(encoding="utf-8"))
    assert (told["model_max_length"], told["split_special_tokens"]) == (64, True)
    from transformers import AutoTokenizer

    again = AutoTokenizer.from_pretrained(tmp_path)
    text = "great [SEP] [MASK] " + "film " * 200
    assert again([text], truncation=True)["input_ids"] == tokenizer.ids([text], 64)
    assert tokenizer.fast.model_max_length != 64, "the shared tokenizer stays as it was"


def test_markup_that_nobody_sees_is_not_read(tokenizer):
    """Screens showed clean text while models read five tokens for each ``<br />``."""
    raw, clean = "Great.<br /><br />Tom &amp; Jerry", "Great. Tom & Jerry"
    assert tokenizer.ids([raw], 64) == tokenizer.ids([clean], 64)
    assert tokenizer.tokens(raw, 64) == tokenizer.tokens(clean, 64)
    assert tokenizer.spans(raw, 64)[-2] == (len(clean) - 5, len(clean))


def test_two_texts_are_read_as_transformers_reads_them(tokenizer):
    """Ids and segments of whole batches, whatever is typed, cut or not."""
    inputs = [
        ("soup", "The soup was cold [SEP] the waiter was not"),
        ("A kitten drinks milk.", "A cat is drinking milk."),
        ("one " * 40, "two " * 60),
        ("[CLS] [SEP]", "[MASK]"),
    ]
    ids = tokenizer.input_ids(inputs, 48)
    batch = collate(ids, range(len(ids)), pad_id=tokenizer.pad_id, limit=48)
    expected = tokenizer.fast(
        *map(list, zip(*inputs, strict=True)),
        truncation=True,
        max_length=48,
        split_special_tokens=True,
        padding="max_length",
        return_tensors="pt",
    )
    assert batch.input_ids.equal(expected["input_ids"])
    assert batch.attention_mask.equal(expected["attention_mask"])
    assert batch.segments(tokenizer.sep_id).equal(expected["token_type_ids"])


def test_one_text_is_read_alike_whoever_stands_beside_it(tokenizer):
    """Beside a pair it got a second [SEP], and with it an empty second text."""
    rows = tokenizer.input_ids([("great fun", ""), ("a cat", "a kitten"), ("dull", "")], 32)
    assert [rows[0], rows[2]] == tokenizer.ids(["great fun", "dull"], 32)
    assert [rows[1]] == tokenizer.input_ids([("a cat", "a kitten")], 32)


def test_one_text_alone_has_no_second_segment(tokenizer):
    ids = tokenizer.input_ids([("Great, another boring movie", "")], 32)
    assert ids == tokenizer.ids(["Great, another boring movie"], 32)
    assert not collate(ids, [0], pad_id=0, limit=32).segments(tokenizer.sep_id).any()
