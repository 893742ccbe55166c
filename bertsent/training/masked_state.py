"""Masked words in place of labels: what ``TrainerState`` does for a run that learns them.

Which tokens are drawn, and what becomes of them, follows from (seed, step) alone, with numbers of
its own beside those of dropout: so a run that was killed and resumed reads the same corrupted texts
as one left alone, and accumulated batches the same as one large batch. The validation texts are
corrupted once, by the seed, and stay so.
"""

import time
from collections.abc import Callable, Sequence

import numpy as np
import torch

from bertsent.data.examples import Splits
from bertsent.errors import BadInput
from bertsent.models.task_model import BertForTask
from bertsent.settings import LIMITS
from bertsent.tasks.masked_words import FEW, MASKED_WORDS, MaskedWords
from bertsent.text.batches import sorted_batches
from bertsent.text.masked_sentence import typed_sentence
from bertsent.text.masking import NO_LABEL, mask_rows
from bertsent.text.tokens import ReviewTokenizer
from bertsent.training.config import TrainingConfig
from bertsent.training.trainer_state import EVALUATION_BATCH, Evaluation, TrainerState

_TRAINING, _VALIDATION = 1, 2  # tell their draws apart
_Rows = dict[int, list[int]]


class MaskedState(TrainerState):
    """Model, optimizer and texts of a run that learns masked words."""

    def __init__(
        self,
        model: BertForTask,
        tokenizer: ReviewTokenizer,
        splits: Splits,
        config: TrainingConfig,
        device: str,
        *,
        clean_texts: bool = True,
    ) -> None:
        super().__init__(model, tokenizer, splits, config, device, clean_texts=clean_texts)
        self._read: _Rows = {}
        self._asked: _Rows = {}

    def _begin(self, step: int, rows: list[int]) -> int:
        """Corrupt the texts of a step; gives back how many tokens are asked for."""
        seed = (self.config.seed, _TRAINING, step)
        own = [self.train.ids[row] for row in rows]
        self._read, self._asked = _by_row(rows, mask_rows(own, self.tokenizer, seed))
        drawn = sum(label != NO_LABEL for row in rows for label in self._asked[row])
        self._weights = None, float(drawn)
        return drawn

    def _question(
        self, rows: tuple[int, ...], mine: slice
    ) -> tuple[list[torch.Tensor], torch.Tensor, int]:
        """Corrupted ids, mask and the drawn places of some rows, and the true ids there."""
        inputs, labels, tokens = self.corrupted(rows, self._read, self._asked)
        places = labels != NO_LABEL
        device, targets = self.accelerator.device, labels[mine][places[mine]]
        return [each[mine].to(device) for each in (*inputs, places)], targets.to(device), tokens

    def corrupted(
        self, rows: Sequence[int], read: _Rows, asked: _Rows
    ) -> tuple[tuple[torch.Tensor, torch.Tensor], torch.Tensor, int]:
        """Ids and mask of a batch as the model reads them, and the true ids where it is asked, all
        (B, T); the tokens of the batch.
        """
        batch = self._collated(read, rows)
        labels = torch.full_like(batch.input_ids, NO_LABEL)
        for place, row in enumerate(rows):
            labels[place, : len(asked[row])] = torch.tensor(asked[row])
        mask = batch.attention_mask
        return (batch.input_ids, mask), labels, int(mask.sum())

    def validation_draw(self) -> tuple[_Rows, _Rows]:
        """The validation texts as they are read at every evaluation, and what is asked."""
        seed = (self.config.seed, _VALIDATION)
        ids = self.validation.ids
        return _by_row(range(len(ids)), mask_rows(ids, self.tokenizer, seed))

    @torch.inference_mode()
    def evaluate(self, interrupted: Callable[[], bool] = lambda: False) -> Evaluation | None:
        """Loss and rank of each drawn token of the validation texts and the place of its text,
        (n, 3), text by text in their order; None when ``interrupted`` said so between two batches.
        """
        began, (read, asked) = time.perf_counter(), self.validation_draw()
        self.plain.eval()
        found: dict[int, np.ndarray] = {}
        for rows in sorted_batches(self.validation.lengths, EVALUATION_BATCH):
            if interrupted():
                return None
            inputs, labels, _ = self.corrupted(rows, read, asked)
            places, device = labels != NO_LABEL, self.accelerator.device
            logits = self._logits(*(each.to(device) for each in (*inputs, places))).float()
            judged = MASKED_WORDS.judged(logits, labels[places].to(device))
            ends = np.cumsum(places.sum(1).numpy())[:-1]
            found |= dict(zip(rows, np.split(judged, ends), strict=True))
        answers = np.concatenate(
            [np.insert(found[row], 2, row, axis=1) for row in range(len(found))]
        )
        return Evaluation(float(answers[:, 0].mean()), answers, time.perf_counter() - began)

    @torch.inference_mode()
    def guesses(self, texts: Sequence[str]) -> dict[str, list[tuple[str, float]]]:
        """The ten likeliest word pieces for the gap of each sentence, in full precision; without
        sentences that cannot be read.
        """
        self.plain.eval()
        most = self.plain.bert.config.max_position_embeddings
        device, pieces = self.accelerator.device, self.tokenizer.fast.convert_ids_to_tokens
        found = {}
        for text in texts:
            try:
                sentence = typed_sentence(text, self.tokenizer, min(most, LIMITS.longest_length))
            except BadInput:
                continue
            ids = torch.tensor([sentence.ids], device=device)
            places = torch.zeros_like(ids, dtype=torch.bool)
            places[0, sentence.places[0]] = True
            logits = self._logits(ids, torch.ones_like(ids), places)[0]
            best = logits.double().softmax(-1).topk(FEW)
            names = pieces(best.indices.tolist())
            found[text] = list(zip(names, best.values.tolist(), strict=True))
        return found

    def score(self, texts: Sequence[str]) -> dict[str, float]:
        """The probability of the leading guess for the gap of each sentence."""
        return {text: best[0][1] for text, best in self.guesses(texts).items()}


def _by_row(
    rows: Sequence[int], drawn: tuple[list[list[int]], list[list[int]]]
) -> tuple[_Rows, _Rows]:
    read, asked = (dict(zip(rows, each, strict=True)) for each in drawn)
    return read, asked


def trainer_state(
    model: BertForTask,
    tokenizer: ReviewTokenizer,
    splits: Splits,
    config: TrainingConfig,
    device: str,
    *,
    clean_texts: bool = True,
) -> TrainerState:
    """The state of a run of the model's task."""
    kind = MaskedState if isinstance(model.task, MaskedWords) else TrainerState
    return kind(model, tokenizer, splits, config, device, clean_texts=clean_texts)
