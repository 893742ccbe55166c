"""A folder of public data in, the texts that the heads of pretraining learn from out, and those
that they are judged on. Labels are not read.

Held out are the films of IMDb's fold 9, and the development sentences of SST with the snippets that
repeat them; also the originals of the development pairs. Of no file is a test or development part
learned from. Edited copies of IMDb reviews are left out, because they would repeat held-out ones.
"""

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from bertsent.data.cleaning import clean_text
from bertsent.errors import BadInput
from bertsent.recipe.datasets import HELD_OUT, RecipeData
from bertsent.recipe.learned_rows import LearnedRows
from bertsent.recipe.words_plan import FOLLOWING

OTHERS = {  # further files, and the columns with texts
    "quora_train": ("sentence1", "sentence2"),
    "stsb_train": ("sentence1", "sentence2"),
    "sick_train": ("sentence1", "sentence2"),
    "mrpc_train": ("sentence1", "sentence2"),
    "semeval2018_ec_train": ("text",),
    "sarcasm_headlines_train": ("text",),
    "isarcasm_train": ("text",),
    "mustard_train": ("text",),
    "absa_restaurants_terms_train": ("text",),
    "absa_laptops_terms_train": ("text",),
}
PASSAGE = 90  # words: about 120 tokens
FEWEST = 4  # words of a sentence that is one of a pair
PAIRS_A_REVIEW = 3
MOST_JUDGED = 1_000  # texts, or pairs, of a held-out set
SENTENCES = "SST sentences"
PAIRS = "IMDb pairs, held-out films"
_SEED = 42
_END = re.compile(r"(?<=[.!?])\s+")


def learned_word_sets(data: RecipeData) -> dict[str, LearnedRows]:
    """What is learned from, by the names that the shares of the plan have.

    Raises:
        NotAvailable: a file is missing.
    """
    reviews = [clean_text(row.text) for row in data.imdb()]
    snippets = [row.text for row in data.snippets()] + list(data.sentences()["text"])
    others = [text for name, columns in OTHERS.items() for text in data.texts(name, columns)]
    return {
        "reviews": _texts(passage for review in reviews for passage in passages(review)),
        "pairs": sentence_pairs(reviews),
        "snippets": _texts(snippets),
        "comments": _texts(data.comments()["text"]),
        "others": _texts(others),
    }


def held_out_word_sets(data: RecipeData) -> dict[str, LearnedRows]:
    """What the heads are judged on: passages of reviews and sentences, and pairs of sentences of
    the same reviews.
    """
    reviews = [clean_text(row.text) for row in data.held_out()]
    sentences = data.development_sets()[SENTENCES]
    first = [next(passages(review)) for review in reviews[:MOST_JUDGED]]
    pairs = sentence_pairs(reviews)
    return {
        HELD_OUT: _texts(first),
        SENTENCES: _texts(sentences.texts[:MOST_JUDGED]),
        PAIRS: LearnedRows(
            pairs.inputs[:MOST_JUDGED], {FOLLOWING: pairs.targets[FOLLOWING][:MOST_JUDGED]}
        ),
    }


def passages(review: str) -> Iterator[str]:
    """A clean review in stretches of whole sentences, each of about ``PASSAGE`` words."""
    held, count = list[str](), 0
    for sentence in _END.split(review):
        words = len(sentence.split())
        if held and count + words > PASSAGE:
            yield " ".join(held)
            held, count = [], 0
        held.append(sentence)
        count += words
    yield " ".join(held)


def sentence_pairs(reviews: Sequence[str], seed: int = _SEED) -> LearnedRows:
    """Two sentences each: one half as they follow each other in a review (0), the other half with a
    random one of another review in the second place (1).

    Raises:
        BadInput: there is no other review with a sentence of enough words.
    """
    random = np.random.default_rng(seed)
    split = [_END.split(review) for review in reviews]
    pool = [(n, each) for n, sentences in enumerate(split) for each in sentences if _long(each)]
    BadInput.raise_if(
        len({number for number, _ in pool}) < 2,
        "Pairs of sentences need two reviews.",
        "Give more reviews.",
    )
    inputs, targets = list[tuple[str, str]](), list[float]()
    for number, sentences in enumerate(split):
        neighbours = [pair for pair in itertools.pairwise(sentences) if all(map(_long, pair))]
        for place in random.permutation(len(neighbours))[:PAIRS_A_REVIEW]:
            first, second = neighbours[place]
            strange = bool(random.random() < 0.5)
            inputs.append((first, _of_another(number, pool, random) if strange else second))
            targets.append(float(strange))
    return LearnedRows(inputs, {FOLLOWING: np.array(targets)})


def _of_another(number: int, pool: Sequence[tuple[int, str]], random: np.random.Generator) -> str:
    while True:
        owner, sentence = pool[int(random.integers(len(pool)))]
        if owner != number:
            return sentence


def _long(sentence: str) -> bool:
    return len(sentence.split()) >= FEWEST


def _texts(texts: Iterable[str]) -> LearnedRows:
    """Every text once, without targets."""
    return LearnedRows([(text, "") for text in dict.fromkeys(texts) if text.strip()], {})
