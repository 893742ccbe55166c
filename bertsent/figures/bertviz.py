"""BertViz (Vig 2019, https://github.com/jessevig/bertviz) without a network: attention maps in, one HTML document out.

BertViz 1.4.1 loads require.js, d3 and jQuery from a content network, writes tokens into a script as they are, draws black on
black in a dark page and counts layers from 0. Here d3 comes from ``mpld3``, jQuery from ``XStatic-jQuery``, three lines do
require.js's work, tokens are escaped, colours follow the theme, and layers and heads count from 1 as everywhere in the app.
Each change replaces text that must be there, so a BertViz that changed is an error and not a blank box.
"""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bertsent.errors import BadInput, BertsentError, NotAvailable

if TYPE_CHECKING:
    from bertsent.probing.attention import AttentionMaps

ALL_LAYERS_TOKENS, ONE_LAYER_TOKENS = 64, 128  # longer texts make documents of tens of megabytes
TOKEN_CHARACTERS = 18
FAINTEST = 0.01  # weights below one per cent are drawn by BertViz as lines that nobody can see; they cost most of its time
LESS_THAN, BACKSLASH = "\ue000", "\ue001"  # stand-ins while BertViz writes its JSON

_REQUIRE_JS = '<script src="https://cdnjs.cloudflare.com/ajax/libs/require.js/2.3.6/require.min.js"></script>'
_CONFIG = re.compile(r"require\.config\(\{.*?\}\);", re.DOTALL)
_IDENTITY = re.compile(r"bertviz-[0-9a-f]{32}")
_LOADER = "function requirejs(names, use) { use(window.jQuery, window.d3); }"
_FROM_ONE = {
    "head": ((".val(layer).text(layer)", ".val(layer).text(layer + 1)"),),
    "model": (
        (".text(config.heads[i])", ".text(config.heads[i] + 1)"),
        (".text(config.layers[i])", ".text(config.layers[i] + 1)"),
        (
            "'Layer ' + config.layers[layerIndex] + \", Head \" + config.heads[headIndex]",
            "'Layer ' + (config.layers[layerIndex] + 1) + \", Head \" + (config.heads[headIndex] + 1)",
        ),
    ),
}
_INK = {False: ("#FFFFFF", "#31333F", "#D8DADF", "light"), True: ("#191816", "#FAFAFA", "#4A4C55", "dark")}  # page, text, hover, scheme
_STYLE = """
:root {{ color-scheme: {scheme}; }}
body {{ margin: 8px 24px; background: {page}; color: {text}; font-family: sans-serif; }}
svg {{ overflow: visible; }}
svg text {{ fill: {text}; }}
rect.background {{ fill: {hover}; }}
select {{ font: inherit; margin: 0 0 8px 4px; }}
"""


def head_view_html(maps: "AttentionMaps", *, layer: int | None = None, dark: bool = False) -> str:
    """The head view: tokens left and right, a line for each weight, a colour for each head, one layer at a time.

    ``layer`` (from 0) brings that layer only, which long texts need; None brings all with a menu. The answer is a whole
    HTML document for an iframe; equal maps give equal documents.

    Raises:
        BadInput: the text is too long, a layer does not exist, or weights are not finite.
        NotAvailable: BertViz or one of its scripts is not installed.
        BertsentError: the installed BertViz is not the one this was written for.
    """
    layers = _layers(maps, None if layer is None else [layer])
    html = _drawn("head", maps, layers)
    return _document(html, "head", dark)


def model_view_html(maps: "AttentionMaps", *, layers: Sequence[int] | None = None, dark: bool = False) -> str:
    """The model view: a thumbnail of every head, layers down and heads across; a click enlarges one.

    ``layers`` (from 0) narrows it down; None brings all. Answer and errors are as for ``head_view_html``.
    """
    html = _drawn("model", maps, _layers(maps, layers), display_mode="dark" if dark else "light")
    page = _INK[dark][0]
    html = _replaced(html, "'background': 'black'" if dark else "'background': 'white'", f"'background': '{page}'")
    return _document(html, "model", dark)
