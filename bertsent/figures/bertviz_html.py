"""BertViz (Vig 2019, https://github.com/jessevig/bertviz) without a network: attention maps in, one
HTML document out.

BertViz 1.4.1 loads require.js, d3 and jQuery from a content network, writes tokens into a script as
they are, draws black on black in a dark page and counts layers from 0. Here d3 comes from
``mpld3``, jQuery from ``XStatic-jQuery``, three lines do require.js's work, tokens are escaped,
colours follow the theme, and layers and heads count from 1 as everywhere in the app. Each change
replaces text that must be there, so a BertViz that changed is an error and not a blank box.
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
    from bertsent.probing.heads.attention_maps import AttentionMaps

ALL_LAYERS_TOKENS, ONE_LAYER_TOKENS = 64, 128  # longer texts make documents of tens of megabytes
# what fits; no more than 18, lest a token hold a piece of BertViz's code
TOKEN_CHARACTERS = {"head": 16, "model": 12}
FAINTEST = 0.01  # most lines are fainter: less than 1 % opacity, which nobody sees
LESS_THAN, BACKSLASH = "\ue000", "\ue001"  # stand-ins while BertViz writes its JSON

_REQUIRE_JS = (
    '<script src="https://cdnjs.cloudflare.com/ajax/libs/require.js/2.3.6/require.min.js"></script>'
)
_SCRIPT_TAG = '<script type="text/javascript">'
_CONFIG = re.compile(r"require\.config\(\{.*?\}\);", re.DOTALL)
_IDENTITY = re.compile(r"bertviz-[0-9a-f]{32}")
_LOADER = "function requirejs(names, use) { use(window.jQuery, window.d3); }"
_LINE = '.append("line")'
_CHANGES = {
    "head": (
        (".val(layer).text(layer)", ".val(layer).text(layer + 1)"),
        (
            "return d / activeHeads()",
            "return d / Math.sqrt(activeHeads())",
        ),  # twelve heads at once are too faint to see
    ),
    "model": (
        (".text(config.heads[i])", ".text(config.heads[i] + 1)"),
        (".text(config.layers[i])", ".text(config.layers[i] + 1)"),
        (
            "'Layer ' + config.layers[layerIndex] + \", Head \" + config.heads[headIndex]",
            "'Layer ' + (config.layers[layerIndex] + 1) + \", Head \" + (config.heads[headIndex] + "
            "1)",
        ),
    ),
}
_INK = {
    False: ("#FFFFFF", "#31333F", "#D8DADF", "light"),
    True: ("#171614", "#FAFAFA", "#4A4C55", "dark"),
}  # page, text, hover, scheme
_POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'"
_HINTS = {
    "head": "Point at a token to see what it looks at. Click a colour to hide its head, "
    "double-click to see it alone.",
    "model": "Each picture is a head: its tokens from top to bottom on both sides. Click one to "
    "enlarge it.",
}
_STYLE = """
:root {{ color-scheme: {scheme}; }}
body {{ margin: 8px 24px; background: {page}; color: {text}; font-family: sans-serif; }}
svg {{ overflow: visible; }}
svg text {{ fill: {text}; }}
rect.background, rect.highlight {{ fill: {hover}; }}
select {{ font: inherit; margin: 0 0 8px 4px; }}
p {{ font-size: 14px; margin: 0 0 12px; }}
"""


def head_view_html(
    maps: "AttentionMaps",
    *,
    layer: int | None = None,
    start: int = 0,
    dark: bool = False,
    nonce: str = "",
) -> str:
    """The head view: tokens left and right, a line for each weight, a colour for each head, one
    layer at a time.

    ``layer`` (from 0) brings that layer only, which long texts need; None brings all with a menu
    that begins at ``start``. The answer is a whole HTML document for an iframe; equal maps give
    equal documents. Its scripts carry the ``nonce`` that a page with a policy asks for.

    Raises:
        BadInput: the text is too long, a layer does not exist, or weights are not finite.
        NotAvailable: BertViz or one of its scripts is not installed.
        BertsentError: the installed BertViz is not the one this was written for.
    """
    (first,) = _layers(maps, [start if layer is None else layer])
    layers = _layers(maps, None if layer is None else [layer])
    return _document("head", _drawn("head", maps, layers, layer=first), dark, nonce)


def model_view_html(
    maps: "AttentionMaps",
    *,
    layers: Sequence[int] | None = None,
    dark: bool = False,
    nonce: str = "",
) -> str:
    """The model view: a thumbnail of every head, layers down and heads across; a click enlarges
    one.

    ``layers`` (from 0) narrows it down; None brings all. Answer and errors are as for
    ``head_view_html``.
    """
    mode, background = ("dark", "black") if dark else ("light", "white")
    drawn = _drawn("model", maps, _layers(maps, layers), display_mode=mode)
    return _document(
        "model",
        _replaced(drawn, f"'background': '{background}'", f"'background': '{_INK[dark][0]}'"),
        dark,
        nonce,
    )


def _layers(maps: "AttentionMaps", wanted: Sequence[int] | None) -> list[int]:
    """The layers to draw, once all that a viewer could have chosen wrongly is checked."""
    there, tokens = maps.weights.shape[0], len(maps.tokens)
    layers = list(range(there)) if wanted is None else sorted(set(wanted))
    if not layers or not all(0 <= layer < there for layer in layers):
        raise BadInput(
            f"This model has no such layer: {[layer + 1 for layer in layers]}.",
            f"Choose from 1 to {there}.",
        )
    if tokens > ONE_LAYER_TOKENS:
        raise BadInput(
            f"BertViz can show {ONE_LAYER_TOKENS} tokens; this text has {tokens}.",
            "Shorten the text.",
        )
    if tokens > ALL_LAYERS_TOKENS and len(layers) > 1:
        raise BadInput(
            f"BertViz can show {ALL_LAYERS_TOKENS} tokens in several layers at once; this text has "
            f"{tokens}.",
            f"Choose one layer (good for {ONE_LAYER_TOKENS} tokens) or shorten the text.",
        )
    if not np.isfinite(maps.weights).all():
        raise BadInput(
            "The attention holds numbers that are not finite.",
            "This model is damaged; choose another one.",
        )
    return layers


def _drawn(kind: str, maps: "AttentionMaps", layers: list[int], **options: str | int) -> str:
    """BertViz's own HTML without its network script and loader settings, its JSON made safe."""
    import torch  # BertViz takes tensors only

    weights = np.round(maps.weights.astype(np.float64), 4)[
        :, None
    ]  # (L, 1, H, T, T); float32 would not print shorter
    view = _bertviz(kind)
    tokens = [_stood_in(token, TOKEN_CHARACTERS[kind]) for token in maps.tokens]
    html = view(
        tuple(torch.from_numpy(layer) for layer in weights),
        tokens,
        include_layers=layers,
        prettify_tokens=False,
        html_action="return",
        **options,
    ).data
    html, found = _CONFIG.subn("", _replaced(html, _REQUIRE_JS, ""), count=1)
    if not found:
        raise _changed("require.config")
    for before, after in (*_CHANGES[kind], (_LINE, _visible_line(len(tokens)))):
        html = _replaced(html, before, after)
    return (
        _IDENTITY.sub("bertviz-view", html).replace(r"\ue000", r"\u003c").replace(r"\ue001", r"\\")
    )


