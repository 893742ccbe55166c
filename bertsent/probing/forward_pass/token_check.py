"""A text on its way to ids, worked out by rule, compared with what the tokenizer itself makes of
it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from bertsent.probing.forward_pass.comparison import Comparison
from bertsent.probing.forward_pass.model_inputs import ModelInputs
from bertsent.text.normalising import Letter, is_mark
from bertsent.text.tokens import ReviewTokenizer
from bertsent.text.word_pieces import TextTrace

if TYPE_CHECKING:
    from bertsent.probing.loaded_model import LoadedModel


@dataclass(frozen=True)
class TokenCheck:
    """How many places differ in letters, in words and in ids; ``reason`` says why, where that is
    known.
    """

    letters: Comparison
    words: Comparison
    ids: Comparison
    reason: str

    @property
    def all(self) -> Comparison:
        """One comparison of all three."""
        parts = (self.letters, self.words, self.ids)
        return Comparison("Letters, words and ids", sum(each.difference for each in parts), 0.0)


def check_tokens(tokenizer: ReviewTokenizer, trace: TextTrace, max_length: int) -> TokenCheck:
    """Compare a trace with the tokenizer's own normalizer, pre-tokenizer and ids."""
    backend: Any = tokenizer.fast.backend_tokenizer
    normalised = backend.normalizer.normalize_str(trace.text)
    words = [word for word, _ in backend.pre_tokenizer.pre_tokenize_str(normalised)]
    ids = tokenizer.tokens(trace.text, max_length).ids[1:-1]
    checks = (
        _different("Letters", "".join(letter.becomes for letter in trace.letters), normalised),
        _different("Words", [word.text for word in trace.words], words),
        _different("Ids", trace.ids[: max_length - 2], ids),
    )
    same = all(check.same for check in checks)
    return TokenCheck(*checks, "" if same else _reason(backend, trace.letters))


def check_pair(model: "LoadedModel", first: str, second: str, inputs: ModelInputs) -> Comparison:
    """Compare ids and segments of two joined texts with what the tokenizer makes of the pair."""
    ids, segments = model.tokenizer.pair(first, second, model.max_length)
    ours = list(zip(inputs.ids, inputs.segments, strict=True))
    return _different("Ids and segments", ours, list(zip(ids, segments, strict=True)))


def _different(name: str, recomputed: Sequence[object], own: Sequence[object]) -> Comparison:
    """How many places of two rows differ."""
    places = sum(a != b for a, b in zip_longest(recomputed, own))
    return Comparison(name, float(places), 0.0)


def _reason(backend: Any, letters: Sequence[Letter]) -> str:
    """Which sign the tokenizer reads in another way."""
    for letter in letters:
        own = backend.normalizer.normalize_str(letter.sign)
        apart = len(backend.pre_tokenizer.pre_tokenize_str(f"a{letter.sign}a")) > 1
        if own != letter.becomes or apart != (is_mark(letter.sign) or letter.sign.isspace()):
            return (
                f"The tokenizer reads U+{ord(letter.sign):04X} by older Unicode tables than those "
                "used here."
            )
    return ""
