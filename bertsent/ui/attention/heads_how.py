"""Beside the grid: how attention works, in pictures of the model in use and of this review. Every
step is worked out in NumPy and compared with the model's own numbers.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from bertsent.figures.attention_steps import head_shares, token_blocks
from bertsent.figures.vector_strips import Strip, vector_strips
from bertsent.probing.forward_pass.comparison import Comparison, compare, worst
from bertsent.probing.forward_pass.forward_pass import ForwardPass
from bertsent.probing.forward_pass.layer_pass import LayerPass
from bertsent.probing.heads.attention_maps import head_name, largest_pair
from bertsent.probing.heads.attention_matrix import strongest_head
from bertsent.probing.heads.model_card import model_card
from bertsent.probing.loaded_model import LoadedModel
from bertsent.ui.attention.controls import Scope
from bertsent.ui.attention.take_apart_link import take_apart_button
from bertsent.ui.shared import (
    UNSEEN_BAR,
    choose,
    download_menu,
    escape_markdown,
    plotly_chart,
    show_help,
)
from bertsent.ui.shared.review_numbers import computed_own_layer, computed_pass, whole_maps

if TYPE_CHECKING:
    import plotly.graph_objects as go

DRAWN = 14  # tokens
STRIPS = 280  # pixels of all strips of the input together
COLOURS = "Purple is above 0, orange below."


@dataclass(frozen=True)
class FollowedHead:
    """The head that is taken apart and the word whose way is followed, all from 0; ``kept`` are the
    tokens that are drawn, ``below`` is where the downloads stand.
    """

    model: LoadedModel
    text: str
    tokens: tuple[str, ...]
    layer: int
    head: int
    pair: tuple[int, int]
    kept: slice
    below: DeltaGenerator = field(compare=False)

    @property
    def name(self) -> str:
        return f"head {head_name((self.layer, self.head))}"

    @property
    def word(self) -> str:
        return f"“{self.tokens[self.pair[0]]}”"

    @property
    def found(self) -> ForwardPass:
        return computed_pass(self.model, self.text)

    @cached_property
    def steps(self) -> LayerPass:
        return self.found.layer(self.layer)

    @property
    def check(self) -> Comparison:
        """Weights and end of the layer's attention beside the model's own."""
        own = computed_own_layer(self.model, self.text, self.layer)
        names = ("attention_weights", "attended")
        pairs = [compare(name, getattr(self.steps, name), getattr(own, name)) for name in names]
        return worst("Weights and output", pairs)


def show_how(scope: Scope, layer: int, head: int | None, below: DeltaGenerator) -> None:
    """Draw one step of the way from tokens to what a layer gives; without ``head`` for the
    strongest of the layer. Downloads go ``below``.

    Raises:
        NotAvailable: the model is of a family whose heads cannot be reached.
    """
    step = choose("Step", list(STEPS), "how_step", label_visibility="collapsed")
    maps = whole_maps(scope.model, scope.text)
    number = strongest_head(maps, layer) if head is None else head
    weights = maps.weights[layer, number]
    pair = largest_pair(weights, maps.special) or divmod(int(weights.argmax()), len(weights))
    start = max(0, min(pair) - 1) if max(pair) >= DRAWN else 0
    kept = slice(start, start + DRAWN)
    STEPS[step](
        FollowedHead(scope.model, scope.text, maps.tokens, layer, number, pair, kept, below)
    )


def _draw(
    followed: FollowedHead, figure: "go.Figure", name: str, sentence: str, formula: str
) -> None:
    first = name.split()[0].strip(",").lower()
    key = f"how_{first}"
    plotly_chart(figure, key=key, config=UNSEEN_BAR, alt=f"{name}. {sentence}")
    st.caption(f"{formula}  \n{escape_markdown(sentence)}")
    with followed.below:
        download_menu(key, figure, f"attention-{name.lower().replace(' ', '-')}")
        show_help("attention", "how_attention_works")
        take_apart_button(followed.model, strongest_pair=True)


def _input(followed: FollowedHead) -> None:
    found, place = followed.found, followed.pair[0]
    parts = {name: rows[place] for name, rows in found.parts.items()}
    summed, normalised = found.summed[place], found.normalised[place]
    added = ", ".join(f"{name} ({np.linalg.norm(part):.2f})" for name, part in parts.items())
    strips = [Strip(name, part, "added") for name, part in {**parts, "sum": summed}.items()]
    strips.append(Strip("normalised", normalised))
    _draw(
        followed,
        vector_strips(strips, row=STRIPS // len(strips), columns=True),
        "Input",
        f"What layer 1 reads for {followed.word} is the sum of its vectors for {added}, in "
        f"brackets their lengths: {len(normalised)} numbers, normalised to length "
        f"{np.linalg.norm(normalised):.2f}. {COLOURS}",
        r"$x=\mathrm{LayerNorm}(E_{token}+E_{segment}+E_{position})$"
        if "segment" in parts
        else r"$x=\mathrm{LayerNorm}(E_{token}+E_{position})$",
    )


def _query_key_value(followed: FollowedHead) -> None:
    steps, head, kept = followed.steps, followed.head, followed.kept
    found = (part[head][kept] for part in (steps.queries, steps.keys, steps.values))
    width, heads = steps.values.shape[-1], len(steps.values)
    longest = int(np.linalg.norm(steps.keys[head], axis=-1).argmax())
    _draw(
        followed,
        token_blocks(
            followed.tokens[kept], dict(zip(("query", "key", "value"), found, strict=True))
        ),
        "Query, key, value",
        f"Three matrices of {followed.name} turn each token into a query, a key and a value of "
        f"{width} numbers; {heads} heads do so in parallel. “{followed.tokens[longest]}” has the "
        f"longest key. {COLOURS}",
        "$q=xW^Q,\\; k=xW^K,\\; v=xW^V$",
    )


def _weights(followed: FollowedHead) -> None:
    steps, head, kept = followed.steps, followed.head, followed.kept
    source, target = followed.pair
    score, weight = (
        steps.scores[head][source, target],
        steps.attention_weights[head][source, target],
    )
    looked_at = f"“{followed.tokens[target]}”"
    blocks = {
        "scaled scores": steps.scores[head][kept, kept],
        "softmax: the weights": steps.attention_weights[head][kept, kept],
    }
    _draw(
        followed,
        token_blocks(followed.tokens[kept], blocks),
        "Weights",
        f"In {followed.name} the query of {followed.word} and the key of {looked_at} "
        f"score {score:.2f}; the softmax over the row makes {100 * weight:.1f} % of it. "
        f"{followed.check.sentence()}.",
        r"$\mathrm{softmax}(QK^\top/\sqrt{" + str(steps.queries.shape[-1]) + "})$",
    )


def _concat(followed: FollowedHead) -> None:
    steps, kept = followed.steps, followed.kept
    heads, _, width = steps.gathered.shape
    lengths = np.linalg.norm(steps.gathered[:, followed.pair[0]], axis=-1)
    blocks = {f"H{n + 1}": part[kept] for n, part in enumerate(steps.gathered)}
    _draw(
        followed,
        token_blocks(followed.tokens[kept], blocks, chosen=f"H{followed.head + 1}", together=True),
        "Heads side by side",
        f"Weights times values: each head of layer {followed.layer + 1} gathers {width} numbers a "
        f"token; side by side the {heads} heads are {heads} × {width} = {heads * width} numbers. "
        f"For {followed.word} head {head_name((followed.layer, int(lengths.argmax())))} gathers "
        f"most. {COLOURS}",
        r"$\mathrm{Concat}(h_1\ldots h_{" + str(heads) + r"}),\; h_i=A_iV_i$",
    )


def _projection(followed: FollowedHead) -> None:
    steps, kept = followed.steps, followed.kept
    shares, width = steps.shares[:, followed.pair[0]], steps.inputs.shape[-1]
    _draw(
        followed,
        head_shares(followed.tokens[kept], steps.shares[:, kept], followed.head),
        "Output",
        f"One more matrix, W^O of {width} × {width}, mixes the heads. To {followed.word} head "
        f"{head_name((followed.layer, int(shares.argmax())))} adds most: a vector of length "
        f"{shares.max():.2f}. All of it is added to the layer’s input and normalised. "
        f"{followed.check.sentence()}. A feed-forward part with a sum and a normalisation of its "
        "own follows.",
        r"$\mathrm{LayerNorm}(x+\mathrm{Concat}(\ldots)W^O)$",
    )


def _card(followed: FollowedHead) -> None:
    card, model = model_card(followed.model), followed.model
    shown = card.assign(
        **{column: card[column].map("{:,.0f}".format) for column in card.columns[1:]}
    )
    st.dataframe(shown, hide_index=True, key="how_card", height="content")
    words = (
        f"{model.name}: {model.layers} encoder layers and no decoder, each attention and "
        "feed-forward, each of these followed by a sum and a normalisation. BERT-base was "
        "pretrained on Wikipedia and BookCorpus to guess the 15 % of tokens that were hidden, and "
        "whether one sentence follows another."
    )
    st.caption(escape_markdown(words))


STEPS: dict[str, Callable[[FollowedHead], None]] = {
    "Input": _input,
    "Q, K, V": _query_key_value,
    "Weights": _weights,
    "Concat": _concat,
    "W^O": _projection,
    "Model": _card,
}
