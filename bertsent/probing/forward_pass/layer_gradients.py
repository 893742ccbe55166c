"""One layer of the forward pass and the gradient at its output in, the gradient at everything
inside it and at its weights out, in NumPy: backpropagation by hand.

It walks ``layer_pass`` from its end to its beginning; the rule for each operation is in
``backward_rules``. Where two ways lead on from a number (past a sublayer and through it), its
gradient is the sum of both.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from bertsent.probing.forward_pass.activation_derivatives import DERIVATIVES
from bertsent.probing.forward_pass.backward_rules import (
    linear_gradient,
    norm_gradient,
    through_linear,
    through_norm,
    through_softmax,
)
from bertsent.probing.forward_pass.encoder_weights import LayerWeights
from bertsent.probing.forward_pass.layer_pass import LayerPass


@dataclass(frozen=True)
class LayerGradients:
    """The gradient of the loss at each number of ``layer``, under the name that the number has in
    ``LayerPass`` and in its shape; ``output`` (T, W) is where it comes in. Worked out when asked
    for, and kept.
    """

    layer: LayerPass
    output: np.ndarray

    @cached_property
    def output_summed(self) -> np.ndarray:
        """(T, W)"""
        return through_norm(self._own.output_norm, self.layer.output_summed, self.output)

    @property
    def fed_forward(self) -> np.ndarray:
        """(T, W): a sum hands its gradient to both of its parts."""
        return self.output_summed

    @cached_property
    def activated(self) -> np.ndarray:
        """(T, inner width)"""
        return through_linear(self._own.outer, self.fed_forward)

    @cached_property
    def inner(self) -> np.ndarray:
        """(T, inner width): times the derivative of the activation."""
        return self.activated * DERIVATIVES[self._own.activation](self.layer.inner)

    @cached_property
    def attended(self) -> np.ndarray:
        """(T, W): past the feed-forward part and through it."""
        return self.output_summed + through_linear(self._own.inner, self.inner)

    @cached_property
    def summed(self) -> np.ndarray:
        """(T, W)"""
        return through_norm(self._own.attention_norm, self.layer.summed, self.attended)

    @property
    def attention(self) -> np.ndarray:
        """(T, W)"""
        return self.summed

    @cached_property
    def side_by_side(self) -> np.ndarray:
        """(T, W)"""
        return through_linear(self._own.output, self.attention)

    @cached_property
    def gathered(self) -> np.ndarray:
        """(H, T, d): its stretch of ``side_by_side`` for each head."""
        rows = self.side_by_side.reshape(len(self.side_by_side), self._own.heads, -1)
        return rows.transpose(1, 0, 2)

    @cached_property
    def values(self) -> np.ndarray:
        """(H, T, d)"""
        return self.layer.attention_weights.transpose(0, 2, 1) @ self.gathered

    @cached_property
    def attention_weights(self) -> np.ndarray:
        """(H, T, T): ∂L/∂α, the gradient at what is gathered times the value that α weighs."""
        return self.gathered @ self.layer.values.transpose(0, 2, 1)

    @cached_property
    def scores(self) -> np.ndarray:
        """(H, T, T): at QKᵀ / √d, before the softmax."""
        return through_softmax(self.layer.attention_weights, self.attention_weights)

    @cached_property
    def queries(self) -> np.ndarray:
        """(H, T, d)"""
        return self.scores @ self.layer.keys / np.sqrt(self.layer.keys.shape[-1])

    @cached_property
    def keys(self) -> np.ndarray:
        """(H, T, d)"""
        rows = self.scores.transpose(0, 2, 1)
        return rows @ self.layer.queries / np.sqrt(self.layer.queries.shape[-1])

    @cached_property
    def inputs(self) -> np.ndarray:
        """(T, W): past the attention, and through queries, keys and values."""
        parts = zip((self._own.query, self._own.key, self._own.value), self._by_token, strict=True)
        through = [through_linear(linear, rows) for linear, rows in parts]
        return self.summed + np.sum(through, axis=0)

    @property
    def weights(self) -> LayerWeights:
        """At the weights of the layer, in their shapes; worked out anew at each call."""
        layer, own = self.layer, self._own
        query, key, value = (linear_gradient(layer.inputs, rows) for rows in self._by_token)
        return replace(
            own,
            query=query,
            key=key,
            value=value,
            output=linear_gradient(layer.side_by_side, self.attention),
            attention_norm=norm_gradient(own.attention_norm, layer.summed, self.attended),
            inner=linear_gradient(layer.attended, self.inner),
            outer=linear_gradient(layer.activated, self.fed_forward),
            output_norm=norm_gradient(own.output_norm, layer.output_summed, self.output),
        )

    @property
    def _own(self) -> LayerWeights:
        return self.layer.weights

    @property
    def _by_token(self) -> tuple[np.ndarray, ...]:
        """Queries, keys and values with their heads side by side again, (T, W) each."""
        return tuple(
            np.concatenate(list(heads), axis=-1) for heads in (self.queries, self.keys, self.values)
        )
