"""A word in, words that could stand in its place out: neighbours in the model's own vocabulary,
opposites, a person's own words.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
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
    found: dict[str, dict[str, None]] = {}
    for pair in ANTONYMS.split():
        first, second = pair.split("/")
        found.setdefault(first, {})[second] = None
        found.setdefault(second, {})[first] = None
    return {word: tuple(others) for word, others in found.items()}


class Vocabulary:
    """The whole words of a model's vocabulary with their vectors, made once a search.

    Near in this matrix are words that stand in like places, not only words that mean the same:
    "good" is near "bad".
    """

    def __init__(self, model: "LoadedModel") -> None:
        import torch

        tokenizer = model.tokenizer.fast
        pieces = tokenizer.convert_ids_to_tokens(list(range(len(tokenizer))))
        self._ids = np.array(
            [
                i
                for i, piece in enumerate(pieces)
                if piece.isascii() and piece.isalpha() and len(piece) > 1
            ]
        )
        self._words = [pieces[i] for i in self._ids]
        self._places = {word: place for place, word in enumerate(self._words)}
        embedding = model.model.bert.get_input_embeddings()
        ids = torch.as_tensor(self._ids, device=model.device)
        with torch.no_grad():
            vectors = torch.nn.functional.normalize(embedding(ids).float(), dim=-1)
        self._vectors = vectors.cpu().numpy()

    def nearest(self, word: str, count: int = NEIGHBOURS) -> list[str]:
        """The words whose vectors are nearest by cosine similarity; none for a word that is not one
        piece.
        """
        place = self._places.get(word.lower(), self._places.get(word))
        if place is None:
            return []
        similarity = self._vectors @ self._vectors[place]
        similarity[place] = -np.inf
        count = min(count, len(similarity) - 1)
        best = np.argpartition(-similarity, count)[: count + 1]
        return [
            self._words[i] for i in best[np.argsort(-similarity[best], kind="stable")] if i != place
        ][:count]


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
