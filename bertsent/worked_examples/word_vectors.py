"""Ids and mask into the model in use, the vectors of its last layer out: one for each token."""

from typing import TYPE_CHECKING

import numpy as np

from bertsent.probing.forward_pass.comparison import magnitude
from bertsent.worked_examples.input_sum import check_place
from bertsent.worked_examples.tokens import PARIS, SENTENCE, typed_tokens
from bertsent.worked_examples.typed_values import text, whole
from bertsent.worked_examples.worked_example import Input, Quantity, Slip, Values, WorkedExample

if TYPE_CHECKING:
    from bertsent.probing.loaded_model import LoadedModel

SHOWN = 4  # numbers of a vector


def word_vectors(model: "LoadedModel", sentence: str, length: int, place: int) -> Values:
    """The last vectors ``hidden`` (T, W) of a sentence that is padded to ``length``, and the one of
    the token at ``place``; ``change`` is how much padding changes the vectors of the real tokens.

    Raises:
        BadInput: there is no token at ``place``.
        NotAvailable: the model is no BERT and no DistilBERT.
    """
    from bertsent.probing.forward_pass.forward_pass import forward_pass, forward_pass_of

    alone = forward_pass(model, sentence)
    found = forward_pass_of(model, alone.inputs.padded(length, model.tokenizer.pad_id))
    hidden, own = found.hidden[-1], len(alone.inputs)
    check_place(place, len(hidden))
    typed, _, _ = typed_tokens(model, sentence)
    return {
        "inputs": found.inputs,
        "layers": model.layers,
        "width": model.width,
        "words": typed[1:-1],
        "whole": (f"1 × {len(hidden)} × {model.width}",),
        "cls": (f"1 × {model.width}",),
        "hidden": hidden,
        "token": found.inputs.pieces[place],
        "vector": hidden[place, :SHOWN],
        "change": float(np.abs(hidden[:own] - alone.hidden[-1]).max()),
    }


def _finding(found: Values) -> str:
    own = sum(found["inputs"].mask)
    pads = len(found["inputs"]) - own
    padding = (
        f" The {pads} [PAD] get vectors, too, which nobody reads; with the mask they change those "
        f"of the {own} real tokens by {magnitude(found['change'])}."
        if pads
        else ""
    )
    below = ", below that of [CLS]" if found["place"] else ""
    return (
        f"Each token leaves the last layer as a vector of {found['width']} numbers; the one of "
        f"“{found['token']}” is drawn{below}.{padding}"
    )


PARIS_VECTORS = WorkedExample(
    key="paris_vectors",
    rows=("003-05", "003-06"),
    title="From ids and mask to the vectors of the last layer",
    source="“Extract BERT Embeddings”, steps 5 and 6",
    says=(
        "Ids and mask go through the 12 layers of BERT-base. Embedding[1], [2] and [3] of the last "
        "one are the vectors of “I”, “love” and “Paris” in this sentence, 768 numbers each."
    ),
    inputs=(
        Input("sentence", "Sentence", PARIS.inputs[0].lecture, text(SENTENCE)),
        Input("length", "Fixed length", PARIS.inputs[1].lecture, whole(3, 32)),
        Input("place", "Token that is drawn, from 0", "3", whole(0, 63)),
    ),
    work=word_vectors,
    quantities=(
        Quantity("layers", "layers", "of the model in use", said="12", why="(BERT-base)"),
        Quantity("width", "numbers of a vector", said="768", why="(BERT-base)"),
        Quantity("words", "Embedding[1] and on", "the tokens behind [CLS]", said="I love Paris"),
        Quantity("vector", "the drawn vector begins", "last layer, in NumPy"),
        Quantity("whole", "output[0]", "last_hidden_state: texts × tokens × numbers"),
        Quantity("cls", "output[0][:, 0]", "the vector of [CLS]"),
    ),
    finding=_finding,
    slips=(
        Slip(
            "E-12",
            "sentence_embedding = output[0] is no sentence vector in Hugging Face but the whole "
            "last_hidden_state; the vector of [CLS] is output[0][:, 0].",
        ),
    ),
    of_model=True,
)