def _visible_line(tokens: int) -> str:
    """Draw a line only where it can be seen; a head that looks evenly at a long text keeps its
    haze.
    """
    return (
        f".select(function(d) {{ return d < {min(FAINTEST, 0.5 / tokens):.4f} ? null : this; "
        f"}}){_LINE}"
    )


def _bertviz(kind: str) -> Callable:
    try:
        import bertviz
    except ImportError as missing:
        raise NotAvailable(
            "BertViz is not installed.", "Install it with: pip install -r requirements.txt"
        ) from missing
    return bertviz.head_view if kind == "head" else bertviz.model_view


def _stood_in(token: str, characters: int) -> str:
    """A token of bearable length in which nothing can end a script or look like one of our
    stand-ins.

    JSON writes the stand-ins as ``\\ue000`` and ``\\ue001``, which no other character can become;
    ``_drawn`` turns them into
    JavaScript's own escapes for ``<`` and the backslash.
    """
    short = token if len(token) <= characters else token[: characters - 1] + "…"
    plain = short.replace(LESS_THAN, "?").replace(BACKSLASH, "?")
    return plain.replace("<", LESS_THAN).replace("\\", BACKSLASH)


def _replaced(html: str, before: str, after: str) -> str:
    if before not in html:
        raise _changed(before)
    return html.replace(before, after)


def _changed(missing: str) -> BertsentError:
    return BertsentError(
        f"The installed BertViz is not the one this app knows: {missing!r} is gone.",
        "Install bertviz==1.4.1.",
    )


@lru_cache(maxsize=4)
def _script(package: str, *place: str) -> str:
    """The text of a script inside an installed package, whose code is not run."""
    try:
        found = find_spec(package)
        folders = (found.submodule_search_locations if found else None) or [""]
        return Path(folders[0]).joinpath(*place).read_text(encoding="utf-8")
    except (ImportError, OSError) as missing:
        raise NotAvailable(
            f"BertViz needs {place[-1]}, which comes with the package {package}.",
            "Install it with: pip install -r requirements.txt",
        ) from missing


def _document(kind: str, drawn: str, dark: bool, nonce: str) -> str:
    page, text, hover, scheme = _INK[dark]
    scripts = (
        _script("mpld3", "js", "d3.v5.min.js"),
        _script("xstatic.pkg.jquery", "data", "jquery.min.js"),
        _LOADER,
    )
    tag = f'<script nonce="{nonce}">' if nonce else "<script>"
    head = "".join(f"{tag}{script}</script>\n" for script in scripts)
    drawn = _replaced(drawn, _SCRIPT_TAG, tag)
    style = _STYLE.format(page=page, text=text, hover=hover, scheme=scheme)
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}"><title>BertViz {kind} '
        "view</title>\n"
        f"<style>{style}</style>\n{head}</head>\n"
        f"<body><p>{_HINTS[kind]}</p>\n{drawn}\n</body></html>\n"
    )
