"""A name in, a loaded model that answers out: probabilities, embeddings, attention.

Texts are sorted by length and padded little; answers are in full precision, so that the same text
gives the same probability alone, in a batch, and from the exported folder.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import torch
from scipy.special import softmax

from bertsent.data.examples import LABELS, UNDECIDED
from bertsent.errors import BadCheckpoint, NotAvailable, OtherTask
from bertsent.models.backbone import load_backbone, weights_hash
from bertsent.models.checkpoint import load_checkpoint
from bertsent.models.first_token import can_skip, first_token
from bertsent.models.folders import WEIGHTS
from bertsent.models.multitask_model import BertForPart, BertForTasks
from bertsent.models.pooling import Pooling, pool
from bertsent.models.task_heads import load_heads
from bertsent.models.task_model import BertForTask, shared_weight_copy
from bertsent.probing.heads.attention_maps import AttentionMaps
from bertsent.probing.registry import BACKBONE, find_model
from bertsent.progress import Progress, no_progress
from bertsent.settings import LIMITS
from bertsent.tasks.catalogue import SENTIMENT
from bertsent.tasks.masked_words import MaskedWords
from bertsent.tasks.mixed import MixedTask
from bertsent.text.batches import answering_batches
from bertsent.text.tokens import ReviewTokenizer, Tokens


@dataclass(frozen=True)
class Prediction:
    """One answer: the label, P(positive), and the two logits it was worked out from.

    ``unknown`` of the ``tokens`` between [CLS] and [SEP] are [UNK]: not in the vocabulary.
    """

    p_positive: float
    logits: tuple[float, float]
    tokens: int
    unknown: int

    @property
    def label(self) -> str:
        """NEGATIVE or POSITIVE; UNDECIDED where the model knows no token of the text."""
        readable = not self.unknown or self.unknown < self.tokens
        return LABELS[int(self.p_positive > 0.5)] if readable else UNDECIDED


class LoadedModel:
    """A model that answers what its ``task`` asks. ``gives`` says what else it can: ``answer`` only
    when a head was trained, ``sentiment`` when it was trained for two labels.
    """

    def __init__(
        self,
        name: str,
        key: str,
        model: BertForTask,
        tokenizer: ReviewTokenizer,
        *,
        max_length: int,
        fine_tuned: bool,
        temperature: float = 1.0,
        device: str = "cpu",
    ) -> None:
        self.name, self.key, self.tokenizer, self.max_length = name, key, tokenizer, max_length
        self.temperature = temperature  # by which its logits were divided when it was calibrated
        self.task = model.task
        fine_tuned = fine_tuned and not isinstance(self.task, MaskedWords)
        answers = ("answer", *(("sentiment",) if self.task == SENTIMENT else ()))
        self.gives = frozenset(("attention", "embedding", *(answers if fine_tuned else ())))
        self.device = torch.device(device)
        self.model = model.to(self.device).eval()
        config, self.pooling = model.bert.config, model.pooling
        self.layers, self.heads = config.num_hidden_layers, config.num_attention_heads
        self.width = config.hidden_size

    def part(self, name: str) -> "LoadedModel":
        """Of a model of several tasks, that of one of them, over the same weights.

        Raises:
            NotAvailable: it has no such task.
        """
        mixed = self.task
        if not isinstance(self.model, BertForTasks) or not isinstance(mixed, MixedTask):
            raise NotAvailable(f"{self.name} has one task only.", "Ask it directly.")
        return LoadedModel(
            f"{self.name}, {mixed.parts[mixed.place(name)].title}",
            f"{self.key}-{name}",
            BertForPart(self.model, name),
            self.tokenizer,
            max_length=self.max_length,
            fine_tuned="answer" in self.gives,
            device=str(self.device),
        )

    def predict(
        self, texts: Sequence[str], *, progress: Progress = no_progress
    ) -> list[Prediction]:
        """Label, P(positive) and logits of each text.

        Raises:
            NotAvailable: this model has no trained head.
        """
        rows = self.tokenizer.ids(texts, self.max_length)
        logits = self.logits_of_ids(rows, progress=progress)
        p, unknown = probabilities_of(logits)[:, 1].tolist(), self.tokenizer.unknown_id
        return [
            Prediction(q, (a, b), len(ids) - 2, ids.count(unknown))
            for q, (a, b), ids in zip(p, logits.tolist(), rows, strict=True)
        ]

    def probabilities(
        self, texts: Sequence[str], *, progress: Progress = no_progress
    ) -> np.ndarray:
        """(n, 2): P(negative), P(positive)."""
        return probabilities_of(self.logits(texts, progress=progress))

    def logits(self, texts: Sequence[str], *, progress: Progress = no_progress) -> np.ndarray:
        """(n, 2) float32."""
        return self.logits_of_ids(self.tokenizer.ids(texts, self.max_length), progress=progress)

    @torch.inference_mode()
    def logits_of_ids(
        self, rows: Sequence[Sequence[int]], *, progress: Progress = no_progress
    ) -> np.ndarray:
        """(n, 2) float32 of rows of token ids, markers included, each at most ``max_length`` long.

        Raises:
            NotAvailable: this model has no trained head.
            BadCheckpoint: a logit is not a finite number.
        """
        self.require_head()
        return self._logits(rows, progress)

    def answers(
        self, inputs: Sequence[tuple[str, str]], *, progress: Progress = no_progress
    ) -> np.ndarray:
        """What ``Task.answers`` makes of the logits for some inputs, as ``Reviews.inputs`` has
        them: probabilities (n, outputs), or numbers (n,).

        Raises:
            NotAvailable: this model has no trained head.
            BadCheckpoint: a logit is not a finite number.
        """
        self._check_no_pretraining()
        NotAvailable.raise_if(
            "answer" not in self.gives,
            f"{self.name} was not fine-tuned: it answers nothing.",
            "Choose a fine-tuned model, or fine-tune it first.",
        )
        rows = self.tokenizer.input_ids(inputs, self.max_length)
        return self.task.answers(self._logits(rows, progress))

    @torch.inference_mode()
    def _logits(self, rows: Sequence[Sequence[int]], progress: Progress) -> np.ndarray:
        """(n, outputs) float32."""
        out = np.empty((len(rows), self.task.outputs), np.float32)
        for positions, ids, mask, segments in self.segmented_batches(rows, progress):
            out[positions] = self.model(ids, mask, segments).cpu().numpy()
        return self.checked(out)

    def embed(
        self,
        texts: Sequence[str],
        *,
        pooling: Pooling = "cls",
        layer: int = -1,
        progress: Progress = no_progress,
    ) -> np.ndarray:
        """One vector per text, (n, width) float32: hidden states of ``layer`` (-1 the last, 0 the
        input), pooled.
        """
        return self.embed_and_answer(texts, pooling=pooling, layer=layer, progress=progress)[0]

    @torch.inference_mode()
    def embed_and_answer(
        self,
        texts: Sequence[str],
        *,
        pooling: Pooling = "cls",
        layer: int = -1,
        progress: Progress = no_progress,
    ) -> tuple[np.ndarray, np.ndarray | None]:
        """Vectors (n, width) and probabilities (n, 2) in one pass; None for the latter without a
        trained head.
        """
        vectors = np.empty((len(texts), self.width), np.float32)
        logits = np.zeros((len(texts), self.task.outputs), np.float32)
        for positions, ids, mask in self.batches(
            self.tokenizer.ids(texts, self.max_length), progress
        ):
            bert = self.model.bert
            if pooling == self.pooling == "cls" and layer == -1 and can_skip(bert):
                hidden = last = first_token(bert, ids, mask)[:, None]
                mask = mask[:, :1]
            else:
                found = bert(input_ids=ids, attention_mask=mask, output_hidden_states=layer != -1)
                last = found.last_hidden_state
                hidden = last if layer == -1 else found.hidden_states[layer]
            vectors[positions] = pool(hidden, mask, pooling).cpu().numpy()
            if "sentiment" in self.gives:
                logits[positions] = self.model.classify(last, mask).cpu().numpy()
        return self.checked(vectors), (
            probabilities_of(self.checked(logits)) if "sentiment" in self.gives else None
        )

    def batches(
        self, rows: Sequence[Sequence[int]], progress: Progress = no_progress
    ) -> Iterator[tuple[list[int], torch.Tensor, torch.Tensor]]:
        """Rows of token ids in batches of similar length: the positions of the rows, their padded
        ids and the mask.
        """
        for positions, ids, mask, _ in self.segmented_batches(rows, progress):
            yield positions, ids, mask

    def segmented_batches(
        self, rows: Sequence[Sequence[int]], progress: Progress = no_progress
    ) -> Iterator[tuple[list[int], torch.Tensor, torch.Tensor, torch.Tensor | None]]:
        """As ``batches``, and with the segments where the task reads two texts."""
        done, pad_id, device = 0, self.tokenizer.pad_id, self.device
        for batch in answering_batches(
            rows, pad_id=pad_id, limit=self.max_length, device=device.type
        ):
            positions, segments = list(batch.positions), None
            if self.task.reads != "text":
                segments = batch.segments(self.tokenizer.sep_id).to(device)
            yield positions, batch.input_ids.to(device), batch.attention_mask.to(device), segments
            done += len(positions)
            progress(done / len(rows))

    def tokens(self, text: str) -> Tokens:
        """The text as this model reads it."""
        return self.tokenizer.tokens(text, self.max_length)

    def is_cut(self, text: str) -> bool:
        """Whether the text has more tokens than this model reads."""
        return self.token_counts([text])[1][0]

    def token_counts(self, texts: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """How many tokens the model reads of each text, and whether there were more: both (n,)."""
        counts = np.array([len(ids) for ids in self.tokenizer.ids(texts, self.max_length)], int)
        full = np.flatnonzero(counts == self.max_length)
        cut = np.zeros(len(texts), bool)
        cut[full] = True
        if self.max_length < LIMITS.longest_length:
            longer = self.tokenizer.ids([texts[int(i)] for i in full], self.max_length + 1)
            cut[full] = [len(ids) > self.max_length for ids in longer]
        return counts, cut

    def attend(self, text: str, *, max_length: int | None = None) -> AttentionMaps:
        """All attention weights of one text: (layers, heads, T, T); of its first ``max_length``
        tokens where that is less than usual.
        """
        tokens = self.tokenizer.tokens(text, min(max_length or self.max_length, self.max_length))
        weights, _ = self.attention_of_ids(torch.tensor([tokens.ids], device=self.device))
        return AttentionMaps(tokens.pieces, tokens.special, weights)

    @torch.inference_mode()
    def attention_of_ids(
        self,
        ids: torch.Tensor,
        *,
        causal: bool = False,
        segments: torch.Tensor | None = None,
    ) -> tuple[np.ndarray, torch.Tensor]:
        """All attention weights (layers, heads, T, T) and the last hidden states (1, T, width) of
        one row of ids (1, T), with its ``segments`` (1, T) where it holds two texts; with
        ``causal`` under a mask that hides from every token what follows it.

        Raises:
            NotAvailable: the model gives no attention weights.
        """
        mask = torch.ones_like(ids)
        if causal:
            kind = self.model.bert.dtype
            hidden = torch.full(
                2 * ids.shape[1:], torch.finfo(kind).min, dtype=kind, device=self.device
            )
            mask = hidden.triu(1)[None, None]
        pair = {} if segments is None else {"token_type_ids": segments}
        found = self._eager(input_ids=ids, attention_mask=mask, output_attentions=True, **pair)
        NotAvailable.raise_if(
            len(found.attentions) != self.layers,
            f"{self.name} gives no attention weights.",
            "Choose a BERT-family model.",
        )
        weights = self.checked(torch.cat(found.attentions).float().cpu().numpy())
        return weights, found.last_hidden_state

    def require_head(self) -> None:
        """Raise ``NotAvailable`` when the model was not trained to answer with two labels."""
        OtherTask.raise_if(
            "answer" in self.gives and "sentiment" not in self.gives,
            f"{self.name} answers another question ({self.task.title}).",
            "Choose a model of sentiment with two labels, or ask this one on Probe under More "
            "questions.",
        )
        self._check_no_pretraining()
        NotAvailable.raise_if(
            "sentiment" not in self.gives,
            f"{self.name} was not fine-tuned: it has no opinion on reviews.",
            "Choose a fine-tuned model, or fine-tune it first.",
        )

    def _check_no_pretraining(self) -> None:
        OtherTask.raise_if(
            isinstance(self.task, MaskedWords),
            f"{self.name} learned to fill in words and has no opinion on reviews yet.",
            "Fine-tune it first, or ask it on Words.",
        )

    def checked(self, numbers: np.ndarray) -> np.ndarray:
        """``numbers`` as they are.

        Raises:
            BadCheckpoint: one of them is NaN or infinite, so that nothing may be concluded from it.
        """
        BadCheckpoint.raise_if(
            not np.isfinite(numbers).all(),
            f"{self.name} gives numbers that are not finite.",
            "Its training diverged or its weights are damaged: choose another checkpoint.",
        )
        return numbers

    @cached_property
    def _eager(self) -> torch.nn.Module:
        eager = shared_weight_copy(self.model.bert)
        eager.set_attn_implementation("eager")
        return eager


def load(name: str, *, device: str = "cpu") -> LoadedModel:
    """Load a model that answers.

    Args:
        name: ``builtin``, ``builtin/five-steps`` and other tasks, a run's id (its newest
            checkpoint), ``run/step-N``, a local folder, a fetched Hub id, or ``backbone`` for the
            built-in encoder as it was pretrained.
        device: where it computes.

    Raises:
        NotAvailable: there is nothing of that name; the text says what to do.
        BadCheckpoint: it is damaged.
    """
    if name == BACKBONE:
        backbone = load_backbone("builtin")
        return LoadedModel(
            "Backbone, not fine-tuned",
            backbone.sha256,
            BertForTask(backbone.model),
            backbone.tokenizer,
            max_length=256,
            fine_tuned=False,
            device=device,
        )
    found = find_model(name)
    if found.head:
        return load_head(found.folder, found.head, title=found.title, device=device)
    return load_folder(found.folder, title=found.title, device=device)


def load_folder(folder: Path, *, title: str = "", device: str = "cpu") -> LoadedModel:
    """Load a checkpoint folder.

    Raises:
        BadCheckpoint: it is damaged.
    """
    checkpoint = load_checkpoint(folder)
    return LoadedModel(
        title or folder.name,
        weights_hash(folder / WEIGHTS),
        checkpoint.model,
        checkpoint.tokenizer,
        max_length=checkpoint.card.max_length,
        fine_tuned=True,
        temperature=checkpoint.card.temperature,
        device=device,
    )


def load_head(folder: Path, head: str, *, title: str = "", device: str = "cpu") -> LoadedModel:
    """Load one head of a folder that holds several; they share their encoder in memory.

    Raises:
        BadCheckpoint: the folder is damaged.
        NotAvailable: it has no such head.
    """
    found = load_heads(folder)
    NotAvailable.raise_if(
        head not in found.models,
        f"{folder.name} has no head “{head[:40]}”.",
        f"It has {', '.join(found.models)}.",
    )
    return LoadedModel(
        title or head,
        f"{found.card.sha256}-{head}",
        found.models[head],
        found.tokenizer,
        max_length=found.card.max_length,
        fine_tuned=True,
        device=device,
    )


def probabilities_of(logits: np.ndarray) -> np.ndarray:
    """Softmax of logits (n, 2), in double precision."""
    return softmax(logits.astype(np.float64), axis=-1)
