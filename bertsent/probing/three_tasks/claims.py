"""Claims that the sources make without a test, tested on the small sets that ship or on what
somebody brings: reviews with stars, pairs of texts.

Each test gives a table of rates with their intervals and one sentence. The sets are small, so the
intervals are wide; what they cannot tell they do not tell.
"""

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import pearsonr, spearmanr

from bertsent.data.examples import Reviews
from bertsent.errors import BadInput
from bertsent.probing.loaded_model import LoadedModel
from bertsent.progress import Progress, no_progress
from bertsent.statistics import wilson_interval
from bertsent.written_numbers import written

SEED, FEWEST = 42, 10
UNSEEN, SELDOM, OFTEN = "never", "1 to 3 times", "more often"
OVERLAP = (
    (0.0, "below a quarter"),
    (0.25, "a quarter to a half"),
    (0.5, "a half to three quarters"),
    (0.75, "three quarters and more"),
)
STRENGTH = "“Confidence captures strength of sentiment” (000, section 4.2; 001)"
SURE = "share answered with more than 90 %"


@dataclass(frozen=True)
class TestedClaim:
    """What was claimed and where, and what the data at hand say: ``table`` has ``group``, ``n``,
    ``count``, ``rate``, ``low``, ``high``.
    """

    title: str
    claim: str
    rate: str  # what the rates are of
    table: pd.DataFrame
    finding: str


