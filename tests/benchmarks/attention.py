"""Attention in fp32 inside a bf16 training, as ours, against the library's, which follows autocast:
a step of an encoder as large as the built-in one, without an optimizer.
"""

import copy
from functools import partial

import torch
from transformers import BertConfig, BertModel

from bertsent.models.fused_attention import FUSED
from tests.benchmarks.rows import Row
from tests.benchmarks.timing import interleaved

BATCH, LENGTHS = 16, (64, 128, 256)


def rows(quick: bool) -> list[Row]:
    """Tokens a second forwards and backwards, for short and for long texts."""
    turns = 3 if quick else 9
    shape = BertConfig(
        vocab_size=1000,
        hidden_size=384,
        num_hidden_layers=6,
        num_attention_heads=12,
        intermediate_size=1536,
        attention_probs_dropout_prob=0.0,  # as the trainings here; with it no kernel is fused
    )
    torch.manual_seed(0)
    stock = BertModel(shape, add_pooling_layer=False).train()
    ours = copy.deepcopy(stock)
    stock.set_attn_implementation("sdpa")
    ours.set_attn_implementation(FUSED)
    models, found = {"ours": ours, "stock": stock}, []
    for length in LENGTHS:
        ids = torch.randint(1, 1000, (BATCH, length))
        works = {name: partial(_step, model, ids) for name, model in models.items()}
        took = interleaved(works, turns, warm_up=2)
        found.append(
            Row(
                f"a step in bf16, attention in fp32 ({length} tokens)",
                "tokens/s",
                *(BATCH * length / took[name] for name in models),
                f"autocast on the processor; {BATCH} texts, forwards and backwards, median of "
                f"{turns} turns",
                more_is_better=True,
            )
        )
    return found


def _step(model: BertModel, ids: torch.Tensor, _turn: int) -> None:
    mask = torch.ones_like(ids)
    mask[0, -8:] = 0  # as where lengths differ
    with torch.autocast("cpu", torch.bfloat16):
        hidden = model(input_ids=ids, attention_mask=mask).last_hidden_state
    hidden.float().square().mean().backward()
    model.zero_grad()
