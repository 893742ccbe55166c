"""A word that was split in, every trial of its letters as HTML out: a block for each piece, in
it a line for each stretch of letters that was tried, the longest first.
"""

import html
from collections.abc import Sequence
from itertools import groupby

from bertsent.text.word_pieces import SplitWord, Trial

BLOCKS = 8  # pieces of a word
SHOWN = 14  # lines of a block; of more, the first and the last
FOUND, MISSED = "✓", "✗"


def trial_blocks(split: SplitWord, *, alt: str) -> str:
    """The trials of a word; the letters that are tried stand out from the rest of it."""
    starts = [tuple(trials) for _, trials in groupby(split.trials, key=lambda trial: trial.start)]
    blocks = "".join(
        _block(number, split.word, trials) for number, trials in enumerate(starts[:BLOCKS], start=1)
    )
    left_out = len(starts) - BLOCKS
    if left_out > 0:
        blocks += f"<div>… and {left_out} more {'piece' if left_out == 1 else 'pieces'}</div>"
    return f'<div class="trials" role="group" aria-label="{html.escape(alt)}">{blocks}</div>'


def _block(number: int, word: str, trials: Sequence[Trial]) -> str:
    last, count = trials[-1], "1 trial" if len(trials) == 1 else f"{len(trials)} trials"
    piece = f"{html.escape(last.piece)} · id {last.id}" if last.id is not None else "nothing"
    lines = [_line(word, trial) for trial in trials]
    if len(lines) > SHOWN:
        left_out = len(lines) - SHOWN + 1
        middle = f"<li>… {left_out} shorter ones, none of them known …</li>"
        lines = [*lines[: SHOWN // 2], middle, *lines[-(SHOWN // 2 - 1) :]]
    heading = f"<b>{number}. {piece}</b> <span>{count}</span>"
    return f'<div class="trial-block"><div>{heading}</div><ol>{"".join(lines)}</ol></div>'


def _line(word: str, trial: Trial) -> str:
    before, tried, behind = (
        html.escape(part)
        for part in (word[: trial.start], word[trial.start : trial.end], word[trial.end :])
    )
    known = trial.id is not None
    sign, kind = (FOUND, "found") if known else (MISSED, "missed")
    said = f"{html.escape(trial.piece)} is {'' if known else 'not '}in the vocabulary"
    return (
        f'<li class="{kind}" title="{said}"><i>{sign}</i><code><s>{before}</s><b>{tried}</b>'
        f"<s>{behind}</s></code></li>"
    )
