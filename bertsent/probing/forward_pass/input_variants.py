"""A review and another text in, the model's answers to the review given in several ways out: alone,
padded beside something longer with its attention mask and without, before a second text with
segments and without. Each is worked out in NumPy and compared with the model's own.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import softmax

from bertsent.probing.forward_pass.comparison import Comparison, compare, magnitude, worst
from bertsent.probing.forward_pass.forward_pass import forward_pass_of
from bertsent.probing.forward_pass.model_inputs import ModelInputs, model_inputs
from bertsent.probing.forward_pass.own_numbers import own_numbers

if TYPE_CHECKING:
    from bertsent.probing.loaded_model import LoadedModel


ROUNDING = 1e-9  # of logits in double precision


@dataclass(frozen=True)
class InputVariant:
    """One way to give a text to a model: what goes in, the logits (2,) worked out from it, and the
    model's ``own`` logits.
    """

    name: str
    inputs: ModelInputs
    logits: np.ndarray
    own: np.ndarray

    @property
    def p_positive(self) -> float:
        return float(softmax(self.logits)[1])

    @property
    def comparison(self) -> Comparison:
        return compare(self.name, self.logits, self.own)


@dataclass(frozen=True)
class PaddedAnswers:
    """The shorter of two texts alone, and padded to the length of the other; ``of_review`` says
    whether the shorter one is the first of the two.
    """

    alone: InputVariant
    masked: InputVariant
    unmasked: InputVariant
    longer: ModelInputs
    of_review: bool

    @property
    def padding(self) -> int:
        """How many [PAD] stand behind the shorter one."""
        return len(self.masked.inputs) - len(self.alone.inputs)

    @property
    def variants(self) -> tuple[InputVariant, ...]:
        """All three; the first alone where nothing is padded."""
        return (self.alone, self.masked, self.unmasked)[: 3 if self.padding else 1]

    @property
    def change_with_mask(self) -> float:
        """The largest change of a logit by padding, with the mask; rounding apart it is 0."""
        return float(np.abs(self.masked.logits - self.alone.logits).max())

    def padding_sentence(self) -> str:
        """Which of the two is padded, and how much."""
        if not self.padding:
            return "Both texts have the same number of tokens: nothing is padded."
        whose = "the review" if self.of_review else "the other text"
        return (
            f"{self.padding} [PAD] {'is' if self.padding == 1 else 'are'} put behind {whose}, "
            "the shorter of the two; the mask is 0 there, so that no token looks at them."
        )

    def sentence(self) -> str:
        """What padding does to the answer, with the mask and without it."""
        if not self.padding:
            return self.padding_sentence()
        same = self.change_with_mask <= ROUNDING
        whose = "the review" if self.of_review else "the other text"
        with_mask, without = 100 * self.masked.p_positive, 100 * self.unmasked.p_positive
        return (
            f"Padded by {self.padding}, {whose} {'keeps' if same else 'gets'} P(positive) "
            f"{with_mask:.1f} %: with the mask its logits change by "
            f"{magnitude(self.change_with_mask)}. Were the mask all ones, it would get "
            f"{without:.1f} %."
        )


@dataclass(frozen=True)
class PairAnswers:
    """A text alone, before a second one with segments 0 and 1, and before it with segment 0
    throughout; None for the last where the model has no segments.
    """

    alone: InputVariant
    together: InputVariant
    one_segment: InputVariant | None

    @property
    def variants(self) -> tuple[InputVariant, ...]:
        found = (self.alone, self.together, self.one_segment)
        return tuple(variant for variant in found if variant)

    def segment_sentence(self) -> str:
        """How many tokens each segment has."""
        segments = self.together.inputs.segments
        return (
            f"Segment 0 has {segments.count(0)} tokens, [CLS] and the first [SEP] among them; "
            f"segment 1 has {segments.count(1)}."
        )

    def sentence(self) -> str:
        """What the second text and its segment do to the answer."""
        alone, together = (100 * each.p_positive for each in (self.alone, self.together))
        said = (
            f"The review alone gets P(positive) {alone:.1f} %, with the second text behind it "
            f"{together:.1f} %."
        )
        if self.one_segment is None:
            return f"{said} A DistilBERT has no segments: only [SEP] tells the texts apart."
        only = 100 * self.one_segment.p_positive
        return f"{said} With segment 0 throughout it would be {only:.1f} %."


def padded_answers(model: "LoadedModel", text: str, beside: str) -> PaddedAnswers:
    """Put ``text`` and ``beside`` into one batch.

    Raises:
        NotAvailable: the model's family, activation or pooler is not worked out here.
    """
    rows = [model_inputs(model, each) for each in (text, beside)]
    of_review = len(rows[0]) <= len(rows[1])
    short, long = rows if of_review else rows[::-1]
    padded = short.padded(len(long), model.tokenizer.pad_id)
    unmasked = replace(padded, mask=(1,) * len(padded))
    alone, masked, ignored = (
        _variant(model, name, inputs)
        for name, inputs in (
            ("alone", short),
            ("padded, with the mask", padded),
            ("padded, the mask all ones", unmasked),
        )
    )
    return PaddedAnswers(alone, masked, ignored, long, of_review)


def pair_answers(model: "LoadedModel", text: str, second: str) -> PairAnswers:
    """Put ``second`` behind ``text``.

    Raises:
        NotAvailable: the model's family, activation or pooler is not worked out here.
        BadInput: the model knows one segment only.
    """
    together = model_inputs(model, text, second=second)
    one = replace(together, segments=(0,) * len(together))
    found = _variant(model, "with the second text", together)
    return PairAnswers(
        _variant(model, "alone", model_inputs(model, text)),
        found,
        _variant(model, "with segment 0 throughout", one) if has_segments(model) else None,
    )


def has_segments(model: "LoadedModel") -> bool:
    """Whether the model has vectors for segments, as a BERT has and a DistilBERT has not."""
    from bertsent.probing.heads.attention_modules import embedding_tables

    return "segment" in embedding_tables(model.model.bert)


def compare_variants(variants: tuple[InputVariant, ...]) -> Comparison:
    """The comparison of all logits."""
    return worst("All logits", [each.comparison for each in variants])


def _variant(model: "LoadedModel", name: str, inputs: ModelInputs) -> InputVariant:
    return InputVariant(
        name, inputs, forward_pass_of(model, inputs).logits, own_numbers(model, inputs).logits
    )
