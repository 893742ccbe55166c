"""One vector for a sentence, in three ways: [CLS], mean, maximum (Extract BERT embeddings, section
7).
"""

from typing import TYPE_CHECKING

import numpy as np

from bertsent.errors import BadInput
from bertsent.probing.forward_pass.comparison import magnitude
from bertsent.worked_examples.typed_values import text, whole
from bertsent.worked_examples.worked_example import Input, Quantity, Slip, Values, WorkedExample
from bertsent.worked_examples.written_numbers import written

if TYPE_CHECKING:
    from bertsent.probing.loaded_model import LoadedModel

NAMES = ("[CLS]", "mean", "maximum", "mean with [PAD]")


def sentence_vectors(model: "LoadedModel", sentence: str, length: int) -> Values:
    """The three vectors of a sentence padded to ``length`` tokens, or as long as it is where that
    is more, and a fourth that forgets to leave the padding out; worked out in NumPy from the last
    hidden states of the model in use.

    Gives ``vectors`` (4, W), ``cosines`` (4, 4), the ``tokens``, the ``shape`` of what the model
    gives, and ``off``: the largest difference of the first three from the model's own.

    Raises:
        BadInput: the model does not read that many tokens.
    """
    import torch

    BadInput.raise_if(
        length > model.max_length,
        f"{model.name} reads at most {model.max_length} tokens.",
        "Choose a smaller length.",
    )
    tokens = model.tokens(sentence)
    padding = max(0, length - len(tokens))
    ids = torch.tensor([[*tokens.ids, *[model.tokenizer.pad_id] * padding]], device=model.device)
    mask = torch.tensor([[1] * len(tokens) + [0] * padding], device=model.device)
    with torch.inference_mode():
        output = model.model.bert(input_ids=ids, attention_mask=mask).last_hidden_state
    hidden = output[0].double().cpu().numpy()
    real = hidden[: len(tokens)]
    vectors = np.stack([hidden[0], real.mean(axis=0), real.max(axis=0), hidden.mean(axis=0)])
    own = [model.embed([sentence], pooling=how)[0] for how in ("cls", "mean", "max")]
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return {
        "tokens": (*tokens.pieces, *["[PAD]"] * padding),
        "mask": tuple(mask[0].tolist()),
        "shape": " × ".join(f"{n:,}" for n in output.shape),
        "vectors": vectors,
        "cosines": unit @ unit.T,
        "off": float(np.abs(vectors[:3] - own).max()),
    }


def _finding(found: Values) -> str:
    cosines, padding = found["cosines"], found["mask"].count(0)
    forgotten = (
        f"Counting the {padding} [PAD] as well turns the mean by 1 − cosine = "
        f"{written(1 - cosines[1, 3], 3)}."
        if padding
        else "Without padding both means are the same."
    )
    return (
        f"The mean and [CLS] have a cosine of {written(cosines[0, 1], 3)}, the maximum and [CLS] "
        f"{written(cosines[0, 2], 3)}. {forgotten} The three differ from the model's own by at "
        f"most {magnitude(found['off'])}."
    )


SENTENCE_VECTORS = WorkedExample(
    key="sentence_vectors",
    rows=("003-07",),
    title="One vector for a sentence, in three ways",
    source="Extract BERT embeddings, section 7",
    says=(
        "The vector of [CLS]; the mean over all tokens without padding; the largest of each number "
        "over all tokens. “sentence_embedding = output[0]” is said to be the first of them."
    ),
    inputs=(
        Input("sentence", "Sentence", "I love Paris", text(300)),
        Input("length", "Padded to, tokens", "7", whole(2, 128)),
    ),
    work=sentence_vectors,
    quantities=(
        Quantity("tokens", "tokens", "with padding"),
        Quantity("mask", "attention mask", "0 is padding"),
        Quantity("shape", "output[0]", "sentences × tokens × width"),
        Quantity("cosines", "How alike they are", "cosine", rows=NAMES, columns=NAMES, places=3),
    ),
    finding=_finding,
    slips=(
        Slip(
            "E-12",
            "In the library output[0] holds the vectors of all tokens; that of [CLS] is "
            "output[0][:, 0].",
        ),
    ),
    of_model=True,
)
