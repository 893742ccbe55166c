"""All attention heads on the review as one small picture."""

import html

import streamlit as st

from bertsent.figures.small_pictures import attention_shades, data_uri, heads_picture
from bertsent.probing.heads.attention_matrix import (
    attention_matrix,
    strongest_of_all,
    strongest_pair_sentence,
)
from bertsent.probing.loaded_model import LoadedModel
from bertsent.ui.home.tiles import tile
from bertsent.ui.shared import BY_CONTENT, escape_markdown
from bertsent.ui.shared.frame import ATTENTION
from bertsent.ui.shared.review_numbers import whole_maps

ABOUT = (
    "A row of tiles is a layer, a tile is one of its heads. Within a tile, a row is a token that "
    "looks, a column one it looks at, brighter is more attention. All tiles share one range of "
    "colours."
)


def show_heads(model: LoadedModel, text: str) -> None:
    """Draw the tile."""
    label = f"Where its {model.layers * model.heads} heads look"
    with tile("heads", ATTENTION.file, label, ABOUT, look="Heads"):
        picture, finding = _heads(model, text)
        st.html(
            f'<img class="home-heads" src="{picture}" alt="{html.escape(finding)}">{_scale_html()}'
        )
        st.caption(escape_markdown(finding))


@st.cache_data(max_entries=200, max_size="20MB", show_spinner=False, hash_funcs=BY_CONTENT)
def _heads(model: LoadedModel, text: str) -> tuple[str, str]:
    """The address of the picture, and what to see in it."""
    maps = whole_maps(model, text)
    found = strongest_of_all(maps)
    picture = data_uri(heads_picture(maps, found))
    if found is None:
        return picture, "There are no two words of which one could look at the other."
    layer, head = found
    said = strongest_pair_sentence(attention_matrix(maps, layer, str(head + 1)))
    return picture, f"{said} No head has a larger weight between two words (framed)."


def _scale_html() -> str:
    """The colours from no attention to the largest weight."""
    shades = attention_shades()
    stops = ",".join(f"rgb({r} {g} {b})" for r, g, b in shades[:: len(shades) // 8].tolist())
    return (
        '<div class="home-legend"><span>none</span>'
        f'<i class="home-scale" style="background:linear-gradient(to right,{stops})"></i>'
        "<span>most attention</span></div>"
    )
