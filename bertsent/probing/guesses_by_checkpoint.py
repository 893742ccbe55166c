"""A run and a sentence with gaps in, the words that each of its checkpoints would put there out:
what training for something else makes an encoder forget of its language.

Training for a label drops the language-model head. Here each checkpoint gets that of the built-in
encoder back, and what its last layers were changed by for this head: the weights of a frame are
those of the checkpoint plus the delta that ships (Ilharco et al. 2023 add such differences). At
step 0 this is exactly the model that fills in gaps before fine-tuning, so whatever changes later
comes from the run. It is not a model that anybody trained: what is lost may be lost to the head
alone, which learned to read the encoder as it was.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from bertsent.errors import NotAvailable
from bertsent.models.checkpoint import load_checkpoint
from bertsent.models.language_model_head import (
    LanguageModel,
    has_language_model,
    language_model_over,
    load_language_model,
)
from bertsent.probing.fill_mask import (
    FilledGap,
    builtin_tokenizer,
    folder_with_language_model_head,
    written_chance,
)
from bertsent.probing.registry import BACKBONE, BUILTIN, find_model
from bertsent.progress import Progress, no_progress
from bertsent.text.masked_sentence import (
    MaskedSentence,
    has_mask,
    hide_words,
    typed_sentence,
)
from bertsent.text.tokens import ReviewTokenizer
from bertsent.training.checkpoints import kept_checkpoints, step_of
from bertsent.training.runs.run import find_run

GUESSES = 10  # words of a gap at one checkpoint


@dataclass(frozen=True)
class EncoderFrame:
    """One moment of a training; without a folder, the encoder before it."""

    step: int
    title: str
    folder: Path | None

    @property
    def when(self) -> str:
        """The same within a sentence."""
        return f"at {self.title}" if self.title.startswith("step ") else self.title


@dataclass(frozen=True)
class GapByCheckpoint:
    """One gap at every frame: ``p`` (frames, words) of all words that are among the likeliest of
    some frame, and of the true one where it is known; ``ranks`` (frames,) are those of the true
    one.
    """

    frames: tuple[EncoderFrame, ...]
    place: int
    words: tuple[str, ...]
    p: np.ndarray
    truth: str = ""
    ranks: tuple[int, ...] = ()
    unknown: bool = False

    def at(self, frame: int) -> FilledGap:
        """The ten likeliest words of that frame."""
        chances = self.p[frame]
        best = np.argsort(-chances, kind="stable")[:GUESSES]
        words = tuple((self.words[i], float(chances[i])) for i in best)
        if not self.ranks:
            return FilledGap(self.place, words, self.truth, unknown=self.unknown)
        p_truth = float(chances[self.words.index(self.truth)])
        return FilledGap(self.place, words, self.truth, p_truth, self.ranks[frame])

    def followed(self, most: int = 4) -> list[str]:
        """The words that are worth a line: the true one, and of the first and of the last frame the
        likeliest.
        """
        ends = [[word for word, _ in self.at(end).words] for end in (0, -1)]
        in_turn = [word for pair in zip(*ends, strict=True) for word in pair]
        known = [self.truth] if self.ranks else []
        return list(dict.fromkeys([*known, *in_turn]))[: most + len(known)]

    def table(self) -> pd.DataFrame:
        """A row for each frame and word."""
        order = np.argsort(-self.p[0], kind="stable")
        return pd.DataFrame(
            [
                (frame.step, frame.title, self.words[i], float(self.p[row, i]))
                for row, frame in enumerate(self.frames)
                for i in order
            ],
            columns=["step", "checkpoint", "word", "probability"],
        )

    def sentence(self) -> str:
        """What became of the first guesses, and of the true word."""
        first, last = self.at(0), self.at(-1)
        kept = len({word for word, _ in first.words} & {word for word, _ in last.words})
        begin, end = self.frames[0].when, self.frames[-1].when
        said = (
            f"Likeliest is {_written(first)} {begin} and {_written(last)} {end}. Of the first "
            f"{len(first.words)} guesses {kept} are still among the {len(last.words)} likeliest."
        )
        if len(self.frames) == 1:
            said = f"Likeliest is {_written(first)} {begin}, the only checkpoint."
        if first.p_truth is None or last.p_truth is None:
            return said
        was = f"{written_chance(first.p_truth)} (rank {first.rank:,}) {begin}"
        now = f"{written_chance(last.p_truth)} (rank {last.rank:,}) {end}"
        return f"{said} The true word “{self.truth}” has {was} and {now}."


def frames_of(name: str) -> list[EncoderFrame]:
    """The moments of a model's training that are kept: the checkpoints of a run, the two ends of
    the built-in model.

    Args:
        name: of the registry; a checkpoint of a run stands for its run.

    Raises:
        NotAvailable: it was not trained, keeps no checkpoints, or its encoder is not the built-in
            one.
    """
    folder = folder_with_language_model_head(name)
    NotAvailable.raise_if(
        folder is None or not has_language_model(folder),
        "Only training on the built-in encoder can be followed here: it has the language-model "
        "head that is put over each checkpoint.",
        "Choose the built-in model, or a run on the built-in encoder.",
    )
    if name == BUILTIN:
        return [
            EncoderFrame(0, "before fine-tuning", None),
            EncoderFrame(1, "after fine-tuning", find_model(BUILTIN).folder),
        ]
    run = "" if name == BACKBONE else find_model(name, folders=False).run
    NotAvailable.raise_if(
        not run,
        "This model keeps no checkpoints of a training.",
        "Choose the built-in model, or a run on the built-in encoder.",
    )
    folders = kept_checkpoints(find_run(run).checkpoints)
    return [EncoderFrame(step_of(each), f"step {step_of(each):,}", each) for each in folders]


def guesses_by_checkpoint(
    frames: Sequence[EncoderFrame],
    folder: Path,
    text: str,
    *,
    chosen: Sequence[int] = (),
    truths: Sequence[str] = (),
    progress: Progress = no_progress,
) -> list[GapByCheckpoint]:
    """Ask every frame for each gap, one model in memory at a time.

    Args:
        frames: as ``frames_of`` gives them.
        folder: of the language-model heads.
        text: a sentence with [MASK], or one of which the ``chosen`` words are hidden.
        chosen: places of words, as ``fill_mask.fill_hidden`` counts them.
        truths: the words behind a typed [MASK], where they are known.
        progress: hears how much of it is done; may raise ``Cancelled``.

    Raises:
        BadInput: no word is hidden, too many, or an encoder has another size.
        BadCheckpoint: one of them is damaged.
    """
    tokenizer = builtin_tokenizer()
    most = load_language_model(folder).bert.config.max_position_embeddings
    sentence = (
        typed_sentence(text, tokenizer, most, truths)
        if has_mask(text)
        else hide_words(text, tokenizer, most, chosen)
    )
    answers = []
    for number, frame in enumerate(frames):
        progress(number / len(frames))
        answers.append(_chances(_model_of(frame, folder), sentence))
    progress(1.0)
    p = np.stack(answers)  # (frames, gaps, V)
    return [_gap(frames, sentence, gap, p[:, gap], tokenizer) for gap in range(p.shape[1])]


def _model_of(frame: EncoderFrame, folder: Path) -> LanguageModel:
    if frame.folder is None:
        return load_language_model(folder)
    return language_model_over(folder, load_checkpoint(frame.folder).model.bert)


def _chances(model: LanguageModel, sentence: MaskedSentence) -> np.ndarray:
    """(gaps, V) probabilities."""
    import torch

    ids = torch.tensor([sentence.ids])
    with torch.inference_mode():
        hidden = model.hidden(ids, torch.ones_like(ids))[0, list(sentence.places)]
        return model.word_logits(hidden).double().softmax(-1).numpy()


def _gap(
    frames: Sequence[EncoderFrame],
    sentence: MaskedSentence,
    gap: int,
    p: np.ndarray,
    tokenizer: ReviewTokenizer,
) -> GapByCheckpoint:
    truth = sentence.truths[gap]
    best = np.argsort(-p, axis=1, kind="stable")[:, :GUESSES]
    unknown = truth == tokenizer.unknown_id
    known = [] if truth is None or unknown else [truth]
    ids = list(dict.fromkeys([*best.ravel().tolist(), *known]))
    pieces = tokenizer.fast.convert_ids_to_tokens(ids)
    name = tokenizer.fast.convert_ids_to_tokens([truth])[0] if truth is not None else ""
    ranks = [1 + int((row > row[truth]).sum()) for row in p] if known else []
    return GapByCheckpoint(
        tuple(frames),
        sentence.places[gap],
        tuple(pieces),
        p[:, ids],
        name,
        tuple(ranks),
        unknown,
    )


def _written(gap: FilledGap) -> str:
    word, p = gap.words[0]
    return f"“{word}” ({written_chance(p)})"
