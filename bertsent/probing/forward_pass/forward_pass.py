"""A model and a text in, the whole forward pass out, from ids to probabilities, in NumPy and double
precision.

Every number follows from the ids and the weights alone; nothing is read from what the model itself
computes. Devlin et al. 2019, section 3 and figure 2, for the input; the layers are in
``layer_pass``.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import softmax

from bertsent.blas_threads import one_thread
from bertsent.errors import BadInput
from bertsent.models.pooling import Pooling
from bertsent.probing.forward_pass.encoder_weights import EncoderWeights, encoder_weights
from bertsent.probing.forward_pass.layer_pass import LayerPass
from bertsent.probing.forward_pass.model_inputs import ModelInputs, model_inputs

if TYPE_CHECKING:
    from bertsent.probing.loaded_model import LoadedModel


@dataclass(frozen=True)
class ForwardPass:
    """T tokens through L layers of width W. What is kept are the vectors between the layers; what
    lies inside a layer is worked out again for whoever looks at it, so that a long text through a
    large model fits into memory.
    """

    inputs: ModelInputs
    weights: EncoderWeights

    @property
    def rows(self) -> dict[str, np.ndarray]:
        """Which row of each table of input vectors every token takes, (T,), by what it is for."""
        rows = {
            "token": np.array(self.inputs.ids),
            "position": np.arange(len(self.inputs)),
            "segment": np.array(self.inputs.segments),
        }
        return {name: rows[name] for name in self.weights.tables}

    @cached_property
    def parts(self) -> dict[str, np.ndarray]:
        """The rows (T, W) of the tables of input vectors, by what they are for."""
        return {
            name: self.weights.tables[name][rows].astype(np.float64)
            for name, rows in self.rows.items()
        }

    @cached_property
    def summed(self) -> np.ndarray:
        """(T, W): the sum of the parts."""
        return np.sum(list(self.parts.values()), axis=0)

    @property
    def normalised(self) -> np.ndarray:
        """(T, W): the sum after LayerNorm, what the first layer reads."""
        return self.hidden[0]

    @cached_property
    def hidden(self) -> np.ndarray:
        """(L + 1, T, W): what each layer reads, and last what the last one gives."""
        states = [self.weights.norm(self.summed)]
        with one_thread():
            for layer in self.weights.layers:
                states.append(LayerPass(states[-1], layer, self.inputs.read).output)
        return np.stack(states)

    @property
    def layers(self) -> tuple[LayerPass, ...]:
        """One for each layer, new at each call: hold on to the one that is looked at."""
        return tuple(
            LayerPass(read, layer, self.inputs.read)
            for read, layer in zip(self.hidden, self.weights.layers, strict=False)
        )

    def layer(self, number: int) -> LayerPass:
        """Layer ``number``, from 0, worked out to its output; IndexError: there is none."""
        layer = self.layers[number]
        with one_thread():
            _ = layer.output
        return layer

    @property
    def pooled(self) -> np.ndarray:
        """(W,): one vector of the last ones: that of [CLS], or the mean or the maximum over the
        tokens that are no padding.
        """
        return pooled_vector(self.hidden[-1][self.inputs.read], self.weights.pooling)

    @property
    def after_pooler(self) -> np.ndarray:
        """(W,): what the classifier reads; ``pooled`` itself where the model has no pooler."""
        pooler = self.weights.pooler
        return self.pooled if pooler is None else pooler(self.pooled)

    @property
    def logits(self) -> np.ndarray:
        """(2,): for NEGATIVE and POSITIVE."""
        return self.weights.classifier(self.after_pooler)

    @property
    def probabilities(self) -> np.ndarray:
        """(2,): softmax of the logits."""
        return softmax(self.logits)


def pooled_vector(read: np.ndarray, how: Pooling) -> np.ndarray:
    """(W,) of the vectors (n, W) of the tokens that are no padding, as in ``models.pooling``."""
    return read[0] if how == "cls" else read.mean(0) if how == "mean" else read.max(0)


def forward_pass(
    model: "LoadedModel", text: str, *, second: str = "", beside: str = ""
) -> ForwardPass:
    """The forward pass of ``text``; ``second`` and ``beside`` as ``model_inputs`` takes them.

    Raises:
        NotAvailable: the model's family, activation or pooler is not worked out here.
        BadInput: there is a second text, and the model knows one segment only.
    """
    return forward_pass_of(model, model_inputs(model, text, second=second, beside=beside))


def forward_pass_of(model: "LoadedModel", inputs: ModelInputs) -> ForwardPass:
    """The forward pass of ``inputs``; raises what ``forward_pass`` does."""
    weights = encoder_weights(model)
    segments = weights.tables.get("segment")
    BadInput.raise_if(
        segments is not None and max(inputs.segments) >= len(segments),
        "This model knows one segment only.",
        "Give it one text.",
    )
    return ForwardPass(inputs, weights)
