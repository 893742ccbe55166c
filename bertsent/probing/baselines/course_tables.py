"""Tables of the course with live numbers in them: three patterns that counting words misses (rows
001-03 and 001-04), and when to use which classifier (row 001-17).
"""

from collections.abc import Mapping, Sequence

import pandas as pd

from bertsent.data.examples import LABELS
from bertsent.probing.baselines.answers import Classifier
from bertsent.probing.baselines.pipelines import BAGS_OF_WORDS, BOW_SVM, LSTM, TFIDF_LR
from bertsent.probing.baselines.reasons import reasons_sentence, signed, word_reasons

# row 001-14: the course gives stars and words, no accuracies; its stars count rungs, not points
LADDER = (
    (BOW_SVM, "★☆☆☆☆", "reference"),
    (TFIDF_LR, "★★☆☆☆", "marginal gains"),
    (LSTM, "★★★☆☆", "notable improvement"),
    ("BERT-base", "★★★★☆", "large gains from context"),
    ("BERT-large", "★★★★★", "best in class"),
)
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


def pattern_label(text: str) -> int | None:
    """The label of a sentence of the table, None for any other text."""
    found = {sentence: actual for _, sentence, actual, _ in PATTERNS}.get(text)
    return None if found is None else LABELS.index(found.split(",")[0])


def pattern_table(classifiers: Sequence[Classifier]) -> pd.DataFrame:
    """One row for each sentence and classifier: pattern, text, actual, why, classifier, p_positive,
    right, reasons (its strongest words).
    """
    sentences = [text for _, text, _, _ in PATTERNS]
    rows = []
    for classifier in classifiers:
        answers = classifier.p_positive(sentences)
        for (pattern, text, actual, why), p in zip(PATTERNS, answers, strict=True):
            right = LABELS[int(p > 0.5)] == actual.split(",")[0]
            words = reasons_sentence(word_reasons(classifier, text))
            rows.append((pattern, text, actual, why, classifier.name, float(p), right, words))
    columns = ["pattern", "text", "actual", "why", "classifier", "p_positive", "right", "reasons"]
    return pd.DataFrame(rows, columns=columns)


def fooled_elsewhere(table: pd.DataFrame, text: str, bert: str) -> str:
    """Which other sentence of ``pattern_table`` fools most of the simpler classifiers; empty where
    none does.
    """
    others = table[(table["classifier"] != bert) & (table["text"] != text)]
    wrong = (~others["right"]).groupby(others["text"], sort=False).sum()
    if wrong.empty or not wrong.max():
        return ""
    return f"“{wrong.idxmax()}” fools {wrong.max()} of {others['classifier'].nunique()}."


def pattern_sentence(table: pd.DataFrame) -> str:
    """How many of the sentences that need context each classifier gets right, and by how much each
    is surer of the strong sentence than of the weak one.
    """
    hard = table[table["pattern"] != "intensity"]
    right = hard.groupby("classifier", sort=False)["right"].sum()
    listed = ", ".join(f"{name} {count}" for name, count in right.items())
    p = table.pivot(index="classifier", columns="text", values="p_positive").loc[right.index]
    gap = 100 * (p["Absolutely incredible"] - p["Somewhat good"])
    points = ", ".join(f"{name} {signed(x)}" for name, x in gap.items())
    return (
        f"Right on the {hard['text'].nunique()} sentences of sarcasm and negation: {listed}. "
        f"P(positive) of “Absolutely incredible” minus that of “Somewhat good”, in points: "
        f"{points}."
    )


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
