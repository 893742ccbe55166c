"""Labelled pairs in, many more pairs out whose similarity the backbone tells: it was trained to
place sentences by meaning and reads each alone, which a model that reads both together can learn
from (the converse of Augmented SBERT, Thakur et al. 2021, whose sampling this follows).

Each sentence is paired with near ones and with any other. The score is the cosine of the mean token
vectors, mapped to 0 to 5 by the monotone function that fits the labelled pairs best (isotonic
regression).
"""

import numpy as np
from sklearn.isotonic import IsotonicRegression

from bertsent.data.examples import Example, Reviews
from bertsent.models.backbone import load_backbone
from bertsent.models.pooling import pool
from bertsent.text.batches import answering_batches

NEAREST, NEAR, FAR = 12, 3, 1  # a sentence meets NEAR of its NEAREST, and FAR others
LONGEST, SEED = 128, 42


def similar_pairs(labelled: Reviews) -> Reviews:
    """New pairs of the sentences of ``labelled`` (0 to 5), without those it has."""
    texts = sorted({text for example in labelled for text in (example.text, example.second)})
    vectors, place = sentence_vectors(texts), {text: n for n, text in enumerate(texts)}
    known = [(place[example.text], place[example.second]) for example in labelled]
    cosines = np.array([vectors[i] @ vectors[j] for i, j in known])
    scale = IsotonicRegression(y_min=0, y_max=5, out_of_bounds="clip")
    scale.fit(cosines, [example.scores[0] for example in labelled])
    new = _drawn_pairs(vectors) - {(min(pair), max(pair)) for pair in known}
    pairs = sorted(new)
    scores = scale.predict([vectors[i] @ vectors[j] for i, j in pairs])
    examples = tuple(
        Example(f"similar {n}", texts[i], second=texts[j], scores=(float(score),))
        for n, ((i, j), score) in enumerate(zip(pairs, scores, strict=True))
    )
    return Reviews("similar", examples, task=labelled.task)


def sentence_vectors(texts: list[str]) -> np.ndarray:
    """(n, width) mean token vectors of the backbone, of length 1."""
    import torch

    backbone = load_backbone("builtin")
    bert, tokenizer = backbone.model.eval(), backbone.tokenizer
    ids = tokenizer.ids(texts, LONGEST)
    found = np.zeros((len(texts), bert.config.hidden_size), np.float32)
    with torch.inference_mode():
        for batch in answering_batches(ids, pad_id=tokenizer.pad_id, limit=LONGEST):
            mask = batch.attention_mask
            hidden = bert(batch.input_ids, mask).last_hidden_state
            found[list(batch.positions)] = pool(hidden, mask, "mean").numpy()
    return found / np.linalg.norm(found, axis=1, keepdims=True)


def _drawn_pairs(vectors: np.ndarray) -> set[tuple[int, int]]:
    random, pairs = np.random.default_rng(SEED), set[tuple[int, int]]()
    for i in range(len(vectors)):
        near = np.argsort(-(vectors @ vectors[i]), kind="stable")[: NEAREST + 1]
        chosen = [*random.choice(near[near != i], NEAR, replace=False)]
        chosen += [*random.integers(0, len(vectors), FAR)]
        pairs |= {(min(i, int(j)), max(i, int(j))) for j in chosen if j != i}
    return pairs
