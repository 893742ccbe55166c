"""A sentence with a masked word in, the words that a pretrained encoder would put there out.

This takes the language-model head that BERT is pretrained with (Devlin et al. 2019, section 3.1).
Fine-tuning drops it, and many encoders come without: then no mask can be filled.
"""

from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from bertsent.errors import BadInput, BertsentError
from bertsent.models.backbone import backbone_folder, load_tokenizer
from bertsent.models.folders import WEIGHTS, inspect_folder
from bertsent.probing.registry import BACKBONE, BUILTIN, find_model
from bertsent.training.runs.run import find_run

if TYPE_CHECKING:
    from transformers import PreTrainedModel

    from bertsent.text.tokens import ReviewTokenizer

MASK = "[MASK]"
_HEADS = ("cls.predictions.transform.", "vocab_transform.")  # of BERT and of DistilBERT


def folder_with_language_model_head(name: str) -> Path | None:
    """The folder of the pretrained encoder behind a registry name, if it came with a language-model
    head; None if not, or not known.
    """
    from safetensors import SafetensorError, safe_open

    with suppress(BertsentError, OSError, SafetensorError):
        folder = _pretrained(name)
        with safe_open(folder / WEIGHTS, "pt") as weights:
            # not a mapping
            if any(key.startswith(_HEADS) for key in weights.keys()):  # noqa: SIM118
                return folder
    return None


def fill_mask(folder: Path, text: str, n: int = 10) -> list[tuple[str, float]]:
    """The ``n`` likeliest word pieces for the one ``[MASK]`` of a text, with their probabilities,
    the likeliest first.

    Raises:
        BadInput: the text has no ``[MASK]``, or several, or it was cut off.
        BadCheckpoint: the folder is damaged.
    """
    import torch

    BadInput.raise_if(
        text.count(MASK) != 1,
        f"The sentence has {text.count(MASK)} {MASK}.",
        f"Write {MASK} once, in the place of a word.",
    )
    model, tokenizer = _loaded(folder)
    ids = _ids(tokenizer, text, min(512, model.config.max_position_embeddings))
    with torch.inference_mode():
        logits = model(input_ids=torch.tensor([ids])).logits[
            0, ids.index(tokenizer.fast.mask_token_id)
        ]
    probabilities = logits.double().softmax(-1)
    best = probabilities.topk(min(n, len(probabilities)))
    words = tokenizer.fast.convert_ids_to_tokens(best.indices.tolist())
    return list(zip(words, best.values.tolist(), strict=True))


def _pretrained(name: str) -> Path:
    if name in (BACKBONE, BUILTIN):
        return backbone_folder("builtin")
    found = find_model(name, folders=False)
    return backbone_folder(find_run(found.run).config.model) if found.run else found.folder


def _ids(tokenizer: "ReviewTokenizer", text: str, most: int) -> list[int]:
    """Both sides of the mask are tokenised by themselves, because nothing that is typed is
    read as a special token.
    """
    before, after = ((tokenizer.ids([side], most)[0])[1:-1] for side in text.split(MASK))
    room = most - len(before) - 3  # for [CLS], the mask and [SEP]
    BadInput.raise_if(
        room < 0, f"The sentence is too long: {MASK} would be cut off.", "Shorten it."
    )
    fast = tokenizer.fast
    return [
        fast.cls_token_id,
        *before,
        fast.mask_token_id,
        *after[:room],
        fast.sep_token_id,
    ]


@lru_cache(maxsize=1)
def _loaded(folder: Path) -> "tuple[PreTrainedModel, ReviewTokenizer]":
    from transformers import BertForMaskedLM, DistilBertForMaskedLM

    shape = inspect_folder(folder)
    kind = BertForMaskedLM if shape.family == "bert" else DistilBertForMaskedLM
    model = kind.from_pretrained(
        folder, use_safetensors=True, trust_remote_code=False, local_files_only=True
    )
    return model.float().eval(), load_tokenizer(folder, shape)
