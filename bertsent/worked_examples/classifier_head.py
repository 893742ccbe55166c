"""The classifier head: a matrix and a bias on the vector of [CLS] (lecture slides, Appendix A2d),
beside that of the model in use.
"""

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import softmax

from bertsent.errors import BadInput
from bertsent.worked_examples.typed_values import matrix, number, numbers, whole
from bertsent.worked_examples.worked_example import Input, Quantity, Slip, Values, WorkedExample
from bertsent.worked_examples.written_numbers import short, written

if TYPE_CHECKING:
    from bertsent.probing.loaded_model import LoadedModel


def xavier_bound(inputs: int, outputs: int) -> float:
    """√(6 / (inputs + outputs)): Glorot and Bengio 2010, equation 16."""
    return float(np.sqrt(6 / (inputs + outputs)))


def head_size(width: int, labels: int, millions: float) -> Values:
    """How many numbers a head of ``labels`` outputs on ``width`` inputs has, how far they lie from
    0 at first, and what share of the whole model they are.
    """
    parameters = width * labels + labels
    return {
        "parameters": parameters,
        "bound": xavier_bound(width, labels),
        "share": 100 * parameters / (1e6 * millions),
    }


def head_answer(hidden: np.ndarray, weights: np.ndarray, bias: np.ndarray) -> Values:
    """z = Wᵀh + b and its softmax: ``hidden`` (n,), ``weights`` (n, 2), ``bias`` (2,).

    Raises:
        BadInput: there is not one row of weights for each number of h.
    """
    BadInput.raise_if(
        len(weights) != len(hidden),
        f"h has {len(hidden)} numbers and W {len(weights)} rows.",
        "Give W one row for each number of h.",
    )
    shares = hidden[:, None] * weights
    logits = shares.sum(axis=0) + bias
    return {
        "shares": shares,
        "logits": logits,
        "probabilities": softmax(logits),
        "bound": xavier_bound(*weights.shape),
    }


def own_head(model: "LoadedModel") -> dict[str, str]:
    """What stands between the vectors and the logits of the model in use, by what it is called."""
    head, encoder = model.model.classifier, model.model.bert
    weights = head.weight.detach().double().cpu().numpy()
    parameters = sum(part.numel() for part in head.parameters())
    whole_model = sum(part.numel() for part in encoder.parameters()) + parameters
    pooler = "yes" if model.model.pooler is not None else "no: the head reads the vector as it is"
    return {
        "what it reads": {"cls": "the vector of [CLS]", "mean": "the mean", "max": "the maximum"}[
            model.pooling
        ]
        + f", {weights.shape[1]:,} numbers",
        "a tanh layer before it (pooler)": pooler,
        "parameters of the head": f"{parameters:,}",
        "share of the model": f"{100 * parameters / whole_model:.4f} % of {whole_model:,}",
        "largest weight now": written(float(np.abs(weights).max())),
        "Xavier bound of its shape": written(xavier_bound(*weights.shape)),
    }


def _size_finding(found: Values) -> str:
    return (
        f"The head is {found['parameters']:,} of {found['millions']:g} million numbers, "
        f"{found['share']:.4f} %; all others come pretrained."
    )


def _answer_finding(found: Values) -> str:
    label = int(found["logits"].argmax())
    most = int(np.abs(found["shares"][:, label]).argmax())
    return (
        f"Number {most + 1} of h adds {written(found['shares'][most, label], 2)} to the logit of "
        f"{('NEGATIVE', 'POSITIVE')[label]}, more than any other. The bound of random weights for "
        f"this size is √(6 / {found['weights'].size // 2 + 2}) = {written(found['bound'])}: the "
        "smaller the head, the larger."
    )


HEAD_SIZE = WorkedExample(
    key="head_size",
    rows=("001-27", "000-05"),
    title="The classifier head: how many numbers, and how they begin",
    source="Lecture slides, Appendix A2d",
    says=(
        "z = Wᵀh + b on the 768 numbers of [CLS]: 1,538 parameters beside 110 million; W is drawn "
        "evenly from ±√(6/(768 + 2)) (Xavier), b is 0."
    ),
    inputs=(
        Input("width", "Numbers of [CLS]", "768", whole(1, 20_000)),
        Input("labels", "Labels", "2", whole(2, 1_000)),
        Input("millions", "Model, million parameters", "110", number(0.001, 1e7)),
    ),
    work=head_size,
    quantities=(
        Quantity(
            "parameters",
            "parameters",
            lambda f: f"{f['width']} × {f['labels']} + {f['labels']}",
            said="1,538",
        ),
        Quantity(
            "bound",
            "Xavier bound",
            lambda f: f"√(6 / ({f['width']} + {f['labels']}))",
            said="0.0883",
        ),
        Quantity(
            "share",
            "per cent of the model",
            lambda f: f"{f['parameters']:,} / {short(f['millions'])} million",
            said="0.0014",
        ),
    ),
    finding=_size_finding,
    slips=(
        Slip(
            "E-14",
            "The slide's head is not the library's: BertForSequenceClassification first sends "
            "[CLS] through a dense layer with tanh (the pooler) and draws W from N(0, 0.02); and "
            "nn.Linear(768, 2), as the slide's code has it, draws W and b from ±1/√768 = ±0.0361 "
            "unless told otherwise. In all three the last layer has 1,538 parameters.",
        ),
    ),
)

HEAD_ANSWER = WorkedExample(
    key="head_answer",
    rows=("001-27",),
    title="The classifier head on three numbers",
    source="Lecture slides, Appendix A2d",
    says=(
        "A simplified example with h = [0.5, 0.2, 0.8]. Its W cannot be read in the copy that we "
        "have: the one here is ours."
    ),
    inputs=(
        Input("hidden", "h of [CLS]", "0.5, 0.2, 0.8", numbers(1, 8, low=-50, high=50)),
        Input(
            "weights",
            "W, a row for each number of h",
            "0.9, -0.4\n-0.3, 0.7\n0.6, -0.8",
            matrix((1, 8), (2, 2), low=-50, high=50),
            lines=3,
        ),
        Input("bias", "b", "0, 0", numbers(2, 2, low=-50, high=50)),
    ),
    work=head_answer,
    quantities=(
        Quantity(
            "shares",
            "what each number adds",
            "h × W",
            columns=("NEGATIVE", "POSITIVE"),
            places=2,
        ),
        Quantity("logits", "logits z", "columns added up, + b"),
        Quantity("probabilities", "probabilities", "softmax(z)"),
    ),
    finding=_answer_finding,
)
