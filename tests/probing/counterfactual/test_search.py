import numpy as np
import pytest
import torch

from bertsent.errors import Cancelled, NotAvailable
from bertsent.probing.attribution.units import segment_review
from bertsent.probing.counterfactual.candidates import Vocabulary, antonyms, cased, own_words
from bertsent.probing.counterfactual.search import (
    EDIT_KINDS,
    Edit,
    apply_edits,
    find_counterfactuals,
)

PUZZLE = "Great, another boring movie"


@pytest.mark.parametrize(
    "text",
    [PUZZLE, "This is not a bad film", "Great", "I loved this wonderful, warm and funny film."],
)
def test_a_flip_flips_and_its_edits_make_the_text(builtin, text: str) -> None:
    before = {name: value.clone() for name, value in builtin.model.state_dict().items()}
    found, reading = find_counterfactuals(builtin, text), segment_review(builtin, text)
    assert found.counterfactuals and found.closest is None
    side = builtin.predict([text])[0].label
    for flip in found.counterfactuals:
        again = builtin.predict([flip.text])[0]
        assert again.label != side and again.p_positive == pytest.approx(flip.p_positive, abs=1e-6)
        assert apply_edits(reading, flip.edits) == flip.text
        for edit in flip.edits if len(flip.edits) > 1 else ():
            fewer = [other for other in flip.edits if other != edit]
            assert builtin.predict([apply_edits(reading, fewer)])[0].label == side, (
                "a change that is not needed"
            )
    assert [len(flip.edits) for flip in found.counterfactuals] == sorted(
        len(flip.edits) for flip in found.counterfactuals
    )
    assert all(
        torch.equal(value, before[name]) for name, value in builtin.model.state_dict().items()
    )


def test_the_puzzle_flips_with_one_word(builtin) -> None:
    found = find_counterfactuals(builtin, PUZZLE, kinds=("own",), own=["gripping"])
    assert (
        found.counterfactuals[0].edits == (Edit(3, "boring", "gripping"),)
        and found.counterfactuals[0].text == "Great, another gripping movie"
    )


@pytest.mark.parametrize("pooling", ["cls", "mean", "max"])
def test_one_change_is_exhaustive(tiny, pooling: str) -> None:
    """Every deletion by hand: those that flip are those that are found."""
    model, text = tiny(pooling), "a dull film with lovely acting"
    words = text.split()
    side = model.predict([text])[0].label
    by_hand = {" ".join(words[:i] + words[i + 1 :]) for i in range(len(words))}
    by_hand = {each for each in by_hand if model.predict([each])[0].label != side}
    found = find_counterfactuals(model, text, kinds=("delete",), most=1)
    assert {flip.text for flip in found.counterfactuals} == by_hand
    assert found.counterfactuals or found.closest is not None


@pytest.mark.parametrize(
    ("text", "edits", "result"),
    [
        (PUZZLE, [Edit(3, "boring", "gripping")], "Great, another gripping movie"),
        (PUZZLE, [Edit(0, "Great", ""), Edit(3, "boring", "")], ", another movie"),
        (PUZZLE, [Edit(4, "movie", "")], "Great, another boring"),
        (PUZZLE, [Edit(2, "", "not")], "Great, not another boring movie"),
        (PUZZLE, [Edit(0, "", "Not"), Edit(4, "movie", "film")], "Not Great, another boring film"),
        ("a,b", [Edit(1, ",", "")], "a b"),
        (PUZZLE, [], PUZZLE),
    ],
)
def test_edits_by_hand(tiny, text: str, edits: list[Edit], result: str) -> None:
    assert apply_edits(segment_review(tiny(), text), edits) == result


@pytest.mark.parametrize("text", ["🎬", "!!", "Great", "电影", "fine " * 1000])
def test_odd_reviews_end_quietly(tiny, text: str) -> None:
    found = find_counterfactuals(tiny(max_length=32), text, most=1)
    assert found.words <= found.of and found.rounds == 1
    for flip in found.counterfactuals:
        assert (flip.p_positive > 0.5) != (found.p_positive > 0.5)


def test_work_is_bounded(tiny, monkeypatch: pytest.MonkeyPatch) -> None:
    model, asked = tiny(max_length=128), []
    answer = model.probabilities
    monkeypatch.setattr(
        model,
        "probabilities",
        lambda texts, **more: asked.append(len(texts)) or answer(texts, **more),
    )
    find_counterfactuals(model, "a dull film with lovely acting and more " * 30, most=2)
    assert max(asked) <= 600


def test_it_can_be_cancelled_and_refuses_what_cannot_be(tiny) -> None:
    def stop(fraction: float) -> None:
        raise Cancelled("Cancelled.")

    with pytest.raises(Cancelled):
        find_counterfactuals(tiny(), PUZZLE, progress=stop)
    with pytest.raises(NotAvailable):
        find_counterfactuals(tiny(fine_tuned=False), PUZZLE)


def test_neighbours_are_those_of_the_matrix(tiny) -> None:
    model = tiny()
    table = model.model.bert.get_input_embeddings().weight.detach().numpy()
    pieces = model.tokenizer.fast.convert_ids_to_tokens(range(len(table)))
    one = table[pieces.index("boring")]
    likeness = table @ one / np.linalg.norm(table, axis=1).clip(1e-12) / np.linalg.norm(one)
    order = [
        pieces[i]
        for i in np.argsort(-likeness)
        if pieces[i].isascii() and pieces[i].isalpha() and len(pieces[i]) > 1
    ]
    assert Vocabulary(model).nearest("Boring", 5) == order[1:6]
    assert Vocabulary(model).nearest("xqzzy") == []


def test_words() -> None:
    assert "terrible" in antonyms()["great"] and "great" in antonyms()["terrible"]
    assert own_words(" a, b;c\nA,,a") == ("a", "b", "c", "A")
    assert (
        cased("terrible", "Great"),
        cased("terrible", "GREAT"),
        cased("terrible", "great"),
        cased("Bad", "good"),
    ) == (
        "Terrible",
        "TERRIBLE",
        "terrible",
        "Bad",
    )
    assert set(EDIT_KINDS) == {"neighbours", "opposites", "own", "delete", "not"}
