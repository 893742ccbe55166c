"""The three heads answer as scikit-learn's own do, and BERT's weights are not touched."""

import numpy as np
import pytest
from scipy.special import expit

from bertsent.probing.baselines import frozen_bert
from bertsent.probing.baselines.pipelines import (
    FROZEN_HEADS,
    FROZEN_LR,
    FROZEN_NN,
    FROZEN_SVM,
    baseline_pipeline,
    fit_baseline,
)


@pytest.fixture
def vectors(embedder, paired_reviews):
    return embedder.embed(paired_reviews.texts, pooling=frozen_bert.POOLING)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", FROZEN_HEADS)
def test_a_head_is_scikit_learns(name, vectors, paired_reviews, embedder):
    model = frozen_bert.fit_frozen_head(name, vectors, paired_reviews, embedder)
    theirs = baseline_pipeline(name).fit(vectors, paired_reviews.labels)
    if name == FROZEN_SVM:
        _, slope, offset = fit_baseline(name, vectors, paired_reviews)
        expected = expit(slope * theirs.decision_function(vectors) + offset)
    else:
        expected = theirs.predict_proba(vectors)[:, 1]
    assert np.allclose(model.p_of(vectors), expected, atol=1e-6)


@pytest.mark.parametrize("name", [FROZEN_LR, FROZEN_NN])
def test_texts_are_embedded_first_and_arrays_bring_it_back(name, vectors, paired_reviews, embedder):
    before = {n: t.clone() for n, t in embedder.model.state_dict().items()}
    model = frozen_bert.fit_frozen_head(name, vectors, paired_reviews, embedder)
    assert np.allclose(model.p_positive(paired_reviews.texts), model.p_of(vectors), atol=1e-6)
    again = frozen_bert.FrozenBert.from_arrays(name, model.to_arrays(), embedder)
    assert np.array_equal(again.p_of(vectors), model.p_of(vectors))
    assert all((before[n] == t).all() for n, t in embedder.model.state_dict().items())
