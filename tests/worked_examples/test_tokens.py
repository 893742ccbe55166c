"""Rows 003-01 to 003-04 and 002-18 with their digits, and what happens when they are edited."""

import pytest

from bertsent.errors import BadInput
from bertsent.worked_examples.tokens import PARIS, UNHAPPINESS
from bertsent.worked_examples.worked_example import agrees


def paris(model, sentence="I love Paris", length="7"):
    return PARIS.results({"sentence": sentence, "length": length}, model)


def unhappiness(model, word="unhappiness", pieces="un, happi, ness"):
    return UNHAPPINESS.results({"word": word, "pieces": pieces}, model)


def test_i_love_paris_is_the_source_s(tiny_model) -> None:
    found = paris(tiny_model)
    assert found["tokens"] == ("[CLS]", "I", "love", "Paris", "[SEP]")
    assert found["padded"] == (*found["tokens"], "[PAD]", "[PAD]")
    assert found["mask"].tolist() == [1, 1, 1, 1, 1, 0, 0]
    assert found["ids"] == ("101", "1045", "2293", "3000", "102", "0", "0")
    assert found["read"] == ("[CLS]", "i", "love", "paris", "[SEP]")
    agreeing = {each.name for each in PARIS.quantities if agrees(found[each.name], each.said)}
    assert agreeing == {"tokens", "padded", "mask", "ids"}


def test_with_the_full_stop_there_is_another_id(tiny_model) -> None:
    """Slip E-13."""
    assert paris(tiny_model)["with_stop"] == ("101", "1045", "2293", "3000", "1012", "102")
    found = paris(tiny_model, "I love Paris.")
    assert found["ids"] == ("101", "1045", "2293", "3000", "1012", "102", "0")
    assert found["with_stop"] == found["ids"][:-1]


@pytest.mark.parametrize("length", [3, 5, 6, 8, 32])
def test_another_length_pads_or_cuts_as_the_library_does(tiny_model, length) -> None:
    library = tiny_model.tokenizer.fast(
        "I love Paris in spring", padding="max_length", max_length=length, truncation=True
    )
    found = paris(tiny_model, "I love Paris in spring", str(length))
    assert list(map(int, found["ids"])) == library["input_ids"]
    assert found["mask"].tolist() == library["attention_mask"]
    assert len(found["padded"]) == length and PARIS.finding(found)


def test_split_words_and_odd_signs_are_shown_as_typed(tiny_model) -> None:
    found = paris(tiny_model, "Unbelievably café 🎬 [PAD]", "20")
    assert found["tokens"][1:8] == ("Un", "bel", "ie", "va", "bly", "café", "🎬")
    assert found["read"][1:8] == ("un", "##bel", "##ie", "##va", "##bly", "cafe", "[UNK]")
    assert found["mask"].sum() == len(found["read"])
    for typed in ("", " "):
        with pytest.raises(BadInput):
            paris(tiny_model, typed)


def test_unhappiness_is_split_otherwise_than_in_the_source(tiny_model) -> None:
    """Slip E-10: there is no ##happi."""
    found = unhappiness(tiny_model)
    assert found["vocabulary"] == 30_522
    assert found["real"] == ("un", "##ha", "##pp", "##iness") and found["trials"] == 25
    assert found["real_ids"] == ("4895", "3270", "9397", "9961")
    assert found["spelled"] == ("un", "##happi", "##ness")
    assert found["there"] == ("4895", "not there", "2791")
    assert "“##happi” is no entry" in UNHAPPINESS.finding(found)
    said = [each for each in UNHAPPINESS.quantities if agrees(found[each.name], each.said)]
    assert [each.name for each in said] == ["vocabulary"]


def test_another_word_and_another_illustration_are_followed(tiny_model) -> None:
    playing = unhappiness(tiny_model, "playing", "play, ing")
    assert playing["real"] == ("playing",) and playing["real_ids"] == ("2652",)
    assert playing["there"] == ("2377", "2075")
    assert "longest match first" in UNHAPPINESS.finding(playing)
    same = unhappiness(tiny_model, "unhappily", "un ha pp ily")
    assert "what the tokenizer does" in UNHAPPINESS.finding(same)
    assert "“unhappiness”" in UNHAPPINESS.finding(unhappiness(tiny_model, "happy"))
    assert unhappiness(tiny_model, "!")["real"] == ("!",)
    for word in ("two words", "\u200b"):
        with pytest.raises(BadInput):
            unhappiness(tiny_model, word)
