"""Tiny models of both families with a tiny vocabulary: a checkpoint of theirs is written in no
time.
"""

import json
from pathlib import Path

import pytest

WORDS = (
    "a fine warm film lovely acting great fun dull cold awful no number and so on another "
    "boring movie not very good bad the"
).split()


def write_tokenizer(folder: Path) -> int:
    """The built-in tokenizer with the special tokens, all ASCII letters, digits and signs, and a
    few words; gives its size.
    """
    from bertsent.models.backbone import builtin_folder

    whole = json.loads((builtin_folder() / "tokenizer.json").read_text(encoding="utf-8"))
    ranked = sorted(whole["model"]["vocab"], key=whole["model"]["vocab"].get)
    kept = ranked[:104] + [
        t for t in ranked[104:] if t in WORDS or len(t.removeprefix("##")) == 1 and t.isascii()
    ]
    whole["model"]["vocab"] = {
        token: number for number, token in enumerate(kept)
    }  # [PAD] … [MASK] keep their numbers
    folder.mkdir(exist_ok=True)
    (folder / "tokenizer.json").write_text(json.dumps(whole), encoding="utf-8")
    (folder / "tokenizer_config.json").write_bytes(
        (builtin_folder() / "tokenizer_config.json").read_bytes()
    )
    (folder / "vocab.txt").write_text("\n".join(kept) + "\n", encoding="utf-8")
    return len(kept)


@pytest.fixture(scope="session")
def tiny_backbone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A real BERT of 2 layers, 2 heads and 32 dimensions with random weights."""
    import torch
    from transformers import BertConfig, BertModel

    folder = tmp_path_factory.mktemp("models") / "tiny-bert"
    torch.manual_seed(0)
    sizes = {
        "hidden_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "intermediate_size": 64,
        "max_position_embeddings": 128,
    }
    BertModel(
        BertConfig(vocab_size=write_tokenizer(folder), **sizes), add_pooling_layer=False
    ).save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def tiny_distilbert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A real DistilBERT of 2 layers, 2 heads and 32 dimensions with random weights."""
    import torch
    from transformers import DistilBertConfig, DistilBertModel

    folder = tmp_path_factory.mktemp("models") / "tiny-distilbert"
    torch.manual_seed(0)
    sizes = {
        "dim": 32,
        "n_layers": 2,
        "n_heads": 2,
        "hidden_dim": 64,
        "max_position_embeddings": 128,
    }
    DistilBertModel(DistilBertConfig(vocab_size=write_tokenizer(folder), **sizes)).save_pretrained(
        folder
    )
    return folder
