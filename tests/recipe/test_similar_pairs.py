"""Pairs whose similarity the backbone tells: as like as its vectors are, on the scale of the pairs
that people judged.
"""

import numpy as np
import torch

from bertsent.data.examples import Example, Reviews
from bertsent.models.backbone import load_backbone
from bertsent.recipe.similar_pairs import sentence_vectors, similar_pairs
from bertsent.tasks.catalogue import SIMILARITY

JUDGED = (
    ("a man plays the guitar", "a man is playing a guitar", 5.0),
    ("a dog runs in the snow", "a dog is running through deep snow", 4.2),
    ("a woman cuts an onion", "a woman is cooking", 2.0),
    ("a man holds an instrument", "someone plays music on a guitar", 2.8),
    ("a puppy jumps through snow", "dogs play outside in winter", 3.1),
    ("the parliament voted on Monday", "two cats sleep", 0.0),
)
ROWS = tuple(Example(str(n), a, second=b, scores=(s,)) for n, (a, b, s) in enumerate(JUDGED))
REVIEWS = Reviews("judged", ROWS, task=SIMILARITY)


def test_vectors_are_the_mean_of_the_token_vectors() -> None:
    backbone = load_backbone("builtin")
    ids = torch.tensor(backbone.tokenizer.ids(["two cats sleep"], 64))
    with torch.inference_mode():
        mean = backbone.model(ids, torch.ones_like(ids)).last_hidden_state[0].mean(0).numpy()
    found = sentence_vectors(["a much longer sentence about something else", "two cats sleep"])[1]
    np.testing.assert_allclose(found, mean / np.linalg.norm(mean), atol=1e-5)


def test_new_pairs_are_scored_in_the_order_of_their_cosines() -> None:
    new = similar_pairs(REVIEWS)
    known = {frozenset((e.text, e.second)) for e in REVIEWS}
    found = [frozenset((e.text, e.second)) for e in new]
    assert len(found) == len(set(found)) > 10 and not known & set(found)
    assert new.task == SIMILARITY
    first, second = (sentence_vectors(texts) for texts in zip(*map(sorted, found), strict=True))
    cosines = (first * second).sum(1)
    scores = np.array([example.scores[0] for example in new])
    assert (np.diff(scores[np.argsort(cosines)]) >= 0).all()
    assert scores.min() >= 0 and scores.max() <= 5 and scores.max() > scores.min()
    assert [e.scores for e in similar_pairs(REVIEWS)] == [e.scores for e in new]
