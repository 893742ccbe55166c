"""What happened to a text on its way to ids, and to a word on its way to pieces, in a sentence."""

from collections import Counter

from bertsent.text.normalising import ACCENT, ALONE, CAPITAL, DROPPED, SPACE
from bertsent.text.word_pieces import SplitWord, TextTrace, WordPieceRules

_COUNTED = {
    CAPITAL: ("capital became small", "capitals became small"),
    ACCENT: ("accent was dropped", "accents were dropped"),
    DROPPED: ("unseen character was dropped", "unseen characters were dropped"),
    ALONE: ("Chinese character stands alone", "Chinese characters stand alone"),
    SPACE: ("sign became a space", "signs became a space"),
}


def trace_sentence(trace: TextTrace, read: int) -> str:
    """What was done to a text of which the model reads ``read`` tokens, [CLS] and [SEP] among
    them.
    """
    words, split = len(trace.words), sum(len(each.pieces) > 1 for each in trace.splits)
    done = Counter(rule for letter in trace.letters for rule in letter.rules)
    changes = [f"{count} {_COUNTED[rule][count > 1]}" for rule, count in done.items()]
    whole = len(trace.ids) + 2
    cut = f", of which the model reads {read}" if read < whole else ""
    made_words = "1 word" if words == 1 else f"{words:,} words and marks"
    made = (
        f"{_counted(len(trace.text), 'character')} became {made_words}, and these "
        f"{_counted(whole, 'token')} with [CLS] and [SEP]{cut}; {split or 'no'} "
        f"{'word is' if split <= 1 else 'words are'} split."
    )
    return f"{made} On the way {_listed(changes)}." if changes else made


def split_sentence(split: SplitWord, rules: WordPieceRules) -> str:
    """How a word was found in the vocabulary, or why it was not."""
    if len(split.word) > rules.longest_word:
        return (
            f"“{split.word[:12]}…” has {len(split.word)} letters, more than {rules.longest_word}: "
            f"no trial, {rules.unknown} at once."
        )
    trials = "1 trial" if len(split.trials) == 1 else f"{len(split.trials):,} trials"
    if split.stuck is not None:
        before = " The pieces found before it do not count." if split.stuck else ""
        return (
            f"“{split.word}” becomes {rules.unknown} after {trials}: nothing in the vocabulary "
            f"fits from “{split.word[split.stuck]}” on.{before}"
        )
    if len(split.pieces) == 1:
        return f"“{split.word}” is in the vocabulary as a whole: one trial, one piece."
    return (
        f"“{split.word}” takes {trials} and becomes {len(split.pieces)} pieces: "
        f"{_listed(list(split.pieces))}. Each is the longest that fits where it begins."
    )


def unknown_reason(split: SplitWord, rules: WordPieceRules) -> str:
    """Why a word is not in the vocabulary, in a few words; empty where it is."""
    if split.stuck is None:
        return ""
    if len(split.word) > rules.longest_word:
        return f"{len(split.word)} letters: more than {rules.longest_word} are not tried"
    return f"nothing fits from “{split.word[split.stuck]}” on"


def unknown_sentence(rules: WordPieceRules, trace: TextTrace) -> str:
    """How many words of a text are unknown, and what that means."""
    unknown = sum(split.stuck is not None for split in trace.splits)
    own = (
        "Every word of this review is known."
        if not unknown
        else f"{unknown} of the {len(trace.words):,} words and marks of this review "
        f"{'is' if unknown == 1 else 'are'} unknown."
    )
    return (
        f"{own} One sign that no entry holds makes {rules.unknown}, id "
        f"{rules.vocabulary.get(rules.unknown, -1)}, of the whole word that it stands in."
    )


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _listed(parts: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(parts[:-1]), parts[-1])))
