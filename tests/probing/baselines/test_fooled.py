"""One sentence about who is fooled, from made-up answers."""

from bertsent.probing.baselines.fooled import fooled_sentence
from bertsent.probing.baselines.reasons import WordReason

GREAT, BORING = WordReason("great", 1.9), WordReason("boring", -2.1)
WORDS = {name: [GREAT, BORING] for name in ("A", "B", "C", "BERT")}


def test_those_that_are_wrong_are_counted_and_the_word_is_named():
    said = fooled_sentence({"A": 0.9, "B": 0.6, "C": 0.2, "BERT": 0.1}, WORDS, "BERT", 0)
    assert "Two of three" in said and "“great”" in said and "A and B" in said
    assert "NEGATIVE 90.0 %" in said


def test_without_a_label_they_only_disagree():
    said = fooled_sentence({"A": 0.9, "B": 0.4, "C": 0.2, "BERT": 0.1}, WORDS, "BERT", None)
    assert "One of three" in said and "disagrees" in said and "fooled" not in said


def test_when_bert_is_wrong_that_is_said():
    said = fooled_sentence({"A": 0.1, "B": 0.1, "C": 0.1, "BERT": 0.8}, WORDS, "BERT", 0)
    assert "wrong" in said and "are right" in said


def test_when_nobody_is_fooled_the_tug_of_war_is_told():
    words = WORDS | {"A": [BORING, GREAT]}
    said = fooled_sentence({"A": 0.4, "B": 0.4, "C": 0.4, "BERT": 0.1}, words, "BERT", 0)
    assert "“boring” (−2.1) outweighs “great” (+1.9)" in said


def test_alone_and_without_words():
    assert "POSITIVE" in fooled_sentence({"BERT": 0.9}, {"BERT": []}, "BERT", None)
    said = fooled_sentence({"A": 0.9, "BERT": 0.1}, {"A": [], "BERT": []}, "BERT", 0)
    assert "One of one" in said
