"""A language model and held-out texts in, a table of scores out: how often the masked word is the
likeliest or among ten, the perplexity of the true words, and how many pairs of sentences are told
apart.

The words are drawn as in training, with a seed of their own. Beside the model stand two that know
less: the encoder as it came, whose last vectors are compared with the input vectors as they are,
and the shares of the words in the training texts, whatever the sentence.
"""

import math
from collections.abc import Callable, Iterator, Mapping

import numpy as np
import torch

from bertsent.models.backbone import load_backbone
from bertsent.models.language_model_head import LanguageModel
from bertsent.probing.shipped_word_scores import (
    COLUMNS,
    COUNTS,
    NEXT,
    PERPLEXITY,
    TOP_1,
    TOP_10,
    WITH_HEAD,
    WITHOUT,
)
from bertsent.recipe.learned_rows import LearnedRows
from bertsent.recipe.words_plan import FOLLOWING
from bertsent.statistics import accuracy_interval
from bertsent.text.batches import TokenBatch, collate, sorted_batches
from bertsent.text.masking import NO_LABEL, mask_tokens
from bertsent.text.tokens import ReviewTokenizer

LONGEST, ROWS, SEED = 128, 16, 20
Guess = Callable[[TokenBatch, torch.Tensor, torch.Tensor], torch.Tensor]


def word_score_rows(
    model: LanguageModel, sets: Mapping[str, LearnedRows], counts: np.ndarray
) -> Iterator[dict[str, object]]:
    """A row of ``COLUMNS`` for each set, model and metric.

    Args:
        model: as it ships.
        sets: held-out texts; those with targets are pairs of sentences.
        counts: (V,) how often each word piece is in the texts that were learned from.
    """
    backbone = load_backbone("builtin")
    guesses = {
        WITH_HEAD: _with_head(model, backbone.tokenizer),
        WITHOUT: _without(LanguageModel(backbone.model).eval(), backbone.tokenizer),
        COUNTS: _by_counts(counts),
    }
    for name, rows in sets.items():
        if FOLLOWING in rows.targets:
            yield _row(name, WITH_HEAD, NEXT, _pairs_right(model, rows, backbone.tokenizer))
            continue
        for title, guess in guesses.items():
            yield from _word_rows(name, title, guess, rows, backbone.tokenizer)


def _word_rows(
    name: str, title: str, guess: Guess, rows: LearnedRows, tokenizer: ReviewTokenizer
) -> Iterator[dict[str, object]]:
    losses, ranks, texts = (list[float](), list[int](), list[int]())
    for number, batch in enumerate(_batches(rows, tokenizer)):
        read, labels = mask_tokens(batch.input_ids, tokenizer, SEED + number)
        drawn = labels != NO_LABEL
        truth = labels[drawn]
        with torch.inference_mode():
            log_p = guess(batch, read, drawn).float().log_softmax(-1)
        true = log_p.gather(1, truth[:, None])
        losses += (-true[:, 0]).tolist()
        ranks += (log_p > true).sum(1).tolist()
        texts += torch.tensor(batch.positions)[drawn.nonzero()[:, 0]].tolist()
    found, groups = np.array(ranks), np.array(texts)
    yield _row(name, title, TOP_1, found < 1, groups)
    yield _row(name, title, TOP_10, found < 10, groups)
    facts = (name, title, PERPLEXITY, len(losses), math.exp(min(float(np.mean(losses)), 700.0)))
    yield dict(zip(COLUMNS, (*facts, math.nan, math.nan), strict=True))


def _pairs_right(model: LanguageModel, rows: LearnedRows, tokenizer: ReviewTokenizer) -> np.ndarray:
    right = np.zeros(len(rows.inputs), bool)
    for batch in _batches(rows, tokenizer):
        positions = list(batch.positions)
        segments = batch.segments(tokenizer.sep_id)
        with torch.inference_mode():
            hidden = model.hidden(batch.input_ids, batch.attention_mask, segments)
            answers = model.next_logits(hidden).argmax(-1).numpy()
        right[positions] = answers == rows.targets[FOLLOWING][positions]
    return right


def _batches(rows: LearnedRows, tokenizer: ReviewTokenizer) -> Iterator[TokenBatch]:
    ids = tokenizer.input_ids(rows.inputs, LONGEST)
    for positions in sorted_batches([len(row) for row in ids], ROWS):
        yield collate(ids, positions, pad_id=tokenizer.pad_id, limit=LONGEST)


def _row(
    name: str, title: str, metric: str, right: np.ndarray, groups: np.ndarray | None = None
) -> dict[str, object]:
    low, high = accuracy_interval(right, groups)
    facts = (name, title, metric, len(right), float(right.mean()), low, high)
    return dict(zip(COLUMNS, facts, strict=True))


def _with_head(model: LanguageModel, tokenizer: ReviewTokenizer) -> Guess:
    return lambda batch, read, drawn: model.word_logits(
        model.hidden(read, batch.attention_mask, batch.segments(tokenizer.sep_id))[drawn]
    )


def _without(model: LanguageModel, tokenizer: ReviewTokenizer) -> Guess:
    def guess(batch: TokenBatch, read: torch.Tensor, drawn: torch.Tensor) -> torch.Tensor:
        segments = batch.segments(tokenizer.sep_id)
        return model.hidden(read, batch.attention_mask, segments)[drawn] @ model.input_vectors.T

    return guess


def _by_counts(counts: np.ndarray) -> Guess:
    logits = torch.from_numpy(np.log(counts + 1.0))
    return lambda batch, read, drawn: logits.expand(int(drawn.sum()), -1)
