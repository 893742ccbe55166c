"""A forward pass and the true label in, the gradient of the cross-entropy at everything out: from
the logits back through classifier, pooler, pooling and layers to the input vectors and the rows of
their tables, in NumPy and double precision.

The loss is −log ŷ of the true label, its gradient at the logits ŷ − y (row 001-34). Everything
before follows by the chain rule, a layer in ``layer_gradients``.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bertsent.blas_threads import one_thread
from bertsent.probing.forward_pass.activation_derivatives import DERIVATIVES
from bertsent.probing.forward_pass.backward_rules import (
    linear_gradient,
    norm_gradient,
    through_linear,
    through_norm,
)
from bertsent.probing.forward_pass.encoder_weights import Linear, Norm
from bertsent.probing.forward_pass.forward_pass import ForwardPass
from bertsent.probing.forward_pass.layer_gradients import LayerGradients


@dataclass(frozen=True)
class TableGradient:
    """The gradient at a table of input vectors: ``values`` (n, W) at its ``rows`` (n,), which rise;
    at all other rows it is 0.
    """

    rows: np.ndarray
    values: np.ndarray


@dataclass(frozen=True)
class BackwardPass:
    """The gradient of the loss of ``label`` at each number of ``forward``, under the name that the
    number has there and in its shape. Kept are the gradients between the layers; those inside are
    worked out again for whoever looks.
    """

    forward: ForwardPass
    label: int

    @property
    def logits(self) -> np.ndarray:
        """(2,): ŷ − y."""
        return self.forward.probabilities - np.eye(2)[self.label]

    @property
    def classifier(self) -> Linear:
        """At the classifier's weights (2, W) and biases (2,)."""
        return linear_gradient(self.forward.after_pooler[None], self.logits[None])

    @property
    def after_pooler(self) -> np.ndarray:
        """(W,)"""
        return through_linear(self.forward.weights.classifier, self.logits)

    @property
    def pooler(self) -> Linear | None:
        """At the pooler's weights (W, W) and biases (W,); None where there is no pooler."""
        if self.forward.weights.pooler is None:
            return None
        return linear_gradient(self.forward.pooled[None], self._inside_pooler[None])

    @property
    def pooled(self) -> np.ndarray:
        """(W,)"""
        pooler = self.forward.weights.pooler
        if pooler is None:
            return self.after_pooler
        return through_linear(pooler.linear, self._inside_pooler)

    @property
    def hidden(self) -> np.ndarray:
        """(L + 1, T, W): at what each layer reads, and last at what the last one gives."""
        return self._walked[0]

    @property
    def heads(self) -> np.ndarray:
        """(L, H): the largest gradient at an attention score of each head, without its sign."""
        return self._walked[1]

    @property
    def layers(self) -> tuple[LayerGradients, ...]:
        """One for each layer, new at each call: hold on to the one that is looked at."""
        return tuple(map(LayerGradients, self.forward.layers, self.hidden[1:]))

    @cached_property
    def summed(self) -> np.ndarray:
        """(T, W): at the sum of the parts, and so at each of them: the word vector of a token, its
        position and its segment.
        """
        return through_norm(self.forward.weights.norm, self.forward.summed, self.hidden[0])

    @property
    def norm(self) -> Norm:
        """At gain and shift of the norm of the input."""
        return norm_gradient(self.forward.weights.norm, self.forward.summed, self.hidden[0])

    @property
    def tables(self) -> dict[str, TableGradient]:
        """At the tables of input vectors: where a row is used more than once, its gradients add
        up.
        """
        return {name: self._of_table(rows) for name, rows in self.forward.rows.items()}

    @property
    def gradient_times_input(self) -> np.ndarray:
        """(T,): word vector times gradient at it, summed over the width. Above 0 the token raises
        the loss, to first order, if its vector grows (Simonyan et al. 2014; Shrikumar et al. 2017).
        """
        return (self.summed * self.forward.parts["token"]).sum(-1)

    @cached_property
    def _walked(self) -> tuple[np.ndarray, np.ndarray]:
        """``hidden`` and ``heads``, from the last layer to the first."""
        states, heads = [self._last], list[np.ndarray]()
        with one_thread():
            for layer in reversed(self.forward.layers):
                gradients = LayerGradients(layer, states[-1])
                states.append(gradients.inputs)
                heads.append(np.abs(gradients.scores).max(axis=(1, 2)))
        return np.stack(states[::-1]), np.stack(heads[::-1])

    @property
    def _inside_pooler(self) -> np.ndarray:
        """(W,): at what the pooler's activation reads."""
        pooler = self.forward.weights.pooler
        assert pooler is not None
        inside = pooler.linear(self.forward.pooled)
        return self.after_pooler * DERIVATIVES[pooler.activation](inside)

    @property
    def _last(self) -> np.ndarray:
        """(T, W): the pooled gradient at the vectors it was pooled from. The largest numbers get it
        in max pooling, equal ones in equal shares.
        """
        last, read = self.forward.hidden[-1], self.forward.inputs.read
        shares = np.zeros_like(last)
        if self.forward.weights.pooling == "cls":
            shares[0] = 1
        elif self.forward.weights.pooling == "mean":
            shares[read] = 1 / read.sum()
        else:
            largest = last[read] == last[read].max(0)
            shares[read] = largest / largest.sum(0)
        return shares * self.pooled

    def _of_table(self, rows: np.ndarray) -> TableGradient:
        used, places = np.unique(rows, return_inverse=True)
        values = np.zeros((len(used), self.forward.weights.width))
        np.add.at(values, places, self.summed)
        return TableGradient(used, values)
