"""What an encoder is made of, in numbers, beside the one of the original paper."""

from typing import TYPE_CHECKING, Any

import pandas as pd

from bertsent.probing.heads.attention_modules import (
    activation_name,
    embedding_tables,
    encoder_layers,
    feed_forward,
)

if TYPE_CHECKING:
    from bertsent.probing.loaded_model import LoadedModel

# of the original (Devlin et al. 2019, section 3), in the order of ``model_card``
BERT_BASE = (12, 12, 768, 64, 3072, 30_522, 512, 109_482_240)


def model_card(model: "LoadedModel") -> pd.DataFrame:
    """What the encoder is made of, beside BERT-base.

    Raises:
        NotAvailable: it is no BERT and no DistilBERT.
    """
    bert: Any = model.model.bert
    tables, (inner, _) = embedding_tables(bert), feed_forward(encoder_layers(bert)[0])
    numbers = {
        "layers, each attention and feed-forward": model.layers,
        "heads a layer, in parallel": model.heads,
        "numbers a token (width)": model.width,
        "numbers a token in one head (d)": model.width // model.heads,
        f"width of the feed-forward part ({activation_name(bert).upper()})": inner.out_features,
        "word pieces it knows": tables["token"].num_embeddings,
        "tokens it can read": tables["position"].num_embeddings,
        "parameters": sum(weights.numel() for weights in bert.parameters()),
    }
    return pd.DataFrame(
        {"part": list(numbers), "this model": list(numbers.values()), "BERT-base": BERT_BASE}
    )
