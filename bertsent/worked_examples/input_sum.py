"""The three tables of BERT's input and their sum, for tokens that are typed (Devlin et al. 2019,
figure 2).
"""

from typing import TYPE_CHECKING

import numpy as np

from bertsent.errors import BadInput
from bertsent.worked_examples.typed_values import text, whole
from bertsent.worked_examples.worked_example import Input, Quantity, Slip, Values, WorkedExample

if TYPE_CHECKING:
    from bertsent.probing.forward_pass.model_inputs import ModelInputs
    from bertsent.probing.loaded_model import LoadedModel

TOKENS = "[CLS] my dog is cute [SEP] he likes play ##ing [SEP]"
MOST = 32  # tokens
SHOWN = 4  # numbers of a vector
NAMES = ("token", "segment", "position")  # of the tables
_CLS, _SEP = "[CLS]", "[SEP]"


def two_texts(model: "LoadedModel", tokens: str) -> Values:
    """Ids, segments and positions of typed tokens, and beside them the real tokens of the same
    texts.

    Raises:
        BadInput: a token is no entry of the vocabulary.
        NotAvailable: the tokenizer does not split words as BERT's does.
    """
    from bertsent.probing.forward_pass.model_inputs import model_inputs

    inputs = typed_inputs(model, tokens)
    first, second = _texts(inputs.pieces, model.tokenizer.rules.prefix)
    real = model_inputs(model, first, second=second)
    return {
        "inputs": inputs,
        "count": len(inputs),
        "ids": tuple(map(str, inputs.ids)),
        "segments": np.array(inputs.segments),
        "positions": np.arange(len(inputs)),
        "real": real.pieces,
        "real_ids": tuple(map(str, real.ids)),
    }


def input_sum(model: "LoadedModel", tokens: str, place: int) -> Values:
    """For the typed token at ``place`` the rows of the model's tables, (W,) each, and their sum;
    ``summed`` (T, W) has that of all tokens.

    Raises:
        BadInput: a token is no entry of the vocabulary, or there is none at ``place``.
        NotAvailable: the model is no BERT and no DistilBERT.
    """
    from bertsent.probing.forward_pass.forward_pass import forward_pass_of

    inputs = typed_inputs(model, tokens)
    check_place(place, len(inputs))
    found = forward_pass_of(model, inputs)
    parts = {name: rows[place] for name, rows in found.parts.items()}
    return {
        "inputs": inputs,
        "piece": inputs.pieces[place],
        "width": model.width,
        "parts": parts,
        "summed": found.summed,
        **{name: parts.get(name, np.zeros(model.width))[:SHOWN] for name in NAMES},
        "sum": found.summed[place, :SHOWN],
    }


def typed_inputs(model: "LoadedModel", tokens: str) -> "ModelInputs":
    """What a model is given for typed pieces: segment 0 up to the first [SEP], 1 behind it.

    Raises:
        BadInput: there are too many, or one is no entry of the vocabulary.
    """
    from bertsent.probing.forward_pass.model_inputs import ModelInputs

    pieces, vocabulary = tuple(tokens.split()), model.tokenizer.rules.vocabulary
    BadInput.raise_if(len(pieces) > MOST, f"These are {len(pieces)} tokens.", f"Give {MOST}.")
    for piece in pieces:
        BadInput.raise_if(
            piece not in vocabulary,
            f"“{piece}” is no entry of the vocabulary.",
            "Give tokens as the model knows them, in small letters, with spaces in between.",
        )
    end = pieces.index(_SEP) + 1 if _SEP in pieces else len(pieces)
    segments = (0,) * end + (1,) * (len(pieces) - end)
    ids = tuple(vocabulary[piece] for piece in pieces)
    return ModelInputs(ids, segments, (1,) * len(ids), pieces)


def check_place(place: int, tokens: int) -> None:
    """Raise ``BadInput`` where there is no token at ``place``, counted from 0."""
    BadInput.raise_if(
        place >= tokens,
        f"There is no token {place}.",
        f"Counted from 0, the last one is {tokens - 1}.",
    )


def _texts(pieces: tuple[str, ...], prefix: str) -> tuple[str, str]:
    """The two texts that typed pieces spell."""
    texts, second = ["", ""], 0
    for piece in pieces:
        if piece == _SEP:
            second = 1
        elif piece != _CLS:
            joined = piece.startswith(prefix) and len(piece) > len(prefix)
            texts[second] += piece.removeprefix(prefix) if joined else f" {piece}"
    return texts[0].strip(), texts[1].strip()


def _finding(found: Values) -> str:
    own, real = found["count"], len(found["real"])
    segments = found["segments"]
    return (
        f"{own} tokens, {int((segments == 0).sum())} of segment A and {int(segments.sum())} of "
        f"segment B, at positions 0 to {own - 1}. The tokenizer itself makes {real} tokens of the "
        f"same text: {' '.join(found['real'])}."
    )


def _sum_finding(found: Values) -> str:
    lengths = {name: float(np.linalg.norm(row)) for name, row in found["parts"].items()}
    listed = ", ".join(f"{name} {length:.2f}" for name, length in lengths.items())
    none = "" if "segment" in lengths else " This model has no vectors for segments."
    longest = max(lengths, key=lambda name: lengths[name])
    return (
        f"Of the vectors added up for “{found['piece']}” that of its {longest} is the longest "
        f"({listed}), so it counts most in the sum.{none}"
    )


_SLIP = Slip(
    "E-10",
    "“play ##ing” is an illustration: the vocabulary of bert-base-uncased has “playing” as one "
    "token, id 2652.",
)
_TYPED = Input("tokens", "Tokens", TOKENS, text(400))

MY_DOG = WorkedExample(
    key="my_dog",
    rows=("002-19",),
    title="Two sentences as one input: ids, segments, positions",
    source="“BERT Input Format”, tokenized inputs",
    says="Two sentences are one input of 11 tokens, 6 of segment A and 5 of segment B.",
    inputs=(_TYPED,),
    work=two_texts,
    quantities=(
        Quantity("count", "tokens", "counted", said="11"),
        Quantity("ids", "ids", "places in the vocabulary"),
        Quantity(
            "segments",
            "segments",
            "0 (A) up to the first [SEP], then 1 (B)",
            said="0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1",
        ),
        Quantity(
            "positions", "positions", "counted from 0", said="0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10"
        ),
        Quantity("real_ids", "real ids", "of the tokenizer’s own tokens"),
    ),
    finding=_finding,
    slips=(_SLIP,),
    of_model=True,
)

MY_DOG_SUM = WorkedExample(
    key="my_dog_sum",
    rows=("002-19",),
    title="Token + segment + position, number by number",
    source="“BERT Input Format”, tokenized inputs",
    says="Each token gets the sum of three vectors of 768 numbers.",
    inputs=(_TYPED, Input("place", "Token that is drawn, from 0", "9", whole(0, MOST - 1))),
    work=input_sum,
    quantities=(
        Quantity("width", "numbers of a vector", said="768", why="(BERT-base)"),
        Quantity("token", "token vector begins"),
        Quantity("segment", "segment vector"),
        Quantity("position", "position vector"),
        Quantity("sum", "their sum", "added number by number"),
    ),
    finding=_sum_finding,
    of_model=True,
)
