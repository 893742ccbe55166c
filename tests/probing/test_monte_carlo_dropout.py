import threading

import numpy as np
import pytest

from bertsent.errors import BadInput
from bertsent.probing.loaded_model import load
from bertsent.probing.monte_carlo_dropout import dropout_spread


@pytest.fixture(scope="module")
def learner():
    return load("builtin")


TEXT = "Great, another boring movie"


def test_without_dropout_nothing_wavers(learner):
    found = dropout_spread(learner, TEXT, rate=0.0, samples=20)
    assert found.sd == 0 and found.other_side == 0
    assert found.p_positive == pytest.approx(
        np.full(20, found.without), abs=1e-5
    )  # another size of batch


def test_the_spread_grows_with_the_rate_and_is_the_same_for_the_same_seed(learner):
    # with small rates: a large one may leave so little of the text that the answers come together
    # again
    low, high = (dropout_spread(learner, TEXT, rate=rate, samples=40) for rate in (0.001, 0.05))
    assert 0 < low.sd < high.sd and len(set(high.p_positive.tolist())) > 30
    again = dropout_spread(learner, TEXT, rate=0.05, samples=40)
    assert np.array_equal(again.p_positive, high.p_positive)
    assert not np.array_equal(
        dropout_spread(learner, TEXT, rate=0.05, samples=40, seed=1).p_positive, high.p_positive
    )


def test_others_get_their_usual_answers_meanwhile(learner):
    usual = learner.predict([TEXT])[0].logits
    wavering = threading.Thread(target=dropout_spread, args=(learner, TEXT), kwargs={"samples": 60})
    wavering.start()
    asked = [learner.predict([TEXT])[0].logits for _ in range(30)]
    wavering.join()
    assert set(asked) == {usual} and learner.predict([TEXT])[0].logits == usual
    assert not any(module.training for module in learner.model.modules())


def test_what_cannot_be_is_refused(learner):
    for options in ({"rate": -0.1}, {"rate": 0.95}, {"samples": 1}):
        with pytest.raises(BadInput):
            dropout_spread(learner, TEXT, **options)
