"""What the views of one layer share: the layer, its numbers and the model's own, and the head and
the two tokens that are looked at.
"""

from dataclasses import dataclass
from functools import cached_property

from bertsent.probing.forward_pass.comparison import Comparison, compare, worst
from bertsent.probing.forward_pass.forward_pass import ForwardPass
from bertsent.probing.forward_pass.layer_pass import LayerPass
from bertsent.probing.forward_pass.own_numbers import OwnLayer
from bertsent.probing.heads.query_key_product import QueryKey, query_key
from bertsent.ui.shared.head_pickers import HeadAndPair


@dataclass(frozen=True)
class ChosenLayer:
    """Layer ``picked.layer`` of ``found``: ``layer`` is recomputed, ``own`` is the model's."""

    found: ForwardPass
    picked: HeadAndPair
    layer: LayerPass
    own: OwnLayer

    @property
    def tokens(self) -> tuple[str, ...]:
        return self.found.inputs.pieces

    def name(self, place: int) -> str:
        """The token at ``place``, from 0, with its position where it stands more than once."""
        token = self.tokens[place]
        return f"{token} ({place + 1})" if self.tokens.count(token) > 1 else token

    @property
    def number(self) -> int:
        """The layer, from 0."""
        return self.picked.layer

    @property
    def head(self) -> int:
        """From 0."""
        return self.picked.head

    @property
    def source(self) -> int:
        """The token that looks, from 0."""
        return self.picked.source

    @property
    def target(self) -> int:
        """The token that is looked at, from 0."""
        return self.picked.target

    @cached_property
    def arithmetic(self) -> QueryKey:
        """The way from the query of the token that looks to its weights."""
        own = self.own.attention_weights[self.head, self.source]
        return query_key(self.found, (self.number, self.head), self.source, own)

    def check(self, name: str, *parts: str) -> Comparison:
        """These parts of the layer, of all tokens and heads, beside the model's own."""
        return worst(
            name,
            [compare(part, getattr(self.layer, part), getattr(self.own, part)) for part in parts],
        )
