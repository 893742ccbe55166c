"""Texts in groups in, the words that stand for each group out: by count, and by how much more
frequent they are than elsewhere.

Counts let a word lead two groups at once ("good" did, in the paper behind row 000-28). The log-odds
ratio with an informative Dirichlet prior (Monroe, Colaresi and Quinn 2008, "Fightin' Words",
equations 15, 16 and 22) finds what distinguishes a group from the others, and the class-based
TF-IDF of Grootendorst (2022, "BERTopic", section 3.3) what is frequent in it and rare elsewhere.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from bertsent.errors import BadInput
from bertsent.statistics import ALPHA, holm

DOMAIN = frozenset(
    "movie movies film films cinema br just really like one ll ve re don didn doesn".split()
)
PATTERN = r"(?u)\b[^\W\d_][\w'’]*[^\W\d_]\b"  # two letters or more, with don't as one word
COLUMNS = ("cluster", "word", "count", "z", "p_value", "c_tf_idf")
NAMED = 10  # words in a sentence


def keywords(
    texts: Sequence[str], ids: np.ndarray, *, drop: frozenset[str] = DOMAIN
) -> pd.DataFrame:
    """The words of every group with three measures.

    Args:
        texts: (n,) reviews, as they are cleaned.
        ids: (n,) the group of each, from 0.
        drop: words to leave out besides the stop words of English.

    Returns:
        Columns ``cluster``, ``word``, ``count`` (how often it stands in the group), ``z`` (z-score
        of its log-odds ratio against all other groups), ``p_value`` (two-sided, corrected by Holm's
        method for all words and groups) and ``c_tf_idf``; sorted by cluster, then by ``z``. Words
        met once only are left out.

    Raises:
        BadInput: not as many ids as texts.
    """
    if len(texts) != len(ids):
        raise BadInput(
            f"There are {len(ids):,} cluster ids but {len(texts):,} texts.", "Give one a review."
        )
    from scipy.stats import norm

    counts, words = _counts(texts, np.asarray(ids, dtype=np.int64), drop)
    if not len(words):
        return pd.DataFrame(columns=list(COLUMNS))
    z = log_odds(counts)
    p_values = holm(2 * norm.sf(np.abs(z)).ravel()).reshape(z.shape)
    measures = counts, z, p_values, c_tf_idf(counts)
    groups, places = np.nonzero(counts)
    table = pd.DataFrame(
        dict(
            zip(
                COLUMNS,
                (groups, words[places], *(m[groups, places] for m in measures)),
                strict=True,
            )
        )
    )
    return table.sort_values(
        ["cluster", "z", "word"], ascending=[True, False, True], ignore_index=True
    )


def distinctive(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of ``keywords`` whose words are significantly more frequent in their group than in
    the others.
    """
    return table[(table["z"] > 0) & (table["p_value"] <= ALPHA)]


def keyword_sentence(table: pd.DataFrame, measure: str, n: int) -> str:
    """Which words are among the ``n`` strongest of more than one cluster by a column of
    ``keywords``, and how many are significant: with counts some lead two, with log-odds none.
    """
    leading = table.sort_values(measure, ascending=False).groupby("cluster").head(n)["word"]
    twice = sorted(leading[leading.duplicated()].unique())
    shared = "No word is among the strongest of two clusters."
    if twice:
        shared = f"Among the strongest of more than one cluster: {', '.join(twice[:8])}."
    return (
        f"{shared} {len(distinctive(table)):,} words are significantly more frequent in their "
        "cluster (log-odds ratio, p ≤ 0.05 with Holm's correction)."
    )


def selection_sentence(table: pd.DataFrame) -> str:
    """The words that are more frequent in a selection (group 1 of ``keywords``) than elsewhere
    (group 0), and the other way round.
    """
    found = distinctive(table)
    more, less = (", ".join(found[found["cluster"] == g].head(NAMED)["word"]) for g in (1, 0))
    how = "log-odds ratio, p ≤ 0.05 with Holm's correction"
    if not more and not less:
        return f"No word is significantly more or less frequent in them ({how})."
    often = f"Significantly more frequent in them: {more}." if more else ""
    return f"{often}{f' Less frequent: {less}.' if less else ''} ({how})".strip()


def log_odds(counts: np.ndarray) -> np.ndarray:
    """z-scores (G, V) of each word's log-odds in its group against all others, with the words of
    all groups together as prior.
    """
    whole = counts.sum(axis=0)  # (V,) also the prior alpha
    alpha, mass = whole.astype(float), float(whole.sum())
    inside, size = counts + alpha, counts.sum(axis=1, keepdims=True) + mass
    outside, rest = (whole - counts) + alpha, (mass - counts.sum(axis=1, keepdims=True)) + mass
    with np.errstate(divide="ignore", invalid="ignore"):
        delta = np.log(inside / (size - inside)) - np.log(outside / (rest - outside))
        z = delta / np.sqrt(1 / inside + 1 / outside)
    return np.nan_to_num(z, nan=0.0, posinf=0.0, neginf=0.0)


def c_tf_idf(counts: np.ndarray) -> np.ndarray:
    """(G, V): share of the word in its group × log(1 + mean words a group / how often the word is
    in all).
    """
    share = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    return share * np.log1p(counts.sum(axis=1).mean() / np.maximum(counts.sum(axis=0), 1))


def _counts(
    texts: Sequence[str], ids: np.ndarray, drop: frozenset[str]
) -> tuple[np.ndarray, np.ndarray]:
    """(G, V) how often each word stands in each group, and the words (V,)."""
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, CountVectorizer

    vectorizer = CountVectorizer(
        token_pattern=PATTERN,
        preprocessor=lambda text: text.lower().replace("’", "'"),
    )
    try:
        found = vectorizer.fit_transform(texts)
    except ValueError:  # no words at all
        return np.zeros((0, 0), dtype=np.int64), np.array([], dtype=str)
    words = vectorizer.get_feature_names_out()
    member = np.zeros((int(ids.max()) + 1, len(ids)))
    member[ids, np.arange(len(ids))] = 1
    counts = np.asarray(member @ found).astype(np.int64)
    kept = np.array(
        [not _stopped(word, drop | ENGLISH_STOP_WORDS) for word in words], dtype=bool
    ) & (counts.sum(axis=0) > 1)
    return counts[:, kept], words[kept]


def _stopped(word: str, stopped: frozenset[str]) -> bool:
    """Stop words, also with an ending: it's, don't, they'll."""
    return word in stopped or (
        "'" in word and (word.partition("'")[0] in stopped or word.replace("'", "") in stopped)
    )
