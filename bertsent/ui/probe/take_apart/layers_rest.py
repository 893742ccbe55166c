"""What becomes of the heads of one token: side by side, mixed by W^O, added and normalised, fed
forward, added and normalised again.
"""

from bertsent.figures.vector_strips import Strip
from bertsent.probing.forward_pass.sentences import activation_label, rest_sentence
from bertsent.ui.probe.take_apart.checks import show_check
from bertsent.ui.probe.take_apart.layers_chosen import ChosenLayer
from bertsent.ui.probe.take_apart.strips import show_strips

ROW = 33  # pixels of a strip


def show_rest(inside: ChosenLayer) -> None:
    """Draw the vectors of the token that looks, from its heads to what the layer gives."""
    layer, place, head = inside.layer, inside.source, inside.head
    width = layer.gathered.shape[-1]
    show_strips(
        f"Layer {inside.number + 1}: “{inside.name(place)}” from its heads to the output",
        [
            Strip(
                "heads side by side",
                layer.side_by_side[place],
                outlined=(head * width, (head + 1) * width),
            ),
            Strip("× Wᴼ: attention", layer.attention[place]),
            Strip("input + attention", layer.summed[place]),
            Strip("LayerNorm", layer.attended[place], "stream"),
            Strip("× W₁: inner", layer.inner[place]),
            Strip(f"after {activation_label(layer.weights.activation)}", layer.activated[place]),
            Strip("× W₂: fed forward", layer.fed_forward[place]),
            Strip("sum of both", layer.output_summed[place]),
            Strip("LayerNorm: output", layer.output[place], "stream"),
        ],
        "layers_rest",
        rest_sentence(layer, inside.number, place, inside.tokens),
        "take_apart_layers",
        row=ROW,
    )
    show_check(
        inside.check(
            f"All of this for {len(inside.tokens)} tokens in layer {inside.number + 1}",
            *("side_by_side", "attention", "summed", "attended", "inner", "activated"),
            *("fed_forward", "output_summed", "output"),
        )
    )
