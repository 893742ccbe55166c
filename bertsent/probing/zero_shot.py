"""Reviews in, P(positive) out, by a language model that never saw a label: a sentence with a gap is
appended, and the probability of one word in it is compared with that of another (Schick and Schütze
2021).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.special import expit

from bertsent.errors import BadInput
from bertsent.models.language_model_head import load_language_model
from bertsent.probing.fill_mask import builtin_tokenizer
from bertsent.progress import Progress, no_progress
from bertsent.text.batches import answering_batches
from bertsent.text.masked_sentence import MASK, has_mask, typed_sentence

TEMPLATE, GOOD, BAD = "This film was [MASK].", "great", "terrible"
MOST_TOKENS = 256  # of a review with what is appended


@dataclass(frozen=True)
class Prompt:
    """A sentence with one gap, and the words for a positive and for a negative review."""

    template: str = TEMPLATE
    good: str = GOOD
    bad: str = BAD


@dataclass(frozen=True)
class ZeroShot:
    """P(positive) of each review (n,), and of the bare sentence without any review.

    The words are not equally frequent, so 0.5 favours one of them. The bare sentence says what is
    likelier whatever the review: what is above it counts as positive (Zhao et al. 2021). Neither
    threshold needs a label.
    """

    p_positive: np.ndarray
    bare: float

    def right(self, labels: Sequence[int | None], threshold: float) -> np.ndarray:
        """(n,) whether each answer is the label."""
        return (self.p_positive > threshold) == (np.array(labels) == 1)


def zero_shot(
    folder: Path,
    texts: Sequence[str],
    prompt: Prompt | None = None,
    *,
    progress: Progress = no_progress,
) -> ZeroShot:
    """Ask the language model about every review.

    Args:
        folder: of the language-model heads.
        texts: clean; a long one is cut, the appended sentence never.
        prompt: the usual one if it is not given.
        progress: hears how much of it is done; may raise ``Cancelled``.

    Raises:
        BadInput: the sentence has not one gap, or a word is not one word piece of the vocabulary.
        BadCheckpoint: the folder is damaged.
    """
    import torch

    asked, tokenizer = prompt or Prompt(), builtin_tokenizer()
    tail, words = _read(asked)
    model = load_language_model(folder)
    limit = MOST_TOKENS - len(tail)
    BadInput.raise_if(limit < 8, "The sentence is too long.", "Shorten it.")
    rows = [[*ids[:-1], *tail] for ids in tokenizer.ids(list(texts), limit)]
    rows.append([tokenizer.fast.cls_token_id, *tail])  # without a review
    mask_id, out = tokenizer.fast.mask_token_id, np.empty(len(rows))
    done = 0
    for batch in answering_batches(rows, pad_id=tokenizer.pad_id, limit=MOST_TOKENS):
        with torch.inference_mode():
            hidden = model.hidden(batch.input_ids, batch.attention_mask)
            logits = model.word_logits(hidden[batch.input_ids == mask_id])[:, list(words)]
        out[list(batch.positions)] = expit((logits[:, 0] - logits[:, 1]).double().numpy())
        done += len(batch.positions)
        progress(done / len(rows))
    return ZeroShot(out[:-1], float(out[-1]))


def _read(prompt: Prompt) -> tuple[list[int], tuple[int, int]]:
    """The ids that are appended, [SEP] included, and those of both words."""
    tokenizer = builtin_tokenizer()
    BadInput.raise_if(
        not has_mask(prompt.template),
        f"The appended sentence has no {MASK}.",
        f"Write {MASK} in the place of the word.",
    )
    ids = []
    for word in (prompt.good, prompt.bad):
        BadInput.raise_if(not word.strip(), "A word is missing.", "Type both words.")
        found = typed_sentence(prompt.template, tokenizer, MOST_TOKENS, [word])
        ids.append(found.truths[0])
        BadInput.raise_if(
            found.truths[0] == tokenizer.unknown_id,
            f"“{word[:40]}” is not in the vocabulary.",
            "Choose another word.",
        )
    BadInput.raise_if(ids[0] == ids[1], "Both words are the same.", "Choose two different ones.")
    return list(found.ids[1:]), (int(ids[0] or 0), int(ids[1] or 0))
