"""A review and several networks in, how strongly the answer of each hangs on each word out.

Measured by the gradient of the log-odds of POSITIVE with respect to the vector of a word as the
network reads it: the length of the gradient says by how much a small change of that word would move
the answer (Simonyan et al. 2014; Li et al. 2016). Networks have vectors of different scales, so
what is compared is each word's share of the sum over the review.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import torch
from scipy.special import expit

from bertsent.data.cleaning import clean_text
from bertsent.errors import BadInput
from bertsent.probing.baselines.lstm import LstmClassifier, word_spans
from bertsent.probing.before_bert.word_reader import WordReader
from bertsent.probing.loaded_model import LoadedModel
from bertsent.progress import Progress, no_progress

TENTHS = 10
FEWEST = 6  # words of a review that has an early and a late third
CLEAR = 0.05  # of the gradient: by so much one third has more where an answer leans
Measure = Callable[[str], "Reach"]


@dataclass(frozen=True)
class Reach:
    """The answer of one network to one review, and ``norms`` (T,): the length of its gradient at
    each word. Words that it does not read have 0; ``unknown`` are those without a vector of their
    own.
    """

    words: tuple[str, ...]
    norms: np.ndarray
    p_positive: float
    unknown: tuple[bool, ...] = ()

    @property
    def shares(self) -> np.ndarray:
        """(T,): the norms divided by their sum."""
        total = self.norms.sum()
        return self.norms / total if total else np.zeros_like(self.norms)

    @property
    def by_third(self) -> np.ndarray:
        """(3,): the share of the first, the middle and the last third of the words."""
        return by_place(self.shares, 3)


def review_words(text: str) -> tuple[str, ...]:
    """The words and marks of the clean text, as they are typed.

    Raises:
        BadInput: there is none.
    """
    text = clean_text(text)
    words = tuple(text[start:end] for start, end in word_spans(text))
    BadInput.raise_if(not words, "There is no word in this review.", "Type a few words.")
    return words


def reach_of_reader(reader: WordReader | LstmClassifier, text: str) -> Reach:
    """The reach of a network that reads words.

    Raises:
        BadInput: there is no word.
    """
    words = review_words(text)
    ids = reader.ids(words) if isinstance(reader, WordReader) else reader.ids(text)
    network = reader.network.eval()
    vectors = network.embedding(torch.tensor(ids)).detach().requires_grad_()  # T, vectors
    logit = network.answer(vectors[None], torch.tensor([len(ids)]))
    (gradient,) = torch.autograd.grad(logit.sum(), vectors)
    norms = np.zeros(len(words))
    norms[: len(ids)] = gradient.double().norm(dim=-1).numpy()
    unknown = tuple(n < len(ids) and ids[n] == 1 for n in range(len(words)))
    return Reach(words, norms, float(expit(logit.item())), unknown)


def reach_of_bert(model: LoadedModel, text: str) -> Reach:
    """The reach of a BERT: of a word of several pieces, the length of the gradient at all of them
    together.

    Raises:
        BadInput: there is no word.
        NotAvailable: this model has no trained head.
    """
    model.require_head()
    words, text = review_words(text), clean_text(text)
    tokens = model.tokens(text)
    vectors = input_vectors(model, tokens.ids).requires_grad_()
    log_odds = bert_log_odds(model, vectors)
    (gradient,) = torch.autograd.grad(log_odds, vectors)
    squares = gradient.double().square().sum(dim=-1).cpu().numpy()
    norms = np.zeros(len(words))
    spans = model.tokenizer.spans(text, model.max_length)
    for place, (start, end) in enumerate(word_spans(text)):
        own = [n for n, (a, b) in enumerate(spans) if a < end and b > start and a < b]
        norms[place] = np.sqrt(squares[own].sum())
    return Reach(words, norms, float(expit(log_odds.item())))


def input_vectors(model: LoadedModel, ids: Sequence[int]) -> torch.Tensor:
    """(T, width): the input vectors of some token ids."""
    table = model.model.bert.get_input_embeddings()
    return table(torch.tensor(list(ids), device=model.device)).detach()


def bert_log_odds(model: LoadedModel, vectors: torch.Tensor) -> torch.Tensor:
    """The log-odds of POSITIVE for input vectors (T, width)."""
    mask = torch.ones((1, len(vectors)), dtype=torch.long, device=model.device)
    hidden = model.model.bert(inputs_embeds=vectors[None], attention_mask=mask).last_hidden_state
    negative, positive = model.model.classify(hidden, mask)[0]
    return positive - negative


def by_place(shares: np.ndarray, parts: int) -> np.ndarray:
    """(parts,): the shares (T,) of words, added up over equal stretches of the review; a word that
    lies across two gives to both as much of it as lies there.
    """
    ends = np.concatenate([[0], np.cumsum(shares)])
    edges = np.interp(np.linspace(0, len(shares), parts + 1), np.arange(len(shares) + 1), ends)
    return np.diff(edges)


def reach_table(found: Mapping[str, Reach]) -> pd.DataFrame:
    """One row a network and word: network, position, word, gradient, share, known."""
    return pd.DataFrame(
        [
            (name, place, word, norm, share, not (reach.unknown and reach.unknown[place - 1]))
            for name, reach in found.items()
            for place, (word, norm, share) in enumerate(
                zip(reach.words, reach.norms, reach.shares, strict=True), start=1
            )
        ],
        columns=["network", "position", "word", "gradient", "share", "known"],
    )


def reach_sentence(found: Mapping[str, Reach]) -> str:
    """Whose answer to this review hangs on early words and whose on late ones, from the numbers."""
    words = len(next(iter(found.values())).words)
    if words < FEWEST:
        return (
            f"The review has {words} {'word' if words == 1 else 'words'}: too few to speak of "
            f"early and late. Type at least {FEWEST}."
        )
    return thirds_sentence({name: reach.by_third for name, reach in found.items()}, "Here")


def thirds_sentence(thirds: Mapping[str, np.ndarray], where: str) -> str:
    """Which network leans furthest to late words, and which to early ones: the share of its
    gradient in the last third of the words and in the first; and for which the middle counts least.
    """
    leans = {name: float(third[2] - third[0]) for name, third in thirds.items()}
    late, early = max(leans, key=leans.__getitem__), min(leans, key=leans.__getitem__)
    if late == early:
        return f"{where}, {_parts(late, thirds)}."
    head = f"{where}, {_leaning(late, leans[late], 'late', thirds)}."
    tail = f"{_leaning(early, -leans[early], 'early', thirds)}."
    fades = min(thirds, key=lambda name: thirds[name][1])
    middle = (
        f" The middle third counts least for “{fades}”: {100 * thirds[fades][1]:.0f} %."
        if thirds[fades][1] < 1 / 3 - CLEAR
        else ""
    )
    return f"{head} {tail[0].upper()}{tail[1:]}{middle}"


def _leaning(name: str, more: float, side: str, thirds: Mapping[str, np.ndarray]) -> str:
    if more < CLEAR:
        return f"no answer leans clearly to {side} words; nearest comes {_parts(name, thirds)}"
    return f"the answer that leans most to {side} words is that of {_parts(name, thirds)}"


def _parts(name: str, thirds: Mapping[str, np.ndarray]) -> str:
    first, _, last = 100 * thirds[name]
    return (
        f"“{name}” ({first:.0f} % of its gradient in the first third of the words, {last:.0f} % in "
        "the last)"
    )


def mean_reach(
    measures: Mapping[str, Measure],
    texts: Sequence[str],
    *,
    parts: int = TENTHS,
    progress: Progress = no_progress,
) -> dict[str, np.ndarray]:
    """For each network (parts,): which share of its gradient lies in each stretch of a review, on
    average over the texts. Even reading gives 1 / parts everywhere.

    Raises:
        BadInput: a text has no word.
        Cancelled: ``progress`` raised it.
    """
    sums = {name: np.zeros(parts) for name in measures}
    for number, text in enumerate(texts, start=1):
        for name, measure in measures.items():
            sums[name] += by_place(measure(text).shares, parts)
        progress(number / len(texts))
    return {name: total / len(texts) for name, total in sums.items()}


def mean_reach_table(found: Mapping[str, np.ndarray]) -> pd.DataFrame:
    """One row a stretch of the reviews, from 1: stretch, then the mean share of each network."""
    table = pd.DataFrame(dict(found))
    table.insert(0, "stretch", range(1, len(table) + 1))
    return table
