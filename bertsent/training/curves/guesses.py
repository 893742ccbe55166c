"""What a run of masked words has guessed for the gaps of its sentinels in; which guesses to draw,
and what became of them in words, out.
"""

import pandas as pd

from bertsent.data.cleaning import shorten

LINES = 6  # guesses that are drawn for one sentence
SMALL = 0.001  # a probability of which the first digits are said
NAMED = 3  # guesses that a table names


def drawn_guesses(guesses: pd.DataFrame, text: str) -> pd.DataFrame:
    """Of the rows of ``History.guess_frame`` those of one sentence, for the guesses that were most
    probable at any step: step, word, rank, p, in order of step. At a step where a guess was not
    among those that are stated, its p is missing.
    """
    own = guesses[guesses["text"] == text]
    highest = own.groupby("word", sort=False)["p"].max().nlargest(LINES).index
    if not len(highest):
        return own.drop(columns="text")
    steps = own["step"].drop_duplicates()
    every = pd.MultiIndex.from_product([steps, highest], names=["step", "word"])
    found = own.drop_duplicates(["step", "word"]).set_index(["step", "word"])[["rank", "p"]]
    return found.reindex(every).reset_index().sort_values("step", kind="stable")


def guess_table(guesses: pd.DataFrame) -> pd.DataFrame:
    """One row a sentence: its likeliest guesses at its first and its last step, in words."""
    rows = []
    for text, own in guesses.groupby("text", sort=False):
        first, last = own["step"].min(), own["step"].max()
        rows.append((text, _named(own, first), _named(own, last), first, last))
    return pd.DataFrame(rows, columns=["sentence", "before", "now", "first", "last"])


def guess_sentence(guesses: pd.DataFrame, text: str) -> str:
    """What became of the leading guess for one sentence; empty before its first one."""
    leading = guesses[(guesses["text"] == text) & (guesses["rank"] == 1)].sort_values("step")
    if leading.empty:
        return ""
    first, last, name = leading.iloc[0], leading.iloc[-1], shorten(text, 60)
    if first["step"] == last["step"]:
        return f"“{name}”: “{last['word']}” leads with {_percent(last['p'])}."
    changes = int((leading["word"] != leading["word"].shift()).sum()) - 1
    often = f", after {changes:,} changes of the leading guess" if changes > 1 else ""
    if changes:
        return (
            f"“{name}”: at step {first['step']:,} “{first['word']}” led with "
            f"{_percent(first['p'])}, at step {last['step']:,} “{last['word']}” leads with "
            f"{_percent(last['p'])}{often}."
        )
    return (
        f"“{name}”: “{last['word']}” has led from step {first['step']:,} to step "
        f"{last['step']:,}, with {_percent(first['p'])} at first and {_percent(last['p'])} now."
    )


def _named(own: pd.DataFrame, step: int) -> str:
    best = own[own["step"] == step].nsmallest(NAMED, "rank")
    return ", ".join(f"{row.word} {_percent(row.p)}" for row in best.itertuples())


def _percent(p: float) -> str:
    return f"{100 * p:.1f} %" if p >= SMALL else f"{100 * p:.2g} %"
