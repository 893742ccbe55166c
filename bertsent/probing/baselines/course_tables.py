"""Tables of the course with live numbers in them: three patterns that counting words misses (rows
001-03 and 001-04), and when to use which classifier (row 001-17).
"""

from collections.abc import Callable, Mapping

import pandas as pd

from bertsent.probing.answer import plain_answer
from bertsent.probing.baselines.pipelines import BAGS_OF_WORDS

GREAT = "“great” counts as praise wherever it stands"
PATTERNS = (
    ("sarcasm", "Great, another boring movie", "NEGATIVE", GREAT),
    ("sarcasm", "Great, another boring superhero movie", "NEGATIVE", GREAT),
    (
        "negation",
        "This is not a bad film",
        "POSITIVE",
        "“not” and “bad” are added up, not read together",
    ),
    (
        "intensity",
        "Absolutely incredible",
        "POSITIVE, strong",
        "a count does not know how strong a word is",
    ),
    (
        "intensity",
        "Somewhat good",
        "POSITIVE, weak",
        "“somewhat” weakens nothing when it is one more count",
    ),
)
WHEN_TO_USE = pd.DataFrame(
    {
        "Use BERT when …": (
            "Context is critical (sarcasm, negation)",
            "You have thousands of labelled examples",
            "Accuracy matters more than speed",
            "GPU resources available",
            "Complex language understanding needed",
        ),
        "Use BOW or TF-IDF when …": (
            "Simple patterns suffice (keyword matching)",
            "Limited data (hundreds of examples)",
            "Need millisecond response times",
            "CPU-only deployment",
            "Interpretability critical",
        ),
    }
)


def pattern_table(
    baseline: str,
    p_baseline: Callable[[str], float],
    bert: str,
    p_bert: Callable[[str], float],
) -> pd.DataFrame:
    """One row per sentence: text, pattern, actual, what both say, and why counting is not enough.

    Args:
        baseline: a classifier that counts words, and P(positive) of a text by it.
        bert: the same for BERT.
    """
    rows = [
        (text, pattern, actual, plain_answer(p_baseline(text)), plain_answer(p_bert(text)), why)
        for pattern, text, actual, why in PATTERNS
    ]
    says = [f"{baseline} says", f"{bert} says"]
    return pd.DataFrame(
        rows, columns=["text", "pattern", "actual", *says, "why counting is not enough"]
    )


def pattern_sentence(table: pd.DataFrame, baseline: str, bert: str) -> str:
    """How many of the sentences of ``pattern_table`` each gets right."""
    actual = table["actual"].str.split(",").str[0]
    right = (
        f"{name} is right on {(table[f'{name} says'].str.split().str[0] == actual).sum()} of "
        f"{len(table)}"
        for name in (baseline, bert)
    )
    return f"{' and '.join(right)}. These are live answers."


def trade_offs(milliseconds: Mapping[str, float], bert: str) -> pd.DataFrame:
    """Speed, data, accuracy and interpretability: what the course says, and what this lab
    measured.

    Args:
        milliseconds: of one answer, by method; ``bert`` is one of them.
    """
    counted = {n: milliseconds[n] for n in BAGS_OF_WORDS if n in milliseconds}
    speed = f"{bert} {milliseconds[bert]:.1f} ms; the bag-of-words classifiers are not trained yet"
    if counted:
        times = milliseconds[bert] / min(counted.values())
        listed = ", ".join(f"{name} {ms:.1f} ms" for name, ms in counted.items())
        speed = f"{bert} {milliseconds[bert]:.1f} ms, {times:.0f} times the fastest; {listed}"
    rows = [
        ("Speed", "BERT in seconds, traditional in milliseconds", speed),
        (
            "Data",
            "BERT needs thousands of examples, traditional works with hundreds",
            "Fine-tune on fewer reviews and compare the runs",
        ),
        (
            "Accuracy",
            "BERT achieves substantially higher performance",
            "See Comparison, phenomenon by phenomenon",
        ),
        (
            "Interpretability",
            "Traditional is transparent, BERT requires attention analysis",
            "See Word weights, and the other tabs of Probe",
        ),
    ]
    return pd.DataFrame(rows, columns=["trade-off", "the course says", "measured or seen here"])
