"""A word in, words that could stand in its place out: neighbours in the model's own vocabulary,
opposites, a person's own words.
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import torch

from bertsent.probing.loaded_model import LoadedModel

NEIGHBOURS = 8
ANTONYMS = (
    "good/bad great/terrible best/worst better/worse excellent/awful wonderful/dreadful "
    "brilliant/stupid amazing/appalling "
    "fantastic/horrible perfect/flawed superb/poor love/hate loved/hated loves/hates like/dislike "
    "liked/disliked enjoy/endure "
    "enjoyed/endured enjoyable/tedious funny/unfunny hilarious/humourless interesting/boring "
    "exciting/dull gripping/boring "
    "fascinating/tiresome clever/silly original/clichéd fresh/stale moving/cold touching/annoying "
    "beautiful/ugly strong/weak "
    "memorable/forgettable convincing/unconvincing believable/unbelievable success/failure "
    "masterpiece/disaster gem/mess "
    "triumph/disappointment delight/bore joy/pain recommend/avoid worth/beneath always/never "
    "all/none nothing/everything more/less "
    "much/little fully/barely happy/sad bright/dim right/wrong incredible/unbearable "
    "delightful/dreary impressive/lame smart/dumb "
    "well/badly fun/boring pleasant/nasty engaging/boring win/lose wins/fails works/fails "
    "worked/failed first/last"
)


@lru_cache(maxsize=1)
def antonyms() -> dict[str, tuple[str, ...]]:
    """Every word of the supplied list with its antonyms, both ways, in lower case."""
    pairs = [pair.split("/") for pair in ANTONYMS.split()]
    both_ways = [way for first, second in pairs for way in ((first, second), (second, first))]
    return {
        word: tuple(dict.fromkeys(other for one, other in both_ways if one == word))
        for word, _ in both_ways
    }


class Vocabulary:
    """The whole words of a model's vocabulary with their vectors, made once a search.

    Near in this matrix are words that stand in like places, not only words that mean the same:
    "good" is near "bad".
    """

    def __init__(self, model: LoadedModel) -> None:
        tokenizer = model.tokenizer.fast
        pieces = tokenizer.convert_ids_to_tokens(list(range(len(tokenizer))))
        whole = {
            piece: number
            for number, piece in enumerate(pieces)
            if piece.isascii() and piece.isalpha() and len(piece) > 1
        }
        self._words = list(whole)
        self._places = {word: place for place, word in enumerate(self._words)}
        ids = torch.tensor(list(whole.values()), device=model.device)
        with torch.no_grad():
            vectors = model.model.bert.get_input_embeddings()(ids).float()
        self._vectors = torch.nn.functional.normalize(vectors, dim=-1).cpu().numpy()

    def nearest(self, word: str, count: int = NEIGHBOURS) -> list[str]:
        """The words whose vectors are nearest by cosine similarity; none for a word that is not one
        piece.
        """
        place = self._places.get(word.lower(), self._places.get(word))
        if place is None:
            return []
        order = np.argsort(-self._vectors @ self._vectors[place], kind="stable")
        return [self._words[i] for i in order if i != place][:count]


def own_words(typed: str, most: int = 30) -> tuple[str, ...]:
    """A person's list, parted by commas, semicolons or lines; the first thirty, each at most forty
    characters.
    """
    parts = [part.strip() for part in typed.replace(";", ",").replace("\n", ",").split(",")]
    return tuple(dict.fromkeys(part[:40] for part in parts if part))[:most]


def cased(word: str, like: str) -> str:
    """``word`` with a capital where ``like`` has one, in capitals where it is all capitals."""
    if len(like) > 1 and like.isupper():
        return word.upper()
    return word[:1].upper() + word[1:] if like[:1].isupper() else word


def distinct(words: Sequence[str], but: str) -> list[str]:
    """The words without repeats and without ``but``, whatever their case."""
    return list(
        {word.lower(): word for word in reversed(words) if word.lower() != but.lower()}.values()
    )[::-1]
