"""One head of a layer and the token that looks in, how the loss would change with its attention
weights and with its query out.

∂αⱼ/∂q = αⱼ (kⱼ − Σ α_k k_k) / √d (row 001-34): more of q in the direction of kⱼ raises αⱼ, as far
as kⱼ differs from the mean of what is looked at already.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from bertsent.probing.forward_pass.backward_pass import BackwardPass
from bertsent.probing.forward_pass.layer_gradients import LayerGradients


@dataclass(frozen=True)
class AttentionGradient:
    """One head, one looking token: ``weights`` α (T,), its ``query`` (d,), the ``keys`` (T, d), and
    ``at_weights`` (T,), the gradient of the loss at α.
    """

    weights: np.ndarray
    query: np.ndarray
    keys: np.ndarray
    at_weights: np.ndarray

    def of_query(self, other: int) -> np.ndarray:
        """(d,): ∂α/∂q of the weight on token ``other``."""
        apart = self.keys[other] - self.weights @ self.keys
        return self.weights[other] * apart / np.sqrt(len(self.query))

    @property
    def at_query(self) -> np.ndarray:
        """(d,): the gradient of the loss at the query, Σ ∂L/∂αⱼ · ∂αⱼ/∂q over all tokens j."""
        return np.sum(
            [at * self.of_query(other) for other, at in enumerate(self.at_weights)], axis=0
        )

    @property
    def at_scores(self) -> np.ndarray:
        """(T,): the gradient at q·k / √d, αⱼ (∂L/∂αⱼ − Σ α ∂L/∂α). Above 0 looking there more would
        raise the loss.
        """
        return self.weights * (self.at_weights - self.weights @ self.at_weights)

    def table(self, tokens: tuple[str, ...]) -> pd.DataFrame:
        """One row a token that can be looked at."""
        return pd.DataFrame(
            {
                "position": range(1, len(tokens) + 1),
                "token": tokens,
                "α": self.weights,
                "∂L/∂α": self.at_weights,
                "∂L/∂score": self.at_scores,
            }
        )


def most_moved(passed: BackwardPass) -> tuple[int, int]:
    """The layer and the head, from 0, with the largest gradient at an attention score."""
    layer, head = divmod(int(passed.heads.argmax()), passed.heads.shape[1])
    return layer, head


def heads_table(passed: BackwardPass) -> pd.DataFrame:
    """One row a head, layer and head from 1: its largest gradient at a score, and ``share``, that
    over the largest of all heads.
    """
    layer, head = np.indices(passed.heads.shape).reshape(2, -1)
    sizes = passed.heads.reshape(-1)
    share = sizes / max(float(sizes.max()), 1e-300)
    return pd.DataFrame({"layer": layer + 1, "head": head + 1, "∂L/∂score": sizes, "share": share})


def attention_gradient(layer: LayerGradients, head: int, place: int) -> AttentionGradient:
    """Token ``place`` looking with ``head``, both from 0."""
    return AttentionGradient(
        layer.layer.attention_weights[head, place],
        layer.layer.queries[head, place],
        layer.layer.keys[head],
        layer.attention_weights[head, place],
    )
