"""Links as people write them: ``map_method=tsne`` as well as ``t-SNE``, ``map_colour=truth``. What
is not understood is said, once, and left out of the link. What has moved to another page is found
there.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from bertsent.space.projection_map import METHODS
from bertsent.ui.map.map_settings import BOTH, COLOURS, ONE, POOLING_NAMES, TIME, VIEWS
from bertsent.ui.map.review_sample import (
    BUILT_IN,
    BUILT_IN_TEST,
    ORDINARY,
    TRAIN,
    UPLOAD,
    VALIDATION,
)
from bertsent.ui.shared import escape_markdown
from bertsent.ui.shared.frame import WORDS


@dataclass(frozen=True)
class Parameter:
    """A parameter of the link: its values as the link has them, what else people call them, and
    words of earlier versions that mean the usual value.
    """

    names: Mapping[Any, str]  # by value
    others: Mapping[Any, Collection[str]] = field(default_factory=dict)
    usual: Collection[str] = ()

    def value(self, word: str) -> object | None:
        """The value that a word means, None where it means none."""
        known = {_plain(name): value for value, name in self.names.items()}
        known |= {_plain(str(value)): value for value in self.names}
        known |= {_plain(each): value for value, all_ in self.others.items() for each in all_}
        return known.get(_plain(word))


_PARAMETERS: dict[str, Parameter] = {
    "map_method": Parameter(METHODS, {"pca": ["principal components"], "tsne": ["sne"]}),
    "map_view": Parameter(
        VIEWS,
        {
            ONE: ["single", "map"],
            BOTH: ["before after", "before/after", "compare", "comparison"],
            TIME: ["checkpoint", "animation", "checkpoint animation", "time machine", "play"],
        },
        usual=["One checkpoint"],
    ),
    "map_colour": Parameter(
        COLOURS,
        {
            "label": ["labels", "sentiment", "true label"],
            "prediction": ["answer", "answers", "predicted", "predictions"],
            "confidence": ["sure", "certainty", "probability"],
            "cluster": ["clusters", "kmeans"],
        },
    ),
    "map_dimensions": Parameter({2: "2-D", 3: "3-D"}, {2: ["two", "flat"], 3: ["three"]}),
    "map_pooling": Parameter(POOLING_NAMES, {"mean": ["average"], "max": ["maximum"]}),
    "map_set": Parameter(
        {name: name for name in (ORDINARY, BUILT_IN_TEST, BUILT_IN, VALIDATION, TRAIN, UPLOAD)},
        {
            ORDINARY: ["plain", "easy", "ordinary reviews"],
            BUILT_IN_TEST: ["hard", "test", "one-liners", "hard one-liners"],
            BUILT_IN: ["all", "all built-in reviews", "built-in reviews"],
            TRAIN: ["training", "training reviews"],
            VALIDATION: ["validation reviews"],
            UPLOAD: ["file", "mine", "a file of yours"],
        },
    ),
    "finding": Parameter(
        {name: name for name in ("Extremes", "Clusters", "Boundary", "Calibration")},
        usual=["Selection"],
    ),
}
_SAME = {"map_color": "map_colour", "travel_method": "map_method", "travel_view": "map_view"}
_MOVED = {  # to the page Words: parameters of earlier versions and what they are called there
    "model": "model",
    "step": "step",
    "meaning_word": "word",
    "meaning_text": "vector_text",
    "meaning_mask": "mask_text",
    "meaning_by": "words_by",
    "meaning_layer": "words_layer",
    "meaning_pooling": "words_pooling",
}
SAME_WORD = "Same word, other sentences"
_TABS = {
    "onewordmanysentences": SAME_WORD,
    "sentencessidebyside": "Without fine-tuning",
    "vectorofatoken": "Vectors",
    "fillinaword": "Fill in a word",
}
_LOOKED_UP = ("file ", "hub ")  # sets of the host


def understand_link() -> None:
    """Give every word of the link the form that the controls know, and say what has none. A link to
    what the page Words has now opens that.
    """
    _follow_to_words()
    for old, new in _SAME.items():
        word = st.query_params.get(old)
        if word is not None:
            del st.query_params[old]
            st.query_params.setdefault(new, word)
    for name, parameter in _PARAMETERS.items():
        _mend(name, parameter)


def _follow_to_words() -> None:
    if st.query_params.get("finding") != "Meaning" and "meaning" not in st.query_params:
        return
    experiment = st.query_params.get("meaning", "")
    query = {new: st.query_params[old] for old, new in _MOVED.items() if old in st.query_params}
    query["words"] = _TABS.get(_plain(experiment), SAME_WORD)
    if "words_layer" in query:
        layer = f"layer {query.pop('words_layer')}"
        query["word_layer" if query["words"] == SAME_WORD else "words_layer"] = layer
    st.session_state.pop("finding", None)
    st.switch_page(WORDS.file, query_params=query)


def _mend(name: str, parameter: Parameter) -> None:
    word = st.query_params.get(name)
    if word is None or word in parameter.names.values() or word.startswith(_LOOKED_UP):
        return
    value = parameter.value(word)
    if value is not None:
        st.query_params[name] = parameter.names[value]
        st.session_state.setdefault(name, value)
        return
    del st.query_params[name]
    if word not in parameter.usual:
        offered = ", ".join(parameter.names.values())
        note = f"The link says {name}={word[:40]}, which is none of: {offered}."
        st.toast(escape_markdown(note), icon=":material/link_off:", duration="long")


def _plain(word: str) -> str:
    """In small letters, without spaces and signs."""
    return re.sub(r"[^a-z0-9]", "", word.lower())
