"""Questions to a class: what is right is what the lab computes elsewhere."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans

from bertsent.classroom.questions.head import head_question, word_names
from bertsent.classroom.questions.map_cluster import cluster_question, nearest_cluster
from bertsent.classroom.questions.sentence import most_disputed, sentence_question
from bertsent.data.examples import Example, Reviews
from bertsent.errors import BadInput
from bertsent.probing.baselines.answers import Classifier
from bertsent.probing.heads.attention_maps import AttentionMaps


def classifier(name, answers):
    return Classifier(name, name, lambda texts: np.array([answers[text] for text in texts]))


def test_each_classifier_is_asked_about_the_sentence_and_keeps_its_order():
    asked = sentence_question(
        " A  film ",
        [classifier("LR", {"A film": 0.9}), classifier("BERT", {"A film": 0.2})],
        30,
        truth=0,
    )
    assert asked.text == "A film" and asked.model == "BERT" and asked.truth == 0
    assert [(a.name, a.choice) for a in asked.answers] == [("LR", 1), ("BERT", 0)]
    assert [a.probability for a in asked.answers] == pytest.approx([0.9, 0.8])


@pytest.mark.parametrize("text", ["", "   ", "x" * 301])
def test_what_cannot_be_read_from_the_last_row_is_refused(text):
    with pytest.raises(BadInput):
        sentence_question(text, [], 30)


def test_the_sentences_on_which_models_differ_most_come_first(tmp_path):
    rows = {"all agree": (0.9, 0.8), "differ": (0.9, 0.1), "differ a little": (0.6, 0.4)}
    reviews = Reviews("own", tuple(Example(t, t, 1) for t in rows))
    models = [classifier(str(k), {t: p[k] for t, p in rows.items()}) for k in range(2)]
    found = most_disputed(models, reviews, tmp_path)
    assert found["text"].tolist() == ["differ", "differ a little"]
    assert set(found["true"]) == {"POSITIVE"}


def test_a_new_review_falls_where_scikit_learn_says():
    rng = np.random.default_rng(1)
    vectors = rng.normal(size=(60, 5)) + np.repeat(np.eye(3, 5) * 6, 20, axis=0)
    fitted = KMeans(3, n_init=5, random_state=0).fit(vectors)
    new = rng.normal(size=(25, 5)) + 2
    found = [nearest_cluster(vectors, fitted.labels_, each) for each in new]
    assert found == fitted.predict(new).tolist()
    with pytest.raises(BadInput, match="another model"):
        nearest_cluster(vectors, fitted.labels_, np.zeros(4))


def test_clusters_are_known_by_their_words():
    texts = ["wonderful actor wonderful"] * 3 + ["dreadful plot dreadful"] * 2
    vectors = np.array([[0.0, 0]] * 3 + [[9.0, 9]] * 2)
    points = pd.DataFrame({"cluster": [0] * 3 + [1] * 2, "text": texts})
    made = SimpleNamespace(points=points, embeddings=SimpleNamespace(vectors=vectors))
    asked = cluster_question(made, "dreadful", np.array([8.0, 8]), 30)
    assert asked.truth == 1 and "dreadful" in asked.options[1] and "(2 reviews)" in asked.options[1]
    one = SimpleNamespace(points=points.assign(cluster=0), embeddings=made.embeddings)
    with pytest.raises(BadInput, match="one cluster"):
        cluster_question(one, "dreadful", np.array([8.0, 8]), 30)


def maps_of(own, other):
    weights = np.stack([own, other])[None].astype(np.float32)
    return AttentionMaps(("a", "b", "c", "b", "d", "e", "!"), (False,) * 7, weights)


def test_a_head_is_asked_about_with_the_word_that_it_looks_at_most():
    own, other = np.full((7, 7), 1 / 7), np.full((7, 7), 1 / 7)
    own[5] = [0.05, 0.05, 0.1, 0.05, 0.2, 0.3, 0.25]  # more at itself and at the sign: no answers
    other[5] = [0.35, 0.05, 0.1, 0.2, 0.0, 0.2, 0.1]
    asked = head_question(maps_of(own, other), (0, 0), 5, 30, text="a b c b d e")
    assert "“e”" in asked.prompt and asked.options == ("a", "c", "b (2)", "d")
    assert asked.options[asked.truth] == "d" and asked.answers[-1].choice == asked.truth
    assert asked.answers[-1].probability == pytest.approx(0.2)
    assert asked.options[asked.answers[0].choice] == "a"  # all heads: (0.05 + 0.35) / 2
    assert word_names(("b", "a", "b")) == ("b (1)", "a", "b (2)")
    for head, source in (((0, 2), 5), ((0, 0), 7)):
        with pytest.raises(BadInput):
            head_question(maps_of(own, other), head, source, 30, text="")
