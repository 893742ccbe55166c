"""The three tables of BERT's input and their sum, for tokens that are typed (Devlin et al. 2019,
figure 2).
"""

from typing import TYPE_CHECKING

import numpy as np

from bertsent.errors import BadInput
from bertsent.lessons.typed_values import text, whole
from bertsent.lessons.worked_example import Input, Quantity, Slip, Values, WorkedExample
from bertsent.lessons.written_numbers import written

if TYPE_CHECKING:
    from bertsent.probing.forward_pass.model_inputs import ModelInputs
    from bertsent.probing.loaded_model import LoadedModel

TOKENS = "[CLS] my dog is cute [SEP] he likes play ##ing [SEP]"
MOST = 32  # tokens
_CLS, _SEP = "[CLS]", "[SEP]"


def input_sum(model: "LoadedModel", tokens: str, place: int) -> Values:
    """Ids, segments and positions of typed tokens, and for the one at ``place`` the rows of the
    model's tables, (W,) each, with their sum; beside them the real tokens of the same two texts.

    Raises:
        BadInput: a token is no entry of the vocabulary, or there is none at ``place``.
        NotAvailable: the model is no BERT and no DistilBERT.
    """
    from bertsent.probing.forward_pass.forward_pass import forward_pass_of
    from bertsent.probing.forward_pass.model_inputs import model_inputs

    inputs = typed_inputs(model, tokens)
    check_place(place, len(inputs))
    found = forward_pass_of(model, inputs)
    first, second = _texts(inputs.pieces, model.tokenizer.rules.prefix)
    real = model_inputs(model, first, second=second)
    parts = {name: rows[place] for name, rows in found.parts.items()}
    return {
        "inputs": inputs,
        "count": len(inputs),
        "ids": tuple(map(str, inputs.ids)),
        "segments": np.array(inputs.segments),
        "positions": np.arange(len(inputs)),
        "width": model.width,
        "parts": parts,
        "summed": found.summed,
        "first": float(found.summed[place, 0]),
        "token": inputs.pieces[place],
        "real": real.pieces,
        "real_ids": tuple(map(str, real.ids)),
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
    ) + ("" if "segment" in found["parts"] else " This model has no vectors for segments.")


def _first(found: Values) -> str:
    return " + ".join(
        f"{name} {written(row[0]) if row[0] >= 0 else f'({written(row[0])})'}"
        for name, row in found["parts"].items()
    )


MY_DOG = WorkedExample(
    key="my_dog",
    rows=("002-19",),
    title="Token + segment + position",
    source="“BERT Input Format”, tokenized inputs",
    says=(
        "Two sentences are one input of 11 tokens. Each gets the sum of three vectors of 768 "
        "numbers: of its token, of its sentence (A or B) and of its position."
    ),
    inputs=(
        Input("tokens", "Tokens", TOKENS, text(400)),
        Input("place", "Token that is drawn, from 0", "9", whole(0, MOST - 1)),
    ),
    work=input_sum,
    quantities=(
        Quantity("count", "tokens", "counted", said="11"),
        Quantity("ids", "token ids", "places in the vocabulary"),
        Quantity(
            "segments",
            "segments",
            "0 (A) up to the first [SEP], then 1 (B)",
            said="0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1",
        ),
        Quantity(
            "positions", "positions", "counted from 0", said="0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10"
        ),
        Quantity(
            "width",
            "numbers of a vector",
            "of the model in use",
            said="768",
            why="(of BERT-base)",
        ),
        Quantity("first", "first number of the sum", _first),
        Quantity("real", "real tokens", "by the tokenizer itself"),
        Quantity("real_ids", "their ids", "places in the vocabulary"),
    ),
    finding=_finding,
    slips=(
        Slip(
            "E-10",
            "“play ##ing” is an illustration: the vocabulary of bert-base-uncased has “playing” as "
            "one token, id 2652.",
        ),
    ),
    of_model=True,
)
