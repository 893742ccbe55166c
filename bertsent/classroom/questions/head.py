"""Which word does an attention head look at from another: the class, all heads together, then the
head.
"""

from collections import Counter

import numpy as np

from bertsent.classroom.room_events import Answer, Question
from bertsent.errors import BadInput
from bertsent.probing.heads.attention_maps import AttentionMaps, check_head, head_name

OPTIONS = 4
ALL_HEADS = "Mean of all heads"


def head_question(
    maps: AttentionMaps,
    head: tuple[int, int],
    source: int,
    seconds: int,
    *,
    text: str,
    model: str = "",
    link: str = "",
) -> Question:
    """A question about one head. The options are the word that it looks at most and the three
    others that all heads together look at most, as they stand in the review.

    Args:
        maps: of the review, in whole words without [CLS] and [SEP]; rows sum to 1.
        head: (layer, head) from 0.
        source: the place of the word that it looks from.
        seconds: to vote in.
        text: the clean review.
        model: the name of the model.
        link: where the lab shows it.

    Raises:
        BadInput: no such head or word, or too few words.
    """
    check_head(head, maps.layers, maps.heads)
    BadInput.raise_if(not 0 <= source < len(maps.tokens), "There is no such word in this review.")
    own, mean = maps.weights[head][source], maps.head_mean()[source]
    others = np.array([place for place in words_at(maps.tokens) if place != source])
    BadInput.raise_if(len(others) < OPTIONS, f"A head needs a review of more than {OPTIONS} words.")
    most = int(others[own[others].argmax()])
    rest = [int(place) for place in others[np.argsort(-mean[others], kind="stable")]]
    places = sorted([most, *[place for place in rest if place != most][: OPTIONS - 1]])
    names = word_names(maps.tokens)
    return Question(
        "heads",
        f"Which word does head {head_name(head)} look at most from “{names[source]}”?",
        tuple(names[place] for place in places),
        seconds,
        text=text,
        link=link,
        answers=(
            _answer(ALL_HEADS, mean, places, places.index(rest[0])),
            _answer(f"Head {head_name(head)}", own, places, places.index(most)),
        ),
        truth=places.index(most),
        model=model,
    )


def words_at(tokens: tuple[str, ...]) -> list[int]:
    """The places of the words, without punctuation."""
    return [place for place, token in enumerate(tokens) if any(map(str.isalnum, token))]


def word_names(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words of a review; of equal ones each with its number: “very (2)”."""
    many, met = Counter(words), Counter[str]()
    names = []
    for word in words:
        met[word] += 1
        names.append(f"{word} ({met[word]})" if many[word] > 1 else word)
    return tuple(names)


def _answer(name: str, row: np.ndarray, places: list[int], choice: int) -> Answer:
    return Answer(name, choice, float(row[places[choice]]))
