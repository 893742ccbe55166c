"""Rows of [CLS] a [SEP] b [SEP] in, both texts apart out, and how many tokens they share."""

import torch

from bertsent.text.batches import width


def apart(
    input_ids: torch.Tensor, attention_mask: torch.Tensor, segments: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """The texts of B rows, P of which hold two, as B + P rows of their own.

    Args:
        input_ids: (B, T).
        attention_mask: (B, T).
        segments: (B, T), 1 for the second text and its [SEP].

    Returns:
        Ids and mask, both (B + P, W): [CLS] a [SEP] of every row, then [CLS] b [SEP] of those that
        have a second text. Positions under a mask of 0 hold anything.
    """
    first = attention_mask * (1 - segments)
    pairs = segments.any(1)
    ids, mask, second = input_ids[pairs], first[pairs], segments[pairs]
    places = torch.arange(ids.shape[1], device=ids.device)
    # [CLS] stays; the second text moves up to follow it
    source = torch.where(places == 0, 0, places + mask.sum(1, keepdim=True) - 1)
    moved = ids.gather(1, source.clamp(max=ids.shape[1] - 1))
    kept = (places <= second.sum(1, keepdim=True)).long()
    masks = torch.cat([first, kept])
    wide = width(int(masks.sum(1).max()), input_ids.shape[1])
    return torch.cat([input_ids, moved])[:, :wide], masks[:, :wide]


def token_overlap(
    input_ids: torch.Tensor,
    attention_mask: torch.Tensor,
    segments: torch.Tensor,
    vocabulary: int,
) -> torch.Tensor:
    """Jaccard's index (P,) of the token sets of rows that all hold two texts: how many tokens both
    have by how many either has, markers not counted; 0 where there are none.
    """
    texts = (_tokens(attention_mask * (1 - segments), skip_first=True), _tokens(segments))
    one, other = (_present(input_ids, text, vocabulary) for text in texts)
    either = (one | other).sum(1)
    return (one & other).sum(1) / either.clamp(min=1)


def _tokens(text: torch.Tensor, *, skip_first: bool = False) -> torch.Tensor:
    """The mask of a text without its closing [SEP], and without [CLS] where it begins with it."""
    after = torch.cat([text[:, 1:], torch.zeros_like(text[:, :1])], dim=1)
    inner = text * after
    if skip_first:
        inner[:, 0] = 0
    return inner


def _present(input_ids: torch.Tensor, text: torch.Tensor, vocabulary: int) -> torch.Tensor:
    """Which of the vocabulary's tokens stand in each text, (P, vocabulary)."""
    found = torch.zeros(len(input_ids), vocabulary + 1, dtype=torch.bool, device=input_ids.device)
    found.scatter_(1, torch.where(text.bool(), input_ids, vocabulary), True)
    return found[:, :vocabulary]
