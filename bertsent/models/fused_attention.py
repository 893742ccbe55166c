"""Fused attention which a processor computes in fp32 inside a training in bf16.

On processors torch's fused kernel is about as fast in bf16 as in fp32 forwards and much slower
backwards (torch 2.13): a whole step gains by it (``python -m tests.benchmarks attention``;
docs/benchmarks.md has what was measured). A graphics card keeps its own format.
"""

from typing import Any

import torch
from torch.nn.functional import scaled_dot_product_attention
from transformers import AttentionInterface, AttentionMaskInterface
from transformers.masking_utils import sdpa_mask

FUSED = "sdpa_in_fp32_on_cpu"  # what a configuration calls it


def attend(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    mask: torch.Tensor | None,
    *,
    dropout: float,
    scale: float | None,
) -> torch.Tensor:
    """Scaled dot-product attention (Vaswani et al. 2017, 3.2.1) of (B, heads, T, W); ``mask`` is
    False, or very negative, where a query may not look.
    """
    if query.device.type != "cpu" or not torch.is_autocast_enabled("cpu"):
        return scaled_dot_product_attention(query, key, value, mask, dropout, scale=scale)
    if mask is not None and mask.is_floating_point():
        mask = mask.float()
    with torch.autocast("cpu", enabled=False):
        return scaled_dot_product_attention(
            query.float(), key.float(), value.float(), mask, dropout, scale=scale
        )


def _fused_attention(
    module: torch.nn.Module,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor | None,
    dropout: float = 0.0,
    scaling: float | None = None,
    **_: Any,
) -> tuple[torch.Tensor, None]:
    """``attend`` as transformers calls it for the layers of an encoder."""
    gathered = attend(query, key, value, attention_mask, dropout=dropout, scale=scaling)
    return gathered.transpose(1, 2).contiguous(), None


AttentionInterface.register(FUSED, _fused_attention)
AttentionMaskInterface.register(FUSED, sdpa_mask)
