"""Answers of several classifiers in, one sentence about who is fooled and by which word out."""

from collections import Counter
from collections.abc import Mapping, Sequence

from bertsent.data.examples import LABELS
from bertsent.probing.answer import plain_answer
from bertsent.probing.baselines.reasons import WordReason, signed

Reasons = Mapping[str, Sequence[WordReason]]
_NUMBERS = ("none", "one", "two", "three", "four", "five", "six")


def fooled_sentence(
    answers: Mapping[str, float], reasons: Reasons, bert: str, truth: int | None
) -> str:
    """How many of the simpler classifiers are fooled by the review, or disagree with BERT where its
    label is not known, and which word decides.

    Args:
        answers: P(positive) by classifier, ``bert`` among them.
        reasons: the words of each classifier, the strongest first.
        bert: which of them is BERT.
        truth: the label of the review, None where nobody knows it.
    """
    others = [name for name in answers if name != bert]
    says = {name: int(p > 0.5) for name, p in answers.items()}
    expected = says[bert] if truth is None else truth
    wrong = [name for name in others if says[name] != expected]
    own = f"BERT says {plain_answer(answers[bert])}"
    if truth is not None and says[bert] != truth:
        own += ", which is wrong"
    if not others:
        return f"{own}."
    if not wrong:
        agreed = f"All {_number(len(others))} simpler classifiers say {LABELS[expected]}"
        right = " and are right" if truth is not None else " as well"
        return f"{agreed}{right}{_tug_of_war(others, reasons, expected)}. {own}."
    verb = "are fooled" if truth is not None else "disagree with BERT"
    if len(wrong) == 1:
        verb = "is fooled" if truth is not None else "disagrees with BERT"
    word = _deciding_word(wrong, reasons, 1 - expected)
    by = f" by “{word}”" if truth is not None else f", mostly because of “{word}”"
    who = "" if len(wrong) == len(others) else f" ({' and '.join(wrong)})"
    return (
        f"{_number(len(wrong)).capitalize()} of {_number(len(others))} simpler classifiers"
        f"{who} {verb}{by if word else ''}. {own}."
    )


def _tug_of_war(names: Sequence[str], reasons: Reasons, label: int) -> str:
    """Which word won against which other one, where some word spoke for the other label."""
    for name in names:
        found = reasons[name]
        winner = next((r for r in found if (r.log_odds > 0) == bool(label)), None)
        loser = next((r for r in found if (r.log_odds > 0) != bool(label)), None)
        if winner and loser:
            return (
                f": for {name} “{winner.word}” ({signed(winner.log_odds)}) outweighs "
                f"“{loser.word}” ({signed(loser.log_odds)})"
            )
    return ""


def _deciding_word(names: Sequence[str], reasons: Reasons, label: int) -> str:
    """The word that speaks most often and most strongly for ``label`` among these classifiers."""
    strongest = [
        next((r.word for r in reasons[name] if (r.log_odds > 0) == bool(label)), "")
        for name in names
    ]
    counted = Counter(filter(None, strongest))
    return counted.most_common(1)[0][0] if counted else ""


def _number(count: int) -> str:
    return _NUMBERS[count] if count < len(_NUMBERS) else str(count)