def strength(model: LoadedModel, steps: Reviews) -> TestedClaim:
    """Whether the confidence of a model of two labels grows with the strength of what is said.

    Args:
        model: of sentiment with two labels.
        steps: texts whose sentiment is known in five steps.
    """
    true = np.array(steps.labels, int)
    p = model.probabilities(steps.texts)[:, 1]
    found = spearmanr(p, true)
    low, high = _spearman_interval(found.statistic, len(true))
    sides = true != true.max() // 2
    confidence, far = np.abs(p - 0.5)[sides], np.abs(true - true.max() // 2)[sides]
    within = spearmanr(confidence, far).statistic
    reach = _spearman_interval(within, int(sides.sum()))
    sure = np.maximum(p, 1 - p) > 0.9
    table = _rates(
        [(steps.task.output_names[step], sure[true == step]) for step in range(true.max() + 1)]
    )
    return TestedClaim(
        "Is a model surer of stronger words?",
        STRENGTH,
        SURE,
        table,
        f"P(positive) follows the five steps with {_rho(found.statistic)} (95 % {_number(low)} to "
        f"{_number(high)}). Within the two sides, where strength alone differs, confidence follows "
        f"it with {_rho(within)} ({_number(reach[0])} to {_number(reach[1])}). Of neutral texts it "
        f"is still over 90 % sure of a side on {100 * sure[~sides].mean():.0f} %.",
    )


def stars(model: LoadedModel, reviews: Reviews, progress: Progress = no_progress) -> TestedClaim:
    """As ``strength``, by the stars that writers gave (row 000-34).

    Args:
        model: of sentiment with two labels.
        reviews: whose scores are stars.
        progress: called with the share that is done.

    Raises:
        BadInput: there are fewer than ten.
    """
    given = np.array(reviews.targets, float).ravel()
    BadInput.raise_if(
        len(given) < FEWEST,
        f"{reviews.name} has {len(given)} reviews with stars.",
        f"A correlation needs at least {FEWEST}.",
    )
    p = model.probabilities(reviews.texts, progress=progress)[:, 1]
    low, high = _spearman_interval(rho := spearmanr(p, given).statistic, len(given))
    line = pearsonr(p, given)
    reach = line.confidence_interval()
    table = _rates(
        [(_stars_of(star), np.maximum(p, 1 - p)[given == star] > 0.9) for star in np.unique(given)]
    )
    return TestedClaim(
        "Is a model surer of reviews with more extreme stars?",
        STRENGTH,
        SURE,
        table,
        f"Over {len(given):,} reviews P(positive) follows the stars with {_rho(rho)} (95 % "
        f"{_number(low)} to {_number(high)}) and r = {_number(line.statistic)} "
        f"({_number(reach.low)} to {_number(reach.high)}). {_within_sides(p, given)}",
    )


def _rho(value: float) -> str:
    return f"ρ = {_number(value)}"


def _number(value: float) -> str:
    return written(value, ".2f")


def _stars_of(number: float) -> str:
    return f"{number:g} star" if number == 1 else f"{number:g} stars"


def _within_sides(p: np.ndarray, given: np.ndarray) -> str:
    """Whether confidence follows how far the stars are from their middle, which does not count that
    a model tells the two sides apart.
    """
    far = np.abs(given - (given.min() + given.max()) / 2)
    if len(np.unique(far)) < 2:
        return "There are no stars in between, so strength alone is not tested."
    rho = spearmanr(np.abs(p - 0.5), far).statistic
    low, high = _spearman_interval(rho, len(far))
    return (
        "Strength alone, how far the stars are from their middle: confidence follows it with "
        f"{_rho(rho)} ({_number(low)} to {_number(high)})."
    )


def rare_tokens(model: LoadedModel, asked: Reviews, trained: Reviews) -> TestedClaim:
    """The error rate by how often the rarest token of a text occurs in the training part.

    Args:
        model: of sentiment in five steps.
        asked: texts that it was not trained on.
        trained: the training part.
    """
    seen = Counter(token for row in _tokens(model, trained.texts) for token in set(row))
    rows = _tokens(model, asked.texts)
    rarest = np.array([min((seen[token] for token in row), default=0) for row in rows])
    wrong = model.answers(asked.inputs).argmax(1) != np.array(asked.labels)
    groups = {UNSEEN: rarest == 0, SELDOM: (rarest > 0) & (rarest < 4), OFTEN: rarest >= 4}
    table = _rates([(name, wrong[mask]) for name, mask in groups.items() if mask.any()])
    return TestedClaim(
        "Do rare words cause errors?",
        "“Hackneyed” is infrequent, so its vector says too little (004, section 6.1)",
        "error rate, by how often the rarest token was trained on",
        table,
        f"{_said(table)}. {_apart(table, 'a rarer token', 'more errors')}",
    )


def scrambled(model: LoadedModel, pairs: Reviews) -> TestedClaim:
    """Whether pairs that say the same still do once the words of the second text are shuffled.

    Args:
        model: of paraphrase.
        pairs: that it was not trained on.
    """
    same = pairs.where([label == 1 for label in pairs.labels])
    shuffle = random.Random(SEED)
    mixed = []
    for example in same:
        words = example.second.split()
        shuffle.shuffle(words)
        mixed.append((example.text, " ".join(words)))
    as_written = model.answers(same.inputs)[:, 1] > 0.5
    after = model.answers(mixed)[:, 1] > 0.5
    table = _rates([("as written", as_written), ("words shuffled", after)])
    kept = (as_written & after).sum()
    return TestedClaim(
        "Are scrambled words still understood?",
        "“The same question with the words scrambled still results in a correct prediction” "
        "(004, section 6.2; it was asked in other words, not scrambled ones)",
        "share answered “same”, of pairs that say the same",
        table,
        f"Of {as_written.sum()} such pairs that are answered “same”, {kept} stay so with shuffled "
        "words. A model that does not mind the order reads words, not sentences.",
    )


def overlap(model: LoadedModel, pairs: Reviews, progress: Progress = no_progress) -> TestedClaim:
    """How often pairs that differ are taken for the same, by how many tokens they share: what PAWS
    tests (Zhang, Baldridge and He 2019). Beside it, what the overlap has to do with the answer and
    with the truth: a model that is fooled follows it more than it should.

    Args:
        model: of paraphrase.
        pairs: some of which differ.
        progress: called with the share that is done.

    Raises:
        BadInput: all pairs say the same.
    """
    true = np.array(pairs.labels, int)
    BadInput.raise_if(
        bool(true.all()),
        f"All pairs of {pairs.name} say the same.",
        "Add some that differ: label 0.",
    )
    p = model.answers(pairs.inputs, progress=progress)[:, 1]
    firsts, seconds = ([e.text for e in pairs], [e.second for e in pairs])
    tokens = zip(_tokens(model, firsts), _tokens(model, seconds), strict=True)
    shared = np.array([_jaccard(*pair) for pair in tokens])
    place = np.digitize(shared, [start for start, _ in OVERLAP[1:]])
    differ = true == 0
    groups = [
        (name, p[differ & (place == number)] > 0.5) for number, (_, name) in enumerate(OVERLAP)
    ]
    table = _rates(groups)
    return TestedClaim(
        "Is it fooled by shared words?",
        "Pairs of the same words that mean something else are what PAWS asks",
        "share answered “same”, of pairs that differ, by the tokens they share",
        table,
        f"{_said(table)}. {_apart(table, 'more shared tokens', 'more false alarms', last=True)}"
        f"{_follows_overlap(shared, p, true)}",
    )


def _follows_overlap(shared: np.ndarray, p: np.ndarray, true: np.ndarray) -> str:
    """What answers, truth and overlap have to do with each other; "" where one of them is always
    the same.
    """
    if any(len(np.unique(values)) < 2 for values in (shared, p, true)):
        return ""
    right, most = 100 * ((p > 0.5) == true).mean(), 100 * max(true.mean(), 1 - true.mean())
    return (
        f" Of all {len(true):,} pairs {right:.0f} % are answered rightly, where always the more "
        f"frequent answer would be right on {most:.0f} %. The answer follows the shared tokens "
        f"with {_rho(spearmanr(p, shared).statistic)}, the truth with "
        f"{_rho(spearmanr(true, shared).statistic)}."
    )


def class_size(model: LoadedModel, asked: Reviews, trained: Reviews) -> TestedClaim:
    """The recall of each step by how often it was trained on."""
    counts, true = Counter(trained.labels), np.array(asked.labels, int)
    right = model.answers(asked.inputs).argmax(1) == true
    names = asked.task.output_names
    table = _rates(
        [(f"{names[step]} ({counts[step]:,})", right[true == step]) for step in sorted(set(true))]
    )
    sizes = [counts[step] for step in sorted(set(true))]
    rho = spearmanr(sizes, table["rate"]).statistic if len(set(sizes)) > 1 else np.nan
    follows = "all are trained on alike often" if np.isnan(rho) else _rho(rho)
    return TestedClaim(
        "Do the largest classes do best?",
        "Classes 1 and 3 are best because they have the most rows (004, section 6)",
        "recall, with the training rows of each step",
        table,
        f"{_said(table)}. Recall against size over {len(sizes)} steps: {follows}; so few points "
        "prove nothing either way.",
    )


def _tokens(model: LoadedModel, texts: Sequence[str]) -> list[list[int]]:
    """The token ids of texts without markers."""
    return [ids[1:-1] for ids in model.tokenizer.ids(texts, model.max_length)]


def _jaccard(one: Sequence[int], other: Sequence[int]) -> float:
    first, second = set(one), set(other)
    return len(first & second) / max(1, len(first | second))


def _rates(groups: Sequence[tuple[str, np.ndarray]]) -> pd.DataFrame:
    rows = []
    for name, values in groups:
        if len(values):
            low, high = wilson_interval(float(values.sum()), len(values))
            rows.append((name, len(values), int(values.sum()), float(values.mean()), low, high))
    return pd.DataFrame(rows, columns=["group", "n", "count", "rate", "low", "high"])


def _said(table: pd.DataFrame) -> str:
    each = [f"{row.group}: {100 * row.rate:.0f} % of {row.n}" for row in table.itertuples()]
    said = ", ".join(each)
    return said[:1].upper() + said[1:]


def _apart(table: pd.DataFrame, cause: str, effect: str, *, last: bool = False) -> str:
    """Whether the first and the last group differ by more than their intervals allow."""
    if len(table) < 2:
        return "There is only one group, so nothing can be compared."
    most, least = (-1, 0) if last else (0, -1)
    if table["low"].iloc[most] > table["high"].iloc[least]:
        return f"Here {cause} does mean {effect}."
    return f"The intervals overlap: that {cause} means {effect} is not shown here."


def _spearman_interval(rho: float, n: int) -> tuple[float, float]:
    """At 95 %, by Fisher's z with the variance of Bonett and Wright (2000)."""
    reach = 1.96 * np.sqrt((1 + rho**2 / 2) / max(1, n - 3))
    centre = np.arctanh(np.clip(rho, -0.999999, 0.999999))
    return float(np.tanh(centre - reach)), float(np.tanh(centre + reach))


def tested_claims(
    sentiment: LoadedModel | None,
    models: Mapping[str, LoadedModel],
    sets: Mapping[str, Reviews],
    progress: Callable[[float], None] = lambda share: None,
) -> list[TestedClaim]:
    """All tests.

    Args:
        sentiment: a model of two labels; without one, its claim is left out.
        models: of each of the three tasks, by the name of the task.
        sets: the small sets of five steps and of paraphrase by the names of their tasks; models
            are asked about the parts that nothing was trained on.
        progress: called with the share that is done.
    """
    steps, pairs = sets["five-steps"], sets["paraphrase"]
    trained = steps.where([e.split == "train" for e in steps])
    asked = steps.where([e.split != "train" for e in steps])
    held = pairs.where([e.split != "train" for e in pairs])
    works: list[Callable[[], TestedClaim]] = [
        *([lambda: strength(sentiment, steps)] if sentiment is not None else []),
        lambda: rare_tokens(models["five-steps"], asked, trained),
        lambda: scrambled(models["paraphrase"], held),
        lambda: overlap(models["paraphrase"], held),
        lambda: class_size(models["five-steps"], asked, trained),
    ]
    found = []
    for done, work in enumerate(works, start=1):
        found.append(work())
        progress(done / len(works))
    return found
